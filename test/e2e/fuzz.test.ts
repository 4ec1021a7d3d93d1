import { afterAll, beforeAll, expect, it } from 'vitest';
import { fuzz, type Report } from '../fuzz/run.ts';
import { type Stage, startStage } from '../fuzz/stage.ts';

/**
 * Goal: whatever a request is like, the answer is in its documented form, and comes. Method: the
 * short form of `npm run fuzz` (docs/reliability.md#fuzzing), which meets each recorded request once.
 */

const SEED = 1;
const REQUESTS = 1_000;

let stage: Stage;
let report: Report;

beforeAll(async () => {
  stage = await startStage('fuzz');
  report = await fuzz(stage, { seed: SEED, requests: REQUESTS });
});

afterAll(() => stage?.stop());

it('answers every mutated request as documented', () => {
  expect(report.findings).toEqual([]);
});

it('reaches every route of the gateway', () => {
  expect(report.unreached).toEqual([]);
});

it('gets past the doors: many requests take effect', () => {
  expect(report.statuses.get('200')).toBeGreaterThan(REQUESTS / 10);
});

it('logs no failure of the gateway: promises.md#10', async () => {
  const logs = await stage.logs();
  expect(logs.match(/"event":"(?:api|operator|dashboard|page)_failed".*/g) ?? []).toEqual([]);
});
