import { expect, test } from 'vitest';
import { FIELD_ERROR_CODES, type FieldErrorCode } from '../../../src/kit/http/field-error.ts';
import {
  CONTEXT,
  codesOf,
  express,
  type Fields,
  hosted,
  ITEM,
  SPLIT,
} from '../api/validation-fixture.ts';

/**
 * Goal: a program can act on the code of each field (docs/errors.md#field-codes). Method: bodies
 * that break one rule, at least one for each code that the merchants' API has. The operator's API
 * adds two, which test/workers/operator/errors.test.ts provokes.
 */

type ApiCode = Exclude<FieldErrorCode, 'duplicate' | 'unknown_field'>;

const item = (changes: Fields) => ({ amount: 20, items: [{ ...ITEM, ...changes }] });

const ROWS: Readonly<Record<ApiCode, readonly (readonly [Fields, string])[]>> = {
  required: [
    [{ currency: undefined }, 'currency'],
    [{ amount: undefined }, 'amount'],
  ],
  empty: [
    [{ paymentIntentUniqueId: '' }, 'paymentIntentUniqueId'],
    [{ paymentIntentUniqueId: '  ' }, 'paymentIntentUniqueId'],
    [item({ name: '' }), 'items[0].name'],
  ],
  invalid_type: [
    [{ amount: '100' }, 'amount'],
    [{ customerInfo: ['Abebe'] }, 'customerInfo'],
    [{ commissionPaidByCustomer: 'true' }, 'commissionPaidByCustomer'],
  ],
  invalid_format: [
    [{ returnUrl: 'nowhere' }, 'returnUrl'],
    [{ callbackUrl: 'https://a..b/' }, 'callbackUrl'],
    [{ customerInfo: { phone: '0911223344' } }, 'customerInfo.phone'],
    [{ paymentIntentUniqueId: 'a\nb' }, 'paymentIntentUniqueId'],
  ],
  invalid_choice: [
    [{ currency: 'EUR' }, 'currency'],
    [{ methods: ['CASH'] }, 'methods[0]'],
    [{ splitPayment: [{ ...SPLIT, bank: 'NONE' }] }, 'splitPayment[0].bank'],
  ],
  not_whole: [[{ expireIn: 5.5 }, 'expireIn']],
  too_small: [
    [{ amount: 0 }, 'amount'],
    [{ amount: 0.99 }, 'amount'],
    [{ expireIn: 4 }, 'expireIn'],
    [item({ quantity: 0 }), 'items[0].quantity'],
  ],
  too_large: [
    [{ amount: 1e9 }, 'amount'],
    [{ expireIn: 1e9 }, 'expireIn'],
    [{ splitPayment: [{ ...SPLIT, amount: 101 }] }, 'splitPayment'],
  ],
  too_many_decimals: [[{ amount: 1.005 }, 'amount']],
  too_long: [
    [{ paymentIntentUniqueId: 'x'.repeat(256) }, 'paymentIntentUniqueId'],
    [{ returnUrl: `https://a.et/${'x'.repeat(2_048)}` }, 'returnUrl'],
    [item({ name: 'x'.repeat(1_001) }), 'items[0].name'],
  ],
  too_many: [[{ amount: 20, items: Array(101).fill(ITEM) }, 'items']],
  mismatch: [[item({ price: 7 }), 'amount']],
  not_enabled: [[{ methods: ['M_PESA'] }, 'methods[0]']],
  switched_off: [[{ methods: ['M_PESA'] }, 'methods']],
  not_supported: [
    [{ currency: 'USD', methods: ['CBE'] }, 'currency'],
    [{ splitPayment: [{ ...SPLIT, bank: 'NOWD' }] }, 'splitPayment[0].bank'],
  ],
  undeliverable: [[{ callbackUrl: 'https://10.example.com/' }, 'callbackUrl']],
};

const WITHOUT_M_PESA = {
  ...CONTEXT,
  methods: CONTEXT.methods.filter(({ method }) => method !== 'M_PESA'),
};

const CONTEXTS: Readonly<Record<string, typeof CONTEXT>> = {
  not_enabled: WITHOUT_M_PESA,
  switched_off: { ...CONTEXT, switchedOff: ['M_PESA'] },
};

const CASES = Object.entries(ROWS).flatMap(([code, rows]) =>
  rows.map(([changes, field]) => [code, field, changes] as const),
);

test.each(CASES)('%s of %s', (code, field, changes) => {
  expect(codesOf(hosted(changes, CONTEXTS[code] ?? CONTEXT))[field]).toBe(code);
});

test('of rules that only express payments have', () => {
  expect(codesOf(express({ phoneNumber: undefined }))).toEqual({ phoneNumber: 'required' });
  expect(codesOf(express({ phoneNumber: '12' }))).toEqual({ phoneNumber: 'invalid_format' });
  expect(codesOf(express({ phoneNumber: '0700000000' }))).toEqual({ phoneNumber: 'not_supported' });
});

test('every code has a row here or in the operator’s test', () => {
  expect([...Object.keys(ROWS), 'duplicate', 'unknown_field'].sort()).toEqual(
    [...FIELD_ERROR_CODES].sort(),
  );
});
