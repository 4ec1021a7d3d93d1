import { expect, test } from 'vitest';
import { CONTEXT, errorsOf, express, type Fields, hosted, ITEM } from './validation-fixture.ts';

/**
 * Goal: the operator's limit on a merchant's payments holds for the total of amount and items, only
 * in its currency, and is reported together with all other errors. Method: tables of bodies.
 */

const LIMITED = { ...CONTEXT, limits: { ETB: 5_000_000 } };
const REASON = 'the largest payment in ETB that this merchant may create.';
const ON_AMOUNT = { amount: `Must be at most 50000.00: ${REASON}` };
const ON_ITEMS = { items: `The total must be at most 50000.00: ${REASON}` };

test.each<[string, Fields, Record<string, string>]>([
  ['at the limit', { amount: 50_000 }, {}],
  ['a cent above', { amount: 50_000.01 }, ON_AMOUNT],
  ['in another currency', { amount: 50_000.01, currency: 'USD', methods: ['ETS_SWITCH'] }, {}],
  ['items at the limit', { amount: undefined, items: [{ ...ITEM, price: 25_000 }] }, {}],
  ['items above', { amount: undefined, items: [{ ...ITEM, price: 25_000.01 }] }, ON_ITEMS],
  [
    'with another fault',
    { amount: 60_000, expireIn: 1 },
    { ...ON_AMOUNT, expireIn: expect.any(String) },
  ],
  ['above the general cap', { amount: 1_000_000_000 }, { amount: 'Must be at most 999999999.99.' }],
])('a total %s', (_name, changes, errors) => {
  const expressChanges = {
    ...changes,
    method: 'ETS_SWITCH',
    returnUrl: 'https://shop.example/done',
  };
  expect(errorsOf(hosted(changes, LIMITED))).toEqual(errors);
  expect(errorsOf(express(expressChanges, LIMITED))).toEqual(errors);
});

test('a merchant without a limit has the general one', () => {
  expect(errorsOf(hosted({ amount: 999_999_999.99 }))).toEqual({});
});
