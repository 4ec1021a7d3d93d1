import { describe, expect, test } from 'vitest';
import {
  UUID_V7,
  UUID_V7_TIME_MAX_MS,
  uuidV7,
  uuidV7TimeMs,
} from '../../../src/kit/crypto/uuid-v7.ts';

/**
 * Goal: an id leads to the time at which it was made, and cannot be guessed from it. Method: ids of
 * known times, the example of RFC 9562, and texts that are not a UUIDv7.
 */

describe('uuidV7TimeMs', () => {
  test('reads the example of RFC 9562, appendix A.6', () => {
    const atMs = Date.parse('2022-02-22T14:22:22-05:00');
    expect(uuidV7TimeMs('017f22e2-79b0-7cc3-98c4-dc0c0c07398f')).toBe(atMs);
  });

  test.each([
    ['empty', ''],
    ['a random UUID', '017f22e2-79b0-4cc3-98c4-dc0c0c07398f'],
    ['another variant', '017f22e2-79b0-7cc3-c8c4-dc0c0c07398f'],
    ['capitals', '017F22E2-79B0-7CC3-98C4-DC0C0C07398F'],
    ['no hyphens', '017f22e279b07cc398c4dc0c0c07398f'],
    ['a digit too many', '017f22e2-79b0-7cc3-98c4-dc0c0c07398f0'],
    ['a line end', '017f22e2-79b0-7cc3-98c4-dc0c0c07398f\n'],
  ])('is null for %s', (_name, text) => {
    expect(uuidV7TimeMs(text)).toBeNull();
  });
});

describe('uuidV7', () => {
  test.each([0, 1, 1_763_800_000_000, UUID_V7_TIME_MAX_MS])('carries the time %i', (atMs) => {
    expect(uuidV7(atMs)).toMatch(UUID_V7);
    expect(uuidV7TimeMs(uuidV7(atMs))).toBe(atMs);
  });

  test.each([-1, 0.5, UUID_V7_TIME_MAX_MS + 1, Number.NaN, Number.POSITIVE_INFINITY])(
    'rejects the time %d',
    (atMs) => {
      expect(() => uuidV7(atMs)).toThrow(RangeError);
    },
  );

  test('leaves all other bits but version and variant to chance', () => {
    const ids = Array.from({ length: 500 }, () => uuidV7(1_763_800_000_000));
    expect(new Set(ids)).toHaveLength(500);
    const fixed = (place: number) => new Set(ids.map((id) => id.charAt(place))).size === 1;
    const places = Array.from({ length: 36 }, (_, place) => place);
    // The time, the hyphens and the version. The variant's digit has four values.
    expect(places.filter(fixed)).toEqual([
      0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 18, 23,
    ]);
  });

  test('a later id sorts after an earlier one', () => {
    const times = [1_763_800_000_000, 1_763_800_000_001, 1_863_800_000_000];
    const ids = times.map(uuidV7);
    expect(ids.toSorted()).toEqual(ids);
  });
});
