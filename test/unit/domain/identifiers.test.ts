import { describe, expect, test } from 'vitest';
import {
  attemptReferenceFrom,
  INTENT_NUMBER,
  intentNumberFrom,
  merchantNumberIn,
  OBJECT_NAME,
  REFERENCE,
  referenceFrom,
  referencesFrom,
  referenceTimeMs,
} from '../../../src/engine/domain/identifiers.ts';

/** Goal: identifiers use all their random bits, and the checks reject any other text. */

test('a reference takes 20 letters and digits of 32, each by one byte', () => {
  const bytes = Uint8Array.from({ length: 40 }, (_, index) => 256 - 8 + index);
  expect(referenceFrom(bytes)).toBe('RSTVWXYZ0123456789AB');
  expect(
    new Set(Array.from({ length: 32 }, (_, byte) => referenceFrom(Uint8Array.of(byte)))).size,
  ).toBe(32);
});

describe("an attempt's reference", () => {
  const bytes = Uint8Array.from({ length: 20 }, (_, index) => index);

  test.each([
    [0, '00000000'],
    [1_999, '00000001'],
    [1_795_366_800_123, '6B031F90'],
    [(2 ** 32 - 1) * 1000, 'FFFFFFFF'],
  ])('of a payment created at %d begins with %s, by which it is found', (createdAtMs, start) => {
    const reference = attemptReferenceFrom(createdAtMs, 1, bytes);
    expect(reference).toBe(`${start}19ABCDEFGHJK`);
    expect(reference).toMatch(REFERENCE);
    for (const length of [8, 9, 20]) {
      expect(referenceTimeMs(reference.slice(0, length))).toBe(createdAtMs - (createdAtMs % 1000));
    }
  });

  test.each([
    [1, '1'],
    [15, 'F'],
    [16, 'H0'],
    [255, 'ZF'],
    [1_000_000, 'ZMJM0'],
    [2 ** 28 - 1, 'ZZZZZZF'],
  ])('names merchant %d by %s', (number, text) => {
    const made = attemptReferenceFrom(1_795_366_800_123, number, bytes);
    expect(made).toBe(`6B031F90${text}${'89ABCDEFGHJK'.slice(text.length)}`);
    expect(merchantNumberIn(made)).toBe(number);
    expect(referenceTimeMs(made)).toBe(1_795_366_800_000);
  });

  test.each(['', '6B031F90', '6B031F900123456789AB', '6B031F90ZZZZZZZZZZZZ', '6B031F901ABC'])(
    '%j names no merchant',
    (text) => {
      expect(merchantNumberIn(text)).toBeNull();
    },
  );

  test('begins where those of its second begin', () => {
    expect(referencesFrom(1_795_366_800_123)).toBe('6B031F90');
  });

  test.each(['', '6A4FA91', '6A4FA91G', '6a4fa910', '6A4FA910I', `6A4FA910${'0'.repeat(13)}`])(
    '%j is none',
    (text) => {
      expect(referenceTimeMs(text)).toBeNull();
    },
  );
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
    OBJECT_NAME,
    [HEX.repeat(4)],
    [HEX.repeat(4).slice(1), `${HEX.repeat(4)}0`, `0${HEX.repeat(4)}`, 'g'.repeat(64)],
  ],
])('the form of a %s', (_name, form, right, wrong) => {
  expect(right.filter((text) => !form.test(text))).toEqual([]);
  expect(wrong.filter((text) => form.test(text))).toEqual([]);
});
