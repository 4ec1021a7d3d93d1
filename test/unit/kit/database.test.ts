import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  batch,
  DatabaseUnavailable,
  prepare,
  readInTime,
} from '../../../src/kit/platform/database.ts';

/**
 * Goal: a request never waits for a D1 that hangs, and its failure tells the caller to retry. Method:
 * reads that answer, fail or hang, with a clock that the test moves.
 */

const ANY = { sql: 'SELECT 1', params: [] };

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

test.each<[string, (db: D1Database) => Promise<unknown>]>([
  ['a list', (db) => prepare(db, ANY).all()],
  ['a row', (db) => prepare(db, ANY).first()],
  ['a change', (db) => prepare(db, ANY).run()],
  ['a batch', (db) => batch(db, [ANY])],
])('any other query fails after ten seconds: %s', async (_name, query) => {
  const hang = () => new Promise(() => undefined);
  const statement = { bind: () => ({ all: hang, first: hang, run: hang }) };
  const db = { prepare: () => statement, batch: hang } as unknown as D1Database;
  let failure: unknown;
  void query(db).catch((error: unknown) => {
    failure = error;
  });
  await vi.advanceTimersByTimeAsync(9_999);
  expect(failure).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  expect(failure).toBeInstanceOf(DatabaseUnavailable);
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
