import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeEach, expect, test } from 'vitest';
import { answerCall } from '../../src/control/rpc/answer.ts';
import { AREAS } from '../../src/control/rpc/areas.ts';
import { ARGUMENTS } from '../../src/control/rpc/arguments/index.ts';
import type { Tenant } from '../../src/kit/tenant.ts';
import { answer } from '../../src/lists/book/questions.ts';
import type { PaymentFilter } from '../../src/lists/book/rows.ts';
import { FIELDS, interfaceCalls } from '../support/interface-calls.ts';
import { bookStub } from '../workers/support/book.ts';
import {
  ALPHA,
  BETA,
  consumeAll,
  createHosted,
  intentOf,
  tenantOf,
  useGateway,
} from '../workers/support.ts';
import { databaseRows } from './storage.ts';

/**
 * Goal: no argument of the interface becomes a part of a statement, and none of a wrong form reaches a
 * function (docs/decisions.md#53). Method: each function gets arguments that fit, with one value
 * replaced by a value of another type, by SQL, or by another tenant.
 */

const caught = useGateway();

const TENANT = tenantOf(ALPHA);
const REFUSED = 'Error: the arguments do not fit the function of the interface';

beforeEach(async () => {
  await createHosted({ paymentIntentUniqueId: 'order-1' });
  await consumeAll(caught);
});

async function outcomeOf(area: string, name: string, args: readonly unknown[]): Promise<string> {
  const ctx = { waitUntil: () => undefined };
  // RPC carries structured clones.
  const asked = answerCall(env, ctx, [area, name], structuredClone(args));
  return JSON.stringify(await asked.catch(String));
}

/** The calls of each area. */
const AREA_CALLS = Object.entries(interfaceCalls(TENANT, 'order-1')).map(
  ([area, calls]) => [area, Object.entries<readonly unknown[]>(calls)] as const,
);

type Replace = (value: unknown) => readonly unknown[];

/** Copies of a value, in each of which one value within it, or the whole, is replaced. */
function variants(value: unknown, replace: Replace): readonly unknown[] {
  const within =
    typeof value !== 'object' || value === null
      ? []
      : Array.isArray(value)
        ? inArguments(value, replace)
        : Object.entries(value).flatMap(([key, one]) =>
            variants(one, replace).map((other) => ({ ...value, [key]: other })),
          );
  return [...replace(value), ...within];
}

function inArguments(args: readonly unknown[], replace: Replace): readonly (readonly unknown[])[] {
  return args.flatMap((arg, index) =>
    arg === FIELDS ? [] : variants(arg, replace).map((other) => args.with(index, other)),
  );
}

test('each function has schemas, and each schema a function', async () => {
  for (const [area, load] of Object.entries(AREAS)) {
    const schemas = Object.keys(ARGUMENTS[area as keyof typeof AREAS]);
    expect(Object.keys(await load()).sort()).toEqual(schemas.sort());
  }
});

const LONG = 'x'.repeat(40_000);
const WRONG: Readonly<Record<string, readonly unknown[]>> = {
  string: [1, true, [], {}, LONG],
  number: ['1', true, [], {}, Number.NaN, 0.5, Number.POSITIVE_INFINITY],
  boolean: ['', 1, [], {}, null],
  undefined: ['x', true, {}],
};

/** Values of every other type, and an object with one member more. */
function wrongFor(value: unknown): readonly unknown[] {
  if (typeof value !== 'object') {
    return WRONG[typeof value] ?? [];
  }
  if (value === null) {
    return [1, true, {}];
  }
  return Array.isArray(value)
    ? ['x', 1, true, {}, Array(2_001).fill(null)]
    : ['x', 1, true, [], [[]], { ...value, unknown: { more: [] } }];
}

test.each(AREA_CALLS)('%s refuses what is of another type, and changes nothing', async (...of) => {
  const [area, calls] = of;
  const before = await databaseRows();
  for (const [name, args] of calls) {
    const missing = args.length === 0 ? [] : [args.slice(1)];
    for (const wrong of [
      ...inArguments(args, wrongFor),
      ...missing,
      [...args, 'one too many'],
      'x',
      {},
      null,
    ]) {
      const outcome = await outcomeOf(area, name, wrong as readonly unknown[]);
      expect([name, wrong, outcome]).toEqual([name, wrong, JSON.stringify(REFUSED)]);
    }
  }
  expect(await databaseRows()).toEqual(before);
});

const SQL = [`x' OR '1'='1`, `'; CREATE TABLE stolen (x); --`, `") UNION SELECT 1 --`];

const sqlFor: Replace = (value) => (typeof value === 'string' ? SQL : []);

async function tables(): Promise<readonly string[]> {
  const ofBook = await runInDurableObject(bookStub(TENANT), (_book, { storage }) =>
    storage.sql.exec<{ name: string }>('SELECT name FROM sqlite_master').toArray(),
  );
  return [...Object.keys(await databaseRows()), ...ofBook.map(({ name }) => name)];
}

test.each(AREA_CALLS)('%s runs no text of its caller as SQL', async (area, calls) => {
  const before = await tables();
  for (const [name, args] of calls) {
    for (const hostile of inArguments(args, sqlFor)) {
      const outcome = await outcomeOf(area, name, hostile);
      expect(outcome, name).not.toMatch(/syntax error|near \\"/);
    }
  }
  expect(await tables()).toEqual(before);
});

test.each(SQL)('a book finds nothing by a status or a method that is SQL: %s', async (text) => {
  const start = { isAscending: false, after: null, includesPlace: false };
  const { answered, before, after } = await runInDurableObject(
    bookStub(TENANT),
    (_book, { storage }) => {
      const tablesOf = () => storage.sql.exec('SELECT name FROM sqlite_master').toArray();
      const filters = [
        { status: text },
        { method: text },
        { status: text, amountMinorMin: 1 },
        { method: text, amountMinorMin: 1 },
      ];
      const namesBefore = tablesOf();
      const found = filters.map((filter) =>
        answer(storage.sql, 'payments', [filter as PaymentFilter, start, 10, false]),
      );
      return { answered: found, before: namesBefore, after: tablesOf() };
    },
  );
  expect(answered.map(({ rows }) => rows)).toEqual([[], [], [], []]);
  expect(after).toEqual(before);
});

test('answers about one tenant have nothing of another', async () => {
  const calls = Object.entries(interfaceCalls(tenantOf(BETA), 'order-1')).flatMap(
    ([area, ofArea]) => Object.entries(ofArea).map(([name, args]) => [area, name, args] as const),
  );
  const before = await intentOf('order-1');
  const ofTenant = calls.filter(
    ([, , [tenant]]) => (tenant as Partial<Tenant> | undefined)?.merchantId === BETA.id,
  );
  expect(ofTenant.length).toBeGreaterThan(30);
  for (const [area, name, args] of ofTenant) {
    const outcome = await outcomeOf(area, name, args);
    expect([name, outcome.includes(ALPHA.id), outcome.includes(ALPHA.name)]).toEqual([
      name,
      false,
      false,
    ]);
  }
  expect(await intentOf('order-1')).toEqual(before);
});
