import SwaggerParser from '@apidevtools/swagger-parser';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { openApiDocument } from '../../../scripts/openapi/document.ts';
import type { JsonSchema } from '../../../scripts/openapi/json-schema.ts';
import { shownBody } from '../../support/documents/markdown.ts';
import {
  EXPRESS_BODY,
  express,
  type Fields,
  HOSTED_BODY,
  hosted,
  ITEM,
  SANDBOX,
} from '../api/validation-fixture.ts';

/**
 * Goal: a program that validates by the OpenAPI document, with a validator as it comes, accepts what
 * the gateway accepts and what a later gateway may answer. Generated clients: `npm run lab -- wire`.
 */

const document = openApiDocument('1.0.0');
const { paths, components } = document;
const schemas: Readonly<Record<string, JsonSchema>> = components.schemas;
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

test('swagger-parser accepts the document, which is stricter than the validator of npm run check', async () => {
  const copy: unknown = structuredClone(document);
  const parsed = await SwaggerParser.validate(copy as Parameters<typeof SwaggerParser.validate>[0]);
  expect(parsed).toMatchObject({ openapi: '3.1.1' });
});

/** How openapi-generator maps an integer to Java; C#, Kotlin and Swift have the same two widths. */
const JAVA: Readonly<Record<string, { readonly type: string; readonly bits: bigint }>> = {
  none: { type: 'Integer', bits: 31n },
  int32: { type: 'Integer', bits: 31n },
  int64: { type: 'Long', bits: 63n },
};

const SPEC_INT32 = ['status', 'quantity'];

describe('a generator that maps integers by format', () => {
  const found = [...integersIn(document, '')];

  test('makes 32 bits only of what the published interface has in 32 bits', () => {
    const int32 = found.filter(({ format }) => JAVA[format ?? 'none']?.type === 'Integer');
    expect(new Set(int32.map(({ name }) => name))).toEqual(new Set(SPEC_INT32));
    expect(found.length).toBeGreaterThan(int32.length);
  });

  test.each(ANSWERS)(
    'has room for each number of the answer to "$summary"',
    ({ schema, example }) => {
      for (const [place, value, format] of numbersIn(schema, example, '')) {
        const { bits } = JAVA[format ?? 'none'] ?? { bits: 0n };
        expect([place, BigInt(value) < 2n ** bits]).toEqual([place, true]);
      }
    },
  );

  test('has room for the id of a payment', () => {
    const { paymentIntentId } = schemas.Payment?.properties ?? {};
    const { bits } = JAVA[paymentIntentId?.format ?? 'none'] ?? { bits: 0n };
    expect(8_613_261_458_257_505n < 2n ** bits).toBe(true);
  });
});

interface Found {
  readonly name: string;
  readonly format: string | undefined;
}

/** Every schema of an integer, by the name of its property. */
function* integersIn(value: unknown, name: string): Generator<Found> {
  if (typeof value !== 'object' || value === null) {
    return;
  }
  const { type, format } = value as JsonSchema;
  if ([type].flat().includes('integer')) {
    yield { name, format };
  }
  for (const [key, member] of Object.entries(value)) {
    yield* integersIn(member, key);
  }
}

/** The integers of an answer, each with the format of its schema. */
function* numbersIn(
  schema: JsonSchema,
  value: unknown,
  place: string,
): Generator<readonly [string, number, string | undefined]> {
  const { $ref, properties = {}, items, anyOf = [] } = schema;
  if ($ref !== undefined) {
    yield* numbersIn(schemas[$ref.split('/').at(-1) ?? ''] ?? {}, value, place);
  }
  if ([schema.type].flat().includes('integer') && typeof value === 'number') {
    yield [place, value, schema.format];
  }
  for (const choice of anyOf) {
    yield* numbersIn(choice, value, place);
  }
  if (Array.isArray(value)) {
    for (const item of value) {
      yield* numbersIn(items ?? {}, item, `${place}[]`);
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      yield* numbersIn(properties[name] ?? {}, member, `${place}.${name}`);
    }
  }
}

test.each(BODIES)('has the example of docs/reference.md for the body of "%s"', (summary) => {
  const { requestBody } = operations.find((operation) => operation.summary === summary) ?? {};
  expect(requestBody?.content['application/json']?.example).toEqual(shownBody(summary));
});
