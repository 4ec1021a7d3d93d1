import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  AMOUNT_MINOR_MAX,
  commissionMinor,
  roundedShare,
} from '../../../src/engine/domain/money.ts';
import { parseExactly } from '../../../src/kit/http/exact-json.ts';
import { majorFromMinor, majorText, minorFromMajor } from '../../../src/kit/money.ts';

const anyAmountMinor = fc.integer({ min: 0, max: AMOUNT_MINOR_MAX });

describe('minorFromMajor (decisions.md#5)', () => {
  test.each([
    [1, 100],
    [1.15, 115],
    [0.29, 29],
    [4.35, 435],
    [1.1, 110],
    [999_999_999.99, AMOUNT_MINOR_MAX],
    [0, 0],
    [1.005, null],
    [0.001, null],
    [1e-7, null],
    [0.1 + 0.2, null],
    [-1, null],
    [1e21, null],
    [Number.MAX_SAFE_INTEGER, null],
    [Number.NaN, null],
    [Number.POSITIVE_INFINITY, null],
  ])('converts %d to %s', (amountMajor, amountMinor) => {
    expect(minorFromMajor(amountMajor)).toBe(amountMinor);
  });

  test('is exact for every amount with two decimals', () => {
    fc.assert(
      fc.property(anyAmountMinor, (amountMinor) => {
        expect(minorFromMajor(majorFromMinor(amountMinor))).toBe(amountMinor);
        expect(minorFromMajor(JSON.parse(majorText(amountMinor)))).toBe(amountMinor);
      }),
      { numRuns: 5_000 },
    );
  });

  test('rejects every amount with a third decimal', () => {
    const lastDigit = fc.integer({ min: 1, max: 9 });
    fc.assert(
      fc.property(anyAmountMinor, lastDigit, (amountMinor, digit) => {
        expect(minorFromMajor(JSON.parse(`${majorText(amountMinor)}${digit}`))).toBeNull();
      }),
    );
  });
});

describe('an amount in a JSON text (decisions.md#5)', () => {
  const inMinor = (text: string) => {
    const parsed = Object(parseExactly(`{"amount":${text}}`));
    return minorFromMajor(parsed.amount);
  };
  const far = (digit: string) => `1.${'0'.repeat(60_000)}${digit}`;

  test.each<[string, number | null]>([
    ['1.0000000000000000001', null],
    ['1.1500000000000000001', null],
    ['1.9999999999999999999', null],
    ['1000000.000000001', null],
    ['1000000000000001e-9', null],
    ['100000000000000000001E-20', null],
    ['999999999.9800000001', null],
    // PHP writes 19.99 so, with another serialize_precision.
    ['19.989999999999998', null],
    // The double after this one is 11.99.
    ['11.989999999999998436', null],
    [far('1'), null],
    [far('0'), 100],
    ['1.1500000000000000000', 115],
    ['1150000000000000000000e-21', 115],
    ['1e2', 10_000],
  ])('%.40s', (text, amountMinor) => {
    expect(inMinor(text)).toBe(amountMinor);
  });

  test('is exact for every number of decimals', () => {
    const zeros = fc.integer({ min: 0, max: 40 }).map((count) => '0'.repeat(count));
    const digit = fc.integer({ min: 1, max: 9 });
    fc.assert(
      fc.property(anyAmountMinor, zeros, digit, (amountMinor, padding, last) => {
        const text = majorText(amountMinor) + padding;
        expect(inMinor(text)).toBe(amountMinor);
        expect(amountMinor === 0 ? null : inMinor(`${text}${last}`)).toBeNull();
      }),
    );
  });

  test('keeps all other values', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify({ value, long: '0123456789.0123456789' });
        expect(parseExactly(text)).toEqual(JSON.parse(text));
      }),
    );
  });
});

describe('roundedShare and commissionMinor (decisions.md#14, #15)', () => {
  test.each([
    [100, 150, 1, 2],
    [99, 5_000, 49, 50],
    [1, 4_999, 0, 0],
    [AMOUNT_MINOR_MAX, 10_000, AMOUNT_MINOR_MAX, AMOUNT_MINOR_MAX],
    [AMOUNT_MINOR_MAX, 9_999, 99_989_999_999, 99_989_999_999],
  ])('%d × %d basis points: down %d, half up %d', (amountMinor, basisPoints, down, halfUp) => {
    expect(roundedShare(amountMinor, basisPoints, 'down')).toBe(down);
    expect(roundedShare(amountMinor, basisPoints, 'half_up')).toBe(halfUp);
  });

  test('adds the fixed part after rounding', () => {
    expect(commissionMinor(99, { basisPoints: 5_000, fixedMinor: 7 })).toBe(57);
  });
});
