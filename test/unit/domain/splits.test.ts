import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AMOUNT_MINOR_MAX } from '../../../src/engine/domain/money.ts';
import {
  itemTotals,
  matchingBasis,
  percentageTotal,
  type SplitValue,
  shareableMinor,
  shareMinor,
  sharesMinor,
} from '../../../src/engine/domain/splits.ts';

const QUANTITY_MAX = 2_147_483_647;

describe('itemTotals (decisions.md#4)', () => {
  test.each([
    ['no items', [], 0, 0],
    ['one item', [{ priceMinor: 1_050, quantity: 3 }], 3_150, 1_050],
    [
      'the cap exactly',
      [{ priceMinor: AMOUNT_MINOR_MAX, quantity: 1 }],
      AMOUNT_MINOR_MAX,
      AMOUNT_MINOR_MAX,
    ],
    [
      'a product over the cap',
      [{ priceMinor: AMOUNT_MINOR_MAX, quantity: 2 }],
      null,
      AMOUNT_MINOR_MAX,
    ],
    [
      'a product over 2^53',
      [{ priceMinor: AMOUNT_MINOR_MAX, quantity: QUANTITY_MAX }],
      null,
      AMOUNT_MINOR_MAX,
    ],
    [
      'a sum one over the cap',
      [
        { priceMinor: AMOUNT_MINOR_MAX, quantity: 1 },
        { priceMinor: 1, quantity: 1 },
      ],
      null,
      null,
    ],
  ])('%s', (_name, items, unitMinor, lineMinor) => {
    expect(itemTotals(items)).toEqual({ unitMinor, lineMinor });
  });
});

describe('matchingBasis (decisions.md#4)', () => {
  test.each([
    [300, { unitMinor: 300, lineMinor: 100 }, 'unit'],
    [100, { unitMinor: 300, lineMinor: 100 }, 'line'],
    [100, { unitMinor: 100, lineMinor: 100 }, 'unit'],
    [100, { unitMinor: null, lineMinor: 100 }, 'line'],
    [200, { unitMinor: 300, lineMinor: 100 }, null],
  ] as const)('%d against %o is %s', (amountMinor, totals, basis) => {
    expect(matchingBasis(amountMinor, totals)).toBe(basis);
  });
});

describe('shares (decisions.md#14)', () => {
  test.each([
    [{ type: 'percentage', value: 3_333 }, 100, 33],
    [{ type: 'percentage', value: 1 }, 9_999, 0],
    [{ type: 'percentage', value: 10_000 }, AMOUNT_MINOR_MAX, AMOUNT_MINOR_MAX],
    [{ type: 'number', value: 250 }, 100, 250],
  ] as const)('%o of %d is %d', (split, amountMinor, share) => {
    expect(shareMinor(amountMinor, split)).toBe(share);
  });

  test('adds up both kinds, and the percentages alone', () => {
    const splits: SplitValue[] = [
      { type: 'percentage', value: 2_550 },
      { type: 'number', value: 40 },
      { type: 'percentage', value: 5_000 },
    ];
    expect(sharesMinor(101, splits)).toBe(25 + 40 + 50);
    expect(percentageTotal(splits)).toBe(7_550);
  });

  test('never exceeds the amount for percentages of at most 100 together', () => {
    const value = fc.integer({ min: 1, max: 500 });
    const splits = fc.array(
      value.map((v): SplitValue => ({ type: 'percentage', value: v })),
      {
        maxLength: 20,
      },
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: AMOUNT_MINOR_MAX }), splits, (amountMinor, given) => {
        expect(sharesMinor(amountMinor, given)).toBeLessThanOrEqual(amountMinor);
      }),
    );
  });

  test.each([
    [1_000, [], 1_000],
    [1_000, [20, 35, 10], 965],
    [10, [35], 0],
  ])('of %d less the highest of %o leaves %d', (amountMinor, commissions, left) => {
    expect(shareableMinor(amountMinor, commissions)).toBe(left);
  });
});
