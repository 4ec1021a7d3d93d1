import { describe, expect, test } from 'vitest';
import {
  INTENT_NUMBER,
  intentNumberFrom,
  OBJECT_ID,
  REFERENCE,
  referenceFrom,
} from '../../src/domain/identifiers.ts';

/** Goal: identifiers use all their random bits, and nothing else passes for one. */

test('a reference takes 20 letters and digits of 32, each by one byte', () => {
  const bytes = Uint8Array.from({ length: 40 }, (_, index) => 256 - 8 + index);
  expect(referenceFrom(bytes)).toBe('RSTVWXYZ0123456789AB');
  expect(
    new Set(Array.from({ length: 32 }, (_, byte) => referenceFrom(Uint8Array.of(byte)))).size,
  ).toBe(32);
});

describe('the integer of a payment', () => {
  test.each([
    [[255, 255, 255, 255, 255, 255, 255, 255], Number.MAX_SAFE_INTEGER],
    [[0, 0, 0, 0, 0, 0, 8, 0], 1],
    [[0, 0, 0, 0, 0, 0, 16, 0], 2],
    [[0, 0, 0, 0, 0, 0, 7, 255], 1],
  ])('of the bytes %j is %d', (bytes, number) => {
    expect(intentNumberFrom(Uint8Array.from(bytes))).toBe(number);
  });

  test('takes the bytes of the view, not of its buffer', () => {
    const bytes = Uint8Array.from([9, 9, 0, 0, 0, 0, 0, 0, 16, 0]);
    expect(intentNumberFrom(bytes.subarray(2))).toBe(2);
  });
});

const HEX = '0123456789abcdef';

test.each<[string, RegExp, readonly string[], readonly string[]]>([
  [
    'reference',
    REFERENCE,
    ['0123456789ABCDEFGHJK', 'MNPQRSTVWXYZ00000000'],
    ['0'.repeat(19), '0'.repeat(21), `${'0'.repeat(19)}I`, `${'0'.repeat(19)}a`],
  ],
  [
    'integer',
    INTENT_NUMBER,
    ['1', '9007199254740991'],
    ['0', '01', '10000000000000000', '-1', '1.5', ' 1'],
  ],
  [
    'object id',
    OBJECT_ID,
    [HEX.repeat(4)],
    [HEX.repeat(4).slice(1), `${HEX.repeat(4)}0`, `0${HEX.repeat(4)}`, 'g'.repeat(64)],
  ],
])('the form of a %s', (_name, form, right, wrong) => {
  expect(right.filter((text) => !form.test(text))).toEqual([]);
  expect(wrong.filter((text) => form.test(text))).toEqual([]);
});
