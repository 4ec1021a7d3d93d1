import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { openApiDocument } from '../../scripts/openapi/document.ts';
import { shownBody } from '../support/documents/markdown.ts';
import {
  EXPRESS_BODY,
  express,
  type Fields,
  HOSTED_BODY,
  hosted,
  ITEM,
  SANDBOX,
} from './validation-fixture.ts';

/**
 * Goal: a program that validates by the OpenAPI document, with a validator as it comes, accepts what
 * the gateway accepts and what a later gateway may answer. Generated clients: `npm run lab -- wire`.
 */

const { paths, components } = openApiDocument('1.0.0');
const { schemas } = components;
const ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: false });
ajv.addSchema({ $id: 'api', components: { schemas } });

const validator = (place: string) => ajv.compile({ $ref: `api#/components/schemas/${place}` });

const CHEAPEST_MINOR = 100;
const DEAREST_MINOR = 99_999;

test.each([
  'HostedPaymentRequest/properties/amount',
  'ExpressPaymentRequest/properties/amount',
  'HostedPaymentRequest/properties/items/items/properties/price',
  'HostedPaymentRequest/properties/splitPayment/items/properties/amount',
])('every price from 1.00 to 999.99 validates as %s', (place) => {
  const isValid = validator(place);
  const refused: number[] = [];
  for (let minor = CHEAPEST_MINOR; minor <= DEAREST_MINOR; minor += 1) {
    const price = JSON.parse(`${Math.floor(minor / 100)}.${String(minor % 100).padStart(2, '0')}`);
    if (!isValid(price)) {
      refused.push(price);
    }
  }
  expect(refused).toEqual([]);
  expect(isValid(0)).toBe(false);
});

const CUSTOMER = { customerInfo: { phone: '' } };

/** What the gateway takes, and a pattern, a length or a format could refuse. */
const TAKEN: readonly (readonly [string, 'hosted' | 'express', Fields])[] = [
  ['an empty phone of a customer', 'hosted', CUSTOMER],
  ['an empty phone of a customer', 'express', CUSTOMER],
  ['an empty paymentLinkUniqueId', 'hosted', { paymentLinkUniqueId: '' }],
  ['an empty debitAccount', 'express', { debitAccount: '' }],
  ['an empty phoneNumber', 'express', { phoneNumber: '', customerInfo: { phone: '0711223344' } }],
  ['no testMode, in production', 'express', {}],
  ['brackets in a query', 'hosted', { returnUrl: 'https://shop.example/done?cart[]=7' }],
  ['Amharic in a path', 'hosted', { returnUrl: 'https://shop.example/ምስጋና' }],
  ['Amharic in a path', 'hosted', { callbackUrl: 'https://shop.example/ምስጋና' }],
  ['a URL in capitals', 'hosted', { returnUrl: 'HTTPS://SHOP.EXAMPLE/DONE' }],
  [
    'a picture of an item',
    'hosted',
    { items: [{ ...ITEM, image: 'https://a.example/{7}' }], amount: 10 },
  ],
];

test.each(TAKEN)('allows %s in a %s request, as the gateway does', (_what, kind, changes) => {
  const [base, check, name] =
    kind === 'hosted'
      ? ([HOSTED_BODY, hosted, 'HostedPaymentRequest'] as const)
      : ([EXPRESS_BODY, express, 'ExpressPaymentRequest'] as const);
  expect(check(changes)).toMatchObject({ ok: true });
  const validate = validator(name);
  expect(validate({ ...base, ...changes }) ? [] : validate.errors).toEqual([]);
});

/** What the gateway refuses, and the document can say. */
const REFUSED: readonly (readonly [string, Fields])[] = [
  ['a phone of eight digits', { customerInfo: { phone: '91234567' } }],
  ['an empty callbackUrl', { callbackUrl: '' }],
  ['a callbackUrl with a user', { callbackUrl: 'https://u:p@shop.example/' }],
  ['a returnUrl without a host', { returnUrl: 'https:///done' }],
  ['a method that is not one', { methods: ['CASH'] }],
];

test.each(REFUSED)('forbids %s, as the gateway does', (_what, changes) => {
  expect(hosted(changes, SANDBOX)).toMatchObject({ ok: false });
  expect(validator('HostedPaymentRequest')({ ...HOSTED_BODY, ...changes })).toBe(false);
});

describe('a value that is added later', () => {
  const LATER = 'ADDED_LATER';

  test.each([
    'ErrorCode',
    'Error/properties/validationErrorCodes/additionalProperties',
    'Payment/properties/reason',
    'Payment/properties/paymentMethodTypes/items',
    'Payment/properties/anomalies/items/properties/type',
    'Refund/properties/failureReason',
    'Refund/properties/actionReason',
    'ExpressResult/properties/failureReason',
    'Event/properties/type',
    'Event/properties/deliveries/items/properties/state',
    'Webhook/properties/webHookEvent',
    'Webhook/properties/status',
    'WebhookEndpoint/properties/eventTypes/items',
  ])('is valid as %s', (place) => {
    expect(validator(place)(LATER)).toBe(true);
    expect(validator(place)(1)).toBe(false);
  });

  test('is not valid as a status of a payment or refund: their lists are complete', () => {
    expect(validator('Payment/properties/status')(LATER)).toBe(false);
    expect(validator('Refund/properties/status')(LATER)).toBe(false);
  });
});

const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
const BODIES = operations.flatMap(({ summary, requestBody }) => {
  const ref = requestBody?.content['application/json']?.schema.$ref;
  return ref === undefined ? [] : [[summary, ref.split('/').at(-1) ?? ''] as const];
});

test.each(BODIES)('docs/reference.md shows a valid body to "%s"', (summary, name) => {
  expect(validator(name)(shownBody(summary))).toBe(true);
});

const ANSWERS = operations.flatMap(({ summary, responses }) => {
  const { schema, example } = responses[200].content['application/json'] ?? {};
  return schema === undefined ? [] : [{ summary, schema, example }];
});

test.each(ANSWERS)('shows a valid answer to "$summary"', ({ schema, example }) => {
  const validate = ajv.compile({ ...schema, components: { schemas } });
  expect(validate(example) ? [] : validate.errors).toEqual([]);
});
