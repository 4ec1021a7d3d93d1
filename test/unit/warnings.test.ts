import { describe, expect, test } from 'vitest';
import { express, type Fields, hosted, ITEM, orderOf } from './validation-fixture.ts';

/**
 * Goal: an answer says what a merchant would otherwise learn from a wrong charge, or first in
 * production (docs/api.md#warnings). Method: requests with and without the cause of the warning; a
 * warned request stores what it would store anyway.
 */

const COFFEE: Fields = { ...ITEM, price: 4, quantity: 2 };
const CAKE: Fields = { ...ITEM, price: 5, quantity: 1 };

describe('docs/decisions.md#4: items without an amount', () => {
  const bothSums =
    'items add up to 13.00 by price × quantity, which is charged, and to 9.00 by price alone. ' +
    'Send amount too, so that it is the one you mean.';

  test.each<[string, Fields, string[]]>([
    ['warns with both sums if they differ', { items: [COFFEE, CAKE] }, [bothSums]],
    ['is silent if there is one sum', { items: [CAKE, CAKE] }, []],
    ['is silent beside the one amount', { amount: 13, items: [COFFEE, CAKE] }, []],
    ['is silent beside the other amount', { amount: 9, items: [COFFEE, CAKE] }, []],
  ])('%s', (_name, changes, warnings) => {
    for (const validate of [hosted, express]) {
      const validated = validate({ amount: undefined, ...changes });
      expect(validated.warnings).toEqual(warnings);
      expect(validated.ok).toBe(true);
    }
  });

  test('charges price × quantity', () => {
    const order = orderOf(hosted({ amount: undefined, items: [COFFEE, CAKE] }));
    expect(order).toMatchObject({ amountMinor: 13_00, itemPriceBasis: 'unit' });
  });
});
