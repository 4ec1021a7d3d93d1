import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DatabaseUnavailable, readInTime } from '../../src/database.ts';

/**
 * Goal: a request never waits for a D1 that hangs, and its failure tells the caller to retry. Method:
 * reads that answer, fail or hang, with a clock that the test moves.
 */

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test('a read that answers in time brings its value', async () => {
  const slow = readInTime(() => new Promise((resolve) => setTimeout(resolve, 1_999, 'row')));
  await vi.advanceTimersByTimeAsync(1_999);
  expect(await slow).toBe('row');
});

test('a read that hangs fails after two seconds', async () => {
  const hanging = readInTime(() => new Promise(() => undefined)).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await hanging).toBeInstanceOf(DatabaseUnavailable);
});

test.each([
  ['rejects', () => Promise.reject(new Error('D1_ERROR: away'))],
  [
    'throws',
    () => {
      throw new Error('D1_ERROR: away');
    },
  ],
])('a read that %s fails with the cause in its text', async (_name, read) => {
  const error = await readInTime<unknown>(read).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(DatabaseUnavailable);
  expect(error).toMatchObject({
    message: 'Error: D1_ERROR: away',
    retryAfterSeconds: 1,
  });
});
