import { describe, expect, test } from 'vitest';
import { lineField } from '../../../src/control/operator/fields.ts';
import { refundSchema } from '../../../src/engine/api/schema/refund.ts';
import { body, checked } from '../../../src/kit/http/strict-body.ts';
import { newEndpointSchema } from '../../../src/lists/api/schema/webhook-endpoint.ts';
import {
  codesOf,
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

/** Fields that take one of a few words, or no text at all. */
const CHOICES = /^(?:currency|methods|amount|expireIn|method$|testMode)|\.(?:type|splitType)$/;
const isFree = ([path]: readonly [string, unknown]) => !CHOICES.test(path);

/** What `slice()` leaves of an emoji, and characters that JSON readers refuse. */
const DAMAGED: readonly (readonly [name: string, text: string])[] = [
  ['the first half of a pair', 'a\ud83d'],
  ['the second half of a pair', '\ude00a'],
  ['halves in the wrong order', 'a\ude00\ud83d'],
  ['NUL', 'a\u0000b'],
  ['an escape', '\u001b[31m'],
  ['a vertical tab', 'a\u000bb'],
  ['DEL', 'a\u007f'],
];

describe.each(DAMAGED)('decisions.md#7: a text with %s', (_name, text) => {
  test.each(Object.entries(HOSTED_FIELDS).filter(isFree))('is refused in %s', (path, changes) => {
    expect(codesOf(hosted(changes(text)))).toEqual({ [path]: 'invalid_format' });
  });

  test.each(Object.entries(EXPRESS_FIELDS).filter(isFree))('is refused in %s', (path, changes) => {
    const body = { testMode: SIMULATED, ...changes(text) };
    expect(codesOf(express(body, SANDBOX))).toEqual({ [path]: 'invalid_format' });
  });

  const ids = { paymentIntentUniqueId: 'order-1', refundUniqueId: 'refund-1' };
  const url = 'https://shop.example.com/';
  test.each([
    ['reason', refundSchema, { ...ids, reason: text }],
    ['refundUniqueId', refundSchema, { ...ids, refundUniqueId: text }],
    ['transactionId', refundSchema, { ...ids, transactionId: text }],
    ['description', newEndpointSchema, { url, description: text }],
    ['url', newEndpointSchema, { url: url + text }],
    ['signatureHeader', newEndpointSchema, { url, signatureHeader: text }],
    ['note', body({ note: lineField(500) }), { note: text }],
  ])('is refused in %s of other requests', (path, schema, value) => {
    expect(() => checked(schema, value)).toThrow(
      expect.objectContaining({
        validationErrors: { [path]: expect.stringMatching(/^invalid_format: /) },
      }),
    );
  });

  test('is readable where an answer repeats it as the name of a field', () => {
    const { warnings } = hosted({ [text]: 1, customerInfo: { [text]: 1 } });
    expect(warnings).toHaveLength(2);
    expect(warnings.map((warning) => JSON.parse(JSON.stringify(warning)))).toEqual(
      warnings.map(() => expect.stringContaining('\ufffd')),
    );
    expect(warnings.join()).not.toContain(text);
    expect(() => checked(refundSchema, { ...ids, [text]: 1 })).toThrow(
      expect.objectContaining({
        validationErrors: { [text.replaceAll(/[^ab31m[]/g, '\ufffd')]: expect.anything() },
      }),
    );
  });
});

test('decisions.md#7: texts keep whole emoji, tabs, line breaks and other scripts', () => {
  const text = '\t☕ 😀 ቡና\r\n\u0096 Buna';
  expect(errorsOf(express({ description: text }))).toEqual({});
  expect(errorsOf(hosted({ amount: 20, items: [{ ...ITEM, name: text }] }))).toEqual({});
  expect(errorsOf(hosted({ metadata: { note: text } }))).toEqual({});
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
