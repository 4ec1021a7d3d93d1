import { expect, test } from 'vitest';
import { linearizeBuilt } from '../../lab/linearize/run.ts';

/** The short form of `npm run lab -- linearize` (docs/reliability.md#linearizability). */

const OPERATIONS = 1_000;
const SEED = 15;

test('answers concurrent requests about a payment as if one came after the other', async () => {
  const result = await linearizeBuilt({ operations: OPERATIONS, seed: SEED });
  expect(result.contradictions.join('\n')).toBe('');
  expect(result.operations).toBeGreaterThanOrEqual(OPERATIONS);
}, 300_000);
