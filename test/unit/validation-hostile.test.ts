import { describe, expect, test } from 'vitest';
import {
  errorsOf,
  express,
  type Fields,
  hosted,
  ITEM,
  SANDBOX,
  SPLIT,
} from './validation-fixture.ts';

/** The most that the body limit leaves for one field. */
const LENGTH = 60 * 1024;

const HOSTILE: readonly (readonly [name: string, text: string])[] = [
  ['letters', 'a'.repeat(LENGTH)],
  ['digits', '9'.repeat(LENGTH)],
  ['spaces', ' '.repeat(LENGTH)],
  ['a long URL', `https://${'a'.repeat(LENGTH)}!`],
  ['a URL of labels', `https://${'a.'.repeat(LENGTH / 2)}!`],
  ['a URL of at signs', `https://${'@'.repeat(LENGTH)}`],
  ['emoji', '😀'.repeat(LENGTH / 4)],
  ['half pairs', '\ud800'.repeat(LENGTH / 6)],
];

/** Every string field, by its path, with the changes that put a text there. */
const HOSTED_FIELDS: Record<string, (text: string) => Fields> = {
  currency: (currency) => ({ currency }),
  paymentIntentUniqueId: (paymentIntentUniqueId) => ({ paymentIntentUniqueId }),
  paymentLinkUniqueId: (paymentLinkUniqueId) => ({ paymentLinkUniqueId }),
  'methods[0]': (text) => ({ methods: [text] }),
  returnUrl: (returnUrl) => ({ returnUrl }),
  callbackUrl: (callbackUrl) => ({ callbackUrl }),
  amount: (amount) => ({ amount }),
  expireIn: (expireIn) => ({ expireIn }),
  'customerInfo.name': (name) => ({ customerInfo: { name } }),
  'customerInfo.email': (email) => ({ customerInfo: { email } }),
  'customerInfo.phone': (phone) => ({ customerInfo: { phone } }),
  'items[0].name': (name) => ({ amount: 20, items: [{ ...ITEM, name }] }),
  'items[0].description': (description) => ({ amount: 20, items: [{ ...ITEM, description }] }),
  'items[0].image': (image) => ({ amount: 20, items: [{ ...ITEM, image }] }),
  'items[0].type': (type) => ({ amount: 20, items: [{ ...ITEM, type }] }),
  'splitPayment[0].bank': (bank) => ({ splitPayment: [{ ...SPLIT, bank }] }),
  'splitPayment[0].splitType': (splitType) => ({ splitPayment: [{ ...SPLIT, splitType }] }),
  metadata: (key) => ({ metadata: { [key]: 'value' } }),
  'metadata.key': (key) => ({ metadata: { key } }),
  'splitPayment[0].creditAccount': (text) => ({
    splitPayment: [{ ...SPLIT, creditAccount: text }],
  }),
};

const SIMULATED = { testModeType: 'SIMULATED_TEST', simulationStatus: 'SUCCESS' };

const EXPRESS_FIELDS: Record<string, (text: string) => Fields> = {
  method: (method) => ({ method }),
  phoneNumber: (phoneNumber) => ({ phoneNumber }),
  'customerInfo.phone': (phone) => ({ phoneNumber: null, customerInfo: { phone } }),
  description: (description) => ({ description }),
  debitAccount: (debitAccount) => ({ debitAccount }),
  returnUrl: (returnUrl) => ({ returnUrl }),
  'testMode.testModeType': (testModeType) => ({ testMode: { ...SIMULATED, testModeType } }),
  'testMode.simulationStatus': (text) => ({ testMode: { ...SIMULATED, simulationStatus: text } }),
};

describe.each(HOSTILE)('a 60 KiB string of %s', (_name, text) => {
  test.each(Object.entries(HOSTED_FIELDS))('is refused in hosted %s alone', (path, changes) => {
    expect(Object.keys(errorsOf(hosted(changes(text))))).toEqual([path]);
  });

  test.each(Object.entries(EXPRESS_FIELDS))('is refused in express %s alone', (path, changes) => {
    const body = { testMode: SIMULATED, ...changes(text) };
    expect(Object.keys(errorsOf(express(body, SANDBOX)))).toEqual([path]);
  });
});

describe('a list far over its limit is one error, its entries unread (decisions.md#7)', () => {
  const COUNT = 100_000;

  test.each(['items', 'splitPayment', 'methods'])('%s', (path) => {
    const answer = errorsOf(hosted({ [path]: Array(COUNT).fill(null) }));
    expect(Object.keys(answer)).toEqual([path]);
  });

  test('answers at most one message per field, never with the values', () => {
    const bad = { name: 1, description: 1, image: 1, quantity: 0, type: 'secret', price: 'secret' };
    const errors = errorsOf(hosted({ items: Array(100).fill(bad) }));
    expect(Object.keys(errors)).toHaveLength(600);
    expect(JSON.stringify(errors)).not.toContain('secret');
  });
});
