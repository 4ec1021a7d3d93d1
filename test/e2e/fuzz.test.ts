import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { fuzz, type Report } from '../../lab/fuzz/run.ts';
import { type Stage, startStage } from '../../lab/fuzz/stage.ts';

/**
 * Goal: every request gets an answer, in its documented form. Method: the
 * short form of `npm run lab -- fuzz` (docs/reliability.md#fuzzing):
 * each route as users call it, then mutations.
 */

const SEED = 1;
const MUTATED_REQUESTS = 100;

let stage: Stage;
let report: Report;

beforeAll(async () => {
  stage = await startStage('fuzz', inject('sandbox').builtDirectory);
  report = await fuzz(stage, { seed: SEED, mutatedRequests: MUTATED_REQUESTS });
});

afterAll(() => stage?.stop());

test('answers every request as documented, and logs no failure: promises.md#10', () => {
  expect(report.findings).toEqual([]);
});

test('reaches every route of the gateway', () => {
  expect(report.unreached).toEqual([]);
});

test('gets past the doors: many requests take effect', () => {
  expect(report.statuses.get('200')).toBeGreaterThan(report.requests / 10);
});
