import { describe, expect, test } from 'vitest';
import type { ValidationContext } from '../../../src/engine/api/schema/context.ts';
import {
  CONTEXT,
  errorsOf,
  express,
  type Fields,
  hosted,
  ITEM,
  offered,
  orderOf,
  type Row,
  SPLIT,
} from './validation-fixture.ts';

const REQUIRED = 'This field is required.';

/** CBE costs 2.00 + 1 %, M_PESA 5.00. */
const CHARGED: ValidationContext = {
  ...CONTEXT,
  methods: [offered('CBE', 100, 200), offered('M_PESA', 0, 500)],
};

function splits(...changes: Fields[]): Fields {
  return { amount: 100, splitPayment: changes.map((change) => ({ ...SPLIT, ...change })) };
}

const percent = (amount: unknown): Fields => ({ splitType: 'PERCENTAGE', amount });

const ROWS: readonly Row[] = [
  [
    'api.md#split: everything missing',
    { splitPayment: [{}] },
    {
      'splitPayment[0].amount': REQUIRED,
      'splitPayment[0].bank': REQUIRED,
      'splitPayment[0].splitType': REQUIRED,
      'splitPayment[0].creditAccount': REQUIRED,
    },
  ],
  [
    'api.md#error-8, decisions.md#14: banks',
    splits({}, { bank: 'NOWD' }, { bank: 'NONE' }, { bank: '__proto__' }),
    {
      'splitPayment[1].bank': 'This bank does not support withdrawal.',
      'splitPayment[2].bank': 'Is not in the list of banks.',
      'splitPayment[3].bank': 'Is not in the list of banks.',
    },
  ],
  [
    'enum and amount',
    splits({ splitType: 'HALF' }, { amount: 0 }, { amount: 1.001 }, { amount: '1' }),
    {
      'splitPayment[0].splitType': 'Must be PERCENTAGE or NUMBER.',
      'splitPayment[1].amount': 'Must be greater than 0.',
      'splitPayment[2].amount': 'Must have at most two decimal places: round to cents.',
      'splitPayment[3].amount': 'Must be a JSON number.',
    },
  ],
  [
    'decisions.md#7: 21 splits',
    splits(...Array(21).fill({})),
    { splitPayment: 'Must have at most 20 entries.' },
  ],
  [
    'decisions.md#14: a percentage over 100, beside another error of the same beneficiary',
    splits({ ...percent(100.01), bank: 'NOWD' }),
    {
      'splitPayment[0].amount': 'A percentage must be at most 100.',
      'splitPayment[0].bank': 'This bank does not support withdrawal.',
      splitPayment: 'The percentages must not exceed 100 together.',
    },
  ],
  [
    'decisions.md#14: percentages over 100 together',
    splits(percent(60), percent(40.01)),
    { splitPayment: 'The percentages must not exceed 100 together.' },
  ],
  [
    'decisions.md#14: numbers over the amount',
    splits({ amount: 60 }, { amount: 40.01 }),
    { splitPayment: 'The shares must not exceed the amount together: 100.00.' },
  ],
  [
    'decisions.md#14: both kinds over the amount, beside a bad field',
    { ...splits(percent(50), { amount: 50.01, creditAccount: '' }), expireIn: 1 },
    {
      'splitPayment[1].creditAccount': 'Must be 1 to 255 characters long.',
      expireIn: 'Must be a whole number of seconds from 5 to 31622400.',
      splitPayment: 'The shares must not exceed the amount together: 100.00.',
    },
  ],
  [
    'decisions.md#14: over the total of the items',
    { ...splits({ amount: 20.01 }), amount: undefined, items: [ITEM] },
    { splitPayment: 'The shares must not exceed the amount together: 20.00.' },
  ],
];

describe('splitPayment is rejected', () => {
  test.each(ROWS)('%s', (_source, changes, errors) => {
    expect(errorsOf(hosted(changes))).toEqual(errors);
    expect(errorsOf(express(changes))).toEqual(errors);
  });

  test.each([
    [['CBE', 'M_PESA'], 95],
    [[], 95],
    [['CBE'], 97],
  ])('decisions.md#14: over amount less the highest commission of %j', (methods, most) => {
    const bearing = { methods, commissionPaidByCustomer: false };
    expect(hosted({ ...splits({ amount: most }), ...bearing }, CHARGED).ok).toBe(true);
    expect(errorsOf(hosted({ ...splits({ amount: most + 0.01 }), ...bearing }, CHARGED))).toEqual({
      splitPayment: `The shares must not exceed the amount less the commission together: ${most}.00.`,
    });
  });

  test('decisions.md#14: when the commission takes the whole amount and leaves nothing to share', () => {
    const methods = [offered('CBE', 10_000)];
    const changes = { ...splits({ amount: 0.01 }), amount: 1, commissionPaidByCustomer: false };
    expect(errorsOf(hosted(changes, { ...CHARGED, methods }))).toEqual({
      splitPayment: 'The shares must not exceed the amount less the commission together: 0.00.',
    });
  });
});

describe('splitPayment is accepted', () => {
  test('decisions.md#14: up to the whole amount when the customer pays the commission', () => {
    expect(hosted(splits({ amount: 100 }), CHARGED).ok).toBe(true);
    expect(hosted(splits(percent(33.33), percent(66.67)), CHARGED).ok).toBe(true);
  });

  test('decisions.md#14: with shares of the amount without commission, rounded down', () => {
    const order = orderOf(hosted({ ...splits(percent(33.33), { amount: 1.25 }), amount: 1.99 }));
    expect(order.splits).toEqual([
      { bank: 'CBET', creditAccount: '1000123', type: 'percentage', value: 3_333, shareMinor: 66 },
      { bank: 'CBET', creditAccount: '1000123', type: 'number', value: 125, shareMinor: 125 },
    ]);
  });
});
