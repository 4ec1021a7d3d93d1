import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BoundedCache } from '../../../src/kit/platform/bounded-cache.ts';

const AGE_MS_MAX = 9_000;

function cacheOf(sizeMax = 3): BoundedCache<string> {
  return new BoundedCache({ sizeMax, ageMsMax: AGE_MS_MAX });
}

describe('a bounded cache', () => {
  test('returns a stored value with its read time', () => {
    const cache = cacheOf();
    cache.set('a', 'one', 1_000);
    expect(cache.get('a', 1_500)).toEqual({ value: 'one', readAtMs: 1_000 });
    expect(cache.get('b', 1_500)).toBeUndefined();
  });

  test('drops an entry at the age limit, counted from its read time', () => {
    const cache = cacheOf();
    cache.set('a', 'one', 1_000);
    expect(cache.get('a', 1_000 + AGE_MS_MAX - 1)).toBeDefined();
    expect(cache.get('a', 1_000 + AGE_MS_MAX)).toBeUndefined();
    expect(cache.size).toBe(0);
  });

  test("does not extend an entry's life when it is used", () => {
    const cache = cacheOf();
    cache.set('a', 'one', 0);
    for (let nowMs = 0; nowMs < AGE_MS_MAX; nowMs += 100) {
      expect(cache.get('a', nowMs)).toBeDefined();
    }
    expect(cache.get('a', AGE_MS_MAX)).toBeUndefined();
  });

  test("does not extend an entry's life when the clock is set back", () => {
    const cache = cacheOf();
    cache.set('a', 'one', 100_000);
    expect(cache.get('a', 100_000 - AGE_MS_MAX)).toBeUndefined();
  });

  test('lets a later reading replace an earlier one, never the reverse', () => {
    const cache = cacheOf();
    cache.set('a', 'later', 2_000);
    cache.set('a', 'earlier', 1_000);
    expect(cache.get('a', 2_000)?.value).toBe('later');
    cache.set('a', 'latest', 3_000);
    expect(cache.get('a', 3_000)?.value).toBe('latest');
  });

  test.each([
    [0, 'fresh'],
    [1_999, 'fresh'],
    [2_000, 'old'],
    // A request that began a moment before the read.
    [-900, 'fresh'],
    // The clock was set back.
    [-1_100, 'old'],
    [-100_000, 'old'],
  ])('%i ms after its read, an entry is %s', (ageMs, age) => {
    const cache = cacheOf();
    cache.set('a', 'one', 200_000);
    expect(cache.fresh('a', 200_000 + ageMs, 2_000)?.value).toBe(
      age === 'fresh' ? 'one' : undefined,
    );
  });

  test('takes a reading after the clock was set back', () => {
    const cache = cacheOf();
    cache.set('a', 'before', 700_000);
    cache.set('a', 'after', 100_000);
    expect(cache.get('a', 100_000)?.value).toBe('after');
  });

  test('drops the least recently used entry', () => {
    const cache = cacheOf(2);
    cache.set('a', 'one', 0);
    cache.set('b', 'two', 0);
    cache.get('a', 1);
    cache.set('c', 'three', 1);
    expect(cache.get('b', 1)).toBeUndefined();
    expect(cache.get('a', 1)?.value).toBe('one');
    expect(cache.get('c', 1)?.value).toBe('three');
  });

  test('deletes and clears', () => {
    const cache = cacheOf();
    cache.set('a', 'one', 0);
    cache.set('b', 'two', 0);
    cache.delete('a');
    expect(cache.get('a', 0)).toBeUndefined();
    cache.clear();
    expect(cache.size).toBe(0);
  });

  test('never exceeds its size, and never returns an old or foreign value', () => {
    const step = fc.record({
      key: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      waitMs: fc.nat(6_000),
      writes: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const cache = cacheOf(3);
        let nowMs = 0;
        for (const { key, waitMs, writes } of steps) {
          nowMs += waitMs;
          if (writes) {
            cache.set(key, `${key}@${nowMs}`, nowMs);
          }
          const entry = cache.get(key, nowMs);
          expect(cache.size).toBeLessThanOrEqual(3);
          if (entry !== undefined) {
            expect(entry.value).toBe(`${key}@${entry.readAtMs}`);
            expect(nowMs - entry.readAtMs).toBeLessThan(AGE_MS_MAX);
          }
        }
      }),
    );
  });
});
