import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleSimulation } from '../../../lab/simulation/bundle.ts';
import { FAULT_NAMES } from '../../../lab/simulation/faults.ts';
import { runSimulation } from '../../../lab/simulation/run.ts';
import { PROJECT_DIRECTORY } from '../../../scripts/project/files.ts';

/**
 * Goal: the gateway keeps its promises through crashes, losses, delays and lies. Method: the short
 * form of `npm run lab -- simulate` (docs/reliability.md#simulation): the real code under a simulated clock,
 * storage, queues, provider and merchants, driven by seeds.
 */

/** Each state and fault occurs in several of the histories. */
const SEEDS = 400;
/** Some seconds on an idle machine. */
const TIMEOUT_MS = 240_000;

/** A simulation that never gets into these states would prove nothing. */
const STATES = [
  ...['open', 'processing', 'succeeded', 'succeeded late', 'failed', 'expired', 'canceled'],
  ...['attempt unresolved', 'attempt succeeded', 'attempt failed', 'attempt expired'],
  ...['attempt refused by an outage', 'attempt processing with a claim'],
  ...['attempt unresolved with a claim', 'attempt succeeded with a claim'],
  ...['anomaly duplicate_payment', 'anomaly contradicting_failure', 'anomaly refused_callback'],
  ...['refused by a full link', 'anomaly surplus_payment'],
  ...['refund pending', 'refund processing', 'refund unresolved', 'refund requires_action'],
  ...['refund succeeded', 'refund failed', 'refund canceled'],
  ...['restored', 'restored open', 'restored processing', 'anomaly restored'],
];

let directory = '';
let bundle = '';

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kefel-simulation-'));
  bundle = join(directory, 'simulation.mjs');
  await bundleSimulation(PROJECT_DIRECTORY, bundle);
});

afterAll(() => rm(directory, { recursive: true }));

test(
  'every promise is kept through every kind of fault',
  async () => {
    const run = {
      from: 1,
      seeds: SEEDS,
      workers: 2,
      failuresMax: 1,
      shrinks: true,
      isTraced: false,
    };
    const { failures, histories, faults, reached } = await runSimulation(
      bundle,
      PROJECT_DIRECTORY,
      run,
    );
    expect(failures).toEqual([]);
    expect(histories).toBe(SEEDS);
    expect(FAULT_NAMES.filter((fault) => faults[fault] === undefined)).toEqual([]);
    expect(STATES.filter((state) => reached[state] === undefined)).toEqual([]);
  },
  TIMEOUT_MS,
);

test(
  'the same seeds give the same histories, however they are shared out',
  async () => {
    const run = { from: 7, seeds: 15, failuresMax: 1, shrinks: true, isTraced: false };
    const [one, other] = await Promise.all([
      runSimulation(bundle, PROJECT_DIRECTORY, { ...run, workers: 1 }),
      runSimulation(bundle, PROJECT_DIRECTORY, { ...run, workers: 3 }),
    ]);
    expect(other).toMatchObject({ hash: one.hash, events: one.events, faults: one.faults });
  },
  TIMEOUT_MS,
);
