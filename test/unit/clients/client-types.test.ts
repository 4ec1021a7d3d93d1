import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonSchema } from '../../../scripts/openapi/json-schema.ts';
import { PROJECT_DIRECTORY } from '../../../scripts/project/files.ts';

/**
 * Goal: type checkers know the arrays of the PHP client and the dictionaries of the Python client as
 * the API has them. Method: read the declarations and compare their members with public/openapi.json.
 */

interface Member {
  readonly isRequired: boolean;
  readonly isNullable: boolean;
}

type Members = Readonly<Record<string, Member>>;

const read = (path: string) => readFileSync(join(PROJECT_DIRECTORY, path), 'utf8');
const openApi = JSON.parse(read('public/openapi.json'));
const schemas: Readonly<Record<string, JsonSchema>> = openApi.components.schemas;
const php = read('clients/php/Kefel.php');
const python = read('clients/python/kefel.py');

/** The shapes of `@phpstan-type` in the docblocks. */
const SHAPES = declarations(
  php.matchAll(/@phpstan-type (\w+) array\{\n(.*?)\n \* \}/gs),
  / {5}(\w+)(\??): (.*)/g,
  ({ mark, type }) => ({ isRequired: mark === '', isNullable: /\|null,?$/.test(type) }),
);

/** The classes of `TypedDict`. A long type takes several lines. */
const DICTIONARIES = declarations(
  python.matchAll(/^class (\w+)\(TypedDict.*?:\n(.*?)\n\n\n/gms),
  /^ {4}(\w+)()?: (.*(?:\n {8}.*|\n {4}\].*)*)/gm,
  ({ type }) => ({
    isRequired: !type.startsWith('NotRequired['),
    isNullable: /\| None\]?$/.test(type),
  }),
);

function declarations(
  found: Iterable<RegExpExecArray>,
  member: RegExp,
  memberOf: (text: { mark: string; type: string }) => Member,
): Readonly<Record<string, Members>> {
  const entries = [...found].map(([, name = '', body = '']) => {
    const members = [...body.matchAll(member)].map(([, key = '', mark = '', type = '']) => [
      key,
      memberOf({ mark, type }),
    ]);
    return [name, Object.fromEntries(members)];
  });
  return Object.fromEntries(entries);
}

function expectedMembers({ properties = {}, required = [] }: JsonSchema): Members {
  const members = Object.entries(properties).map(([name, schema]) => [
    name,
    { isRequired: required.includes(name), isNullable: isNullable(schema) },
  ]);
  return Object.fromEntries(members);
}

function isNullable({ type, anyOf = [] }: JsonSchema): boolean {
  return [type].flat().includes('null') || anyOf.some(isNullable);
}

/** The names of the query's parameters, by the object of filters. */
const FILTERS: Readonly<Record<string, readonly string[]>> = {
  PaymentFilter: queryOf('/intents'),
  RefundFilter: queryOf('/refunds'),
  EventFilter: queryOf('/events'),
  PaymentLinkFilter: queryOf('/links'),
};

function queryOf(path: string): readonly string[] {
  return openApi.paths[path].get.parameters.map(({ name }: { name: string }) => name);
}

/** What the clients take or return as values, or throw. */
const NO_OBJECTS = ['Error', 'ErrorCode', 'NewWebhookSecret', 'ResendEventsRequest', 'Webhook'];

const OBJECTS = Object.entries(schemas).filter(([name]) => !NO_OBJECTS.includes(name));

describe.each([
  ['PHP', SHAPES, (name: string) => name],
  ['Python', DICTIONARIES, snake],
] as const)('the objects of the client for %s', (_language, declared, nameOf) => {
  test.each(OBJECTS)('have the members of %s', (name, schema) => {
    expect(declared[name]).toEqual(expectedMembers(schema));
  });

  test.each(Object.entries(FILTERS))('have the filters of %s', (name, filters) => {
    expect(Object.keys(declared[name] ?? {})).toEqual(filters.map(nameOf));
  });

  test('that are in others have their members', () => {
    for (const [inner, schema] of [
      ['Item', schemas.HostedPaymentRequest?.properties?.items?.items],
      ['SplitPayment', schemas.ExpressPaymentRequest?.properties?.splitPayment?.items],
      ['Transaction', schemas.Payment?.properties?.transaction],
      ['Delivery', schemas.Event?.properties?.deliveries?.items],
    ] as const) {
      expect([inner, declared[inner]]).toEqual([inner, expectedMembers(schema ?? {})]);
    }
  });

  test('that the client adds extend those of the API', () => {
    const details = {
      isReplayed: { isRequired: true, isNullable: false },
      warnings: { isRequired: true, isNullable: false },
    };
    expect(declared.CreatedRefund).toEqual({ ...declared.Refund, ...details });
    expect(declared.ExpressPayment).toEqual({ ...declared.ExpressResult, ...details });
    expect(declared.CreatedPaymentLink).toEqual({ ...declared.PaymentLink, ...details });
  });
});

test('the PHP client knows the keys of each array that it sends', () => {
  const keys = [...php.matchAll(/^ {8}'(\w+)' => \[\n(.*?)\n {8}\],$/gms)].map(
    ([, name = '', body = '']) => [name, [...body.matchAll(/'(\w+)'/g)].map(([, key]) => key)],
  );
  const requests = OBJECTS.filter(([name]) => /^New|Request$|Changes$/.test(name)).map(
    ([name, { properties = {} }]) => [name, Object.keys(properties)],
  );
  expect(Object.fromEntries(keys)).toEqual({ ...Object.fromEntries(requests), ...FILTERS });
});

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
