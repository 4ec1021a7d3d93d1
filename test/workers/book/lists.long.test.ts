import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, test } from 'vitest';
import { EXPORT_ROWS_MAX } from '../../../back-office/elements/csv.ts';
import type { IntentStatus } from '../../../src/engine/domain/intent.ts';
import type { Method } from '../../../src/engine/domain/method.ts';
import type { DeliveryStatus } from '../../../src/engine/intent/protocol.ts';
import { type Cursor, type Page, parseCursor } from '../../../src/kit/platform/paging.ts';
import type { Tenant } from '../../../src/kit/tenant.ts';
import { readerOf } from '../../../src/lists/book/reader.ts';
import type { EventFilter, PaymentFilter, PaymentRow } from '../../../src/lists/book/rows.ts';
import { ALPHA, BETA, tenantOf, useGateway } from '../support.ts';
import {
  applyAll,
  eventIdOf,
  nameOf,
  projectedEvent,
  projectionMessage,
  TENANTS,
  uuidOf,
} from './fixture.ts';

/**
 * Goal: lists contain exactly the rows that match their filter, in order, forwards and backwards,
 * of their own tenant only. Method: the same payments and events for every tenant, and each list
 * compared with the rows picked by the test.
 */

useGateway();

const PAYMENTS = 24;
const STATUSES: readonly IntentStatus[] = ['succeeded', 'failed', 'open'];
const METHODS: readonly (Method | null)[] = ['TELE_BIRR', 'CBE', null, 'M_PESA'];
const DELIVERIES: readonly DeliveryStatus[] = ['delivered', 'dead', 'waiting', 'undeliverable'];

/** Three payments share each millisecond, so the uuid decides their order. */
function createdAtMsOf(number: number): number {
  return Math.floor(number / 3) * 10;
}

function messagesOf(tenant: Tenant) {
  return Array.from({ length: PAYMENTS }, (_, number) =>
    projectionMessage(
      tenant,
      number,
      {
        status: STATUSES[number % 3] ?? 'open',
        method: METHODS[number % 4] ?? null,
        currency: number % 5 === 0 ? 'USD' : 'ETB',
        amountMinor: 100 * number,
        commissionMinor: number,
        commissionPaidByCustomer: number % 2 === 0,
        late: number === 6,
        anomalies: number === 7 ? 2 : 0,
        unresolvedAttempts: number === 8 ? 1 : 0,
        createdAtMs: createdAtMsOf(number),
      },
      {
        events: [
          projectedEvent(tenant, number, {
            createdAtMs: createdAtMsOf(number),
            deliveryStatus: DELIVERIES[number % 4] ?? 'queued',
          }),
        ],
      },
    ),
  );
}

beforeEach(() => applyAll(TENANTS.flatMap(messagesOf).toReversed()));

/** All rows of a list: page after page to the end, then back to the start; both must agree. */
async function walk<Row>(
  read: (cursor: Cursor | null) => Promise<Page<Row>>,
  limit: number,
): Promise<Row[]> {
  const pages: Page<Row>[] = [];
  for (let cursor: Cursor | null = null; ; ) {
    const page = await read(cursor);
    pages.push(page);
    expect(page.rows.length).toBeLessThanOrEqual(limit);
    if (page.nextCursor === null) {
      break;
    }
    expect(page.rows).toHaveLength(limit);
    cursor = parseCursor(page.nextCursor);
    expect(cursor).not.toBeNull();
  }
  for (let index = pages.length - 1; index > 0; index -= 1) {
    const back = await read(parseCursor(pages[index]?.previousCursor ?? ''));
    expect(back.rows).toEqual(pages[index - 1]?.rows);
    expect(back.nextCursor).not.toBeNull();
    expect(back.previousCursor === null).toBe(index === 1);
  }
  expect(pages[0]?.previousCursor).toBeNull();
  return pages.flatMap(({ rows }) => rows);
}

const FILTERS: readonly PaymentFilter[] = [
  {},
  { status: 'succeeded' },
  { method: 'CBE' },
  { status: 'failed', method: 'CBE' },
  { currency: 'USD' },
  { currency: 'ETB', status: 'open' },
  { createdFromMs: 20 },
  { createdToMs: 50 },
  { createdFromMs: 20, createdToMs: 50 },
  { createdFromMs: 20, createdToMs: 50, status: 'succeeded' },
  { amountMinorMin: 500 },
  { amountMinorMax: 1_500 },
  { amountMinorMin: 700, amountMinorMax: 700 },
  { amountMinorMin: 300, amountMinorMax: 2_000, method: 'TELE_BIRR', currency: 'ETB' },
  { status: 'canceled' },
];

function isLetThrough(filter: PaymentFilter, number: number): boolean {
  const { row } = messagesOf(tenantOf(ALPHA))[number] ?? {};
  return (
    row !== undefined &&
    (filter.status ?? row.status) === row.status &&
    (filter.method ?? row.method) === row.method &&
    (filter.currency ?? row.currency) === row.currency &&
    row.createdAtMs >= (filter.createdFromMs ?? 0) &&
    row.createdAtMs < (filter.createdToMs ?? Number.POSITIVE_INFINITY) &&
    row.amountMinor >= (filter.amountMinorMin ?? 0) &&
    row.amountMinor <= (filter.amountMinorMax ?? Number.POSITIVE_INFINITY)
  );
}

/** Numbers of the matching payments, newest first; within a millisecond by uuid. */
function numbersWhere(test: (number: number) => boolean): number[] {
  return Array.from({ length: PAYMENTS }, (_, number) => number)
    .filter(test)
    .reverse();
}

/**
 * Rows exist for all four tenants. These two differ in merchant and in environment, so a list that
 * mixes up either shows it.
 */
const READERS = [tenantOf(ALPHA), tenantOf(BETA, 'production')];

describe.each(READERS.map((tenant) => ({ tenant, name: nameOf(tenant) })))(
  '$name',
  ({ tenant }) => {
    test.each(FILTERS.map((filter) => ({ filter, name: JSON.stringify(filter) })))(
      'payments $name: exactly the matching rows, forwards and backwards',
      async ({ filter }) => {
        const expected = numbersWhere((number) => isLetThrough(filter, number));
        for (const limit of [1, 4, 100]) {
          const rows = await walk(
            async (cursor) => (await readerOf(env, tenant)).payments(filter, cursor, limit),
            limit,
          );
          expect(rows.map(({ uuid }) => uuid)).toEqual(
            expected.map((number) => uuidOf(tenant, number, createdAtMsOf(number))),
          );
          expect(rows.every((row) => nameOf(row) === nameOf(tenant))).toBe(true);
        }
      },
    );

    test('events of one payment: only its own', async () => {
      for (const filter of [{}, { deliveryStatus: 'waiting' }, { type: 'payment_succeeded' }]) {
        const wanted = { ...(filter as EventFilter), uniqueId: 'order-2' };
        const { rows } = await (await readerOf(env, tenant)).events(wanted, null, 10);
        expect(rows.map(({ eventId }) => eventId)).toEqual([eventIdOf(tenant, 2)]);
      }
      const dead = { uniqueId: 'order-2', deliveryStatus: 'dead' };
      expect((await (await readerOf(env, tenant)).events(dead, null, 10)).rows).toEqual([]);
    });

    test.each([
      {},
      { deliveryStatus: 'dead' },
      { deliveryStatus: 'delivered', fromMs: 20 },
      { fromMs: 20, toMs: 50 },
      { deliveryStatus: 'no such status' },
    ])('events %j: exactly the matching rows', async (filter) => {
      const {
        deliveryStatus,
        fromMs = 0,
        toMs = Number.POSITIVE_INFINITY,
      } = filter as {
        deliveryStatus?: string;
        fromMs?: number;
        toMs?: number;
      };
      const expected = numbersWhere((number) => {
        const atMs = createdAtMsOf(number);
        const status = DELIVERIES[number % 4];
        return (deliveryStatus ?? status) === status && atMs >= fromMs && atMs < toMs;
      });
      const rows = await walk(
        async (cursor) => (await readerOf(env, tenant)).events(filter, cursor, 4),
        4,
      );
      expect(rows.map(({ eventId }) => eventId)).toEqual(
        expected.map((number) => eventIdOf(tenant, number)),
      );
    });

    test.each([{}, { fromMs: 20 }, { toMs: 50 }, { fromMs: 20, toMs: 50 }])(
      'counts and lists the same failed events for %j',
      async (range: { fromMs?: number; toMs?: number }) => {
        const { fromMs = 0, toMs = Number.POSITIVE_INFINITY } = range;
        const expected = numbersWhere((number) => {
          const atMs = createdAtMsOf(number);
          return number % 2 === 1 && atMs >= fromMs && atMs < toMs;
        });
        const rows = await walk(
          async (cursor) => (await readerOf(env, tenant)).undelivered('failed', range, cursor, 3),
          3,
        );
        expect(rows.map(({ eventId }) => eventId)).toEqual(
          expected.map((number) => eventIdOf(tenant, number)),
        );
        expect(await (await readerOf(env, tenant)).countFailed(range)).toBe(expected.length);
      },
    );
  },
);

test('a row contains everything that a list shows', async () => {
  const tenant = tenantOf(ALPHA);
  const { rows } = await (await readerOf(env, tenant)).payments({ amountMinorMin: 600 }, null, 100);
  const expected: PaymentRow = {
    ...tenant,
    uuid: uuidOf(tenant, 6, createdAtMsOf(6)),
    number: 6,
    uniqueId: 'order-6',
    kind: 'hosted',
    status: 'succeeded',
    failureReason: null,
    late: true,
    amountMinor: 600,
    commissionMinor: 6,
    chargedMinor: 606,
    currency: 'ETB',
    method: null,
    unresolvedAttempts: 0,
    anomalies: 0,
    proposedAttempts: 0,
    createdAtMs: 20,
    updatedAtMs: 6_000,
    endedAtMs: 6_000,
    transactionId: null,
    refundedMinor: 0,
    openRefunds: 0,
    paidAtMs: 6_000,
  };
  expect(rows.at(-1)).toEqual(expected);
  // The customer does not pay a commission that the merchant bears.
  expect(rows.at(-2)).toMatchObject({ commissionMinor: 7, amountMinor: 700, chargedMinor: 700 });
});

test('a frequent amount is still listed in the order of time', async () => {
  const tenant = tenantOf(ALPHA);
  const many = Array.from({ length: 510 }, (_, number) =>
    projectionMessage(tenant, 2_000 + number, { amountMinor: 55_500 + (number % 3) }),
  );
  await applyAll(many);
  for (const [filter, expected] of [
    // More than the sort limit, and fewer.
    [{ amountMinorMin: 55_500 }, many],
    [
      { amountMinorMin: 55_501, amountMinorMax: 55_501 },
      many.filter((_, number) => number % 3 === 1),
    ],
  ] as const) {
    const rows = await walk(
      async (cursor) => (await readerOf(env, tenant)).payments(filter, cursor, 85),
      85,
    );
    expect(rows.map(({ number }) => number)).toEqual(
      expected.map(({ row }) => row.number).reverse(),
    );
  }
});

test('the events of a payment are found although a message left earlier ones out', async () => {
  const tenant = tenantOf(ALPHA);
  const at = (number: number) => projectedEvent(tenant, 500 + number, { createdAtMs: number });
  for (const [version, event] of [at(1), at(2), at(3)].entries()) {
    await applyAll([
      projectionMessage(tenant, 99, {}, { intentVersion: 2 + version, events: [event] }),
    ]);
  }
  // Overtaken by the others.
  await applyAll([projectionMessage(tenant, 99, {}, { intentVersion: 1, events: [] })]);
  const filter = { uniqueId: 'order-99' };
  const rows = await walk(
    async (cursor) => (await readerOf(env, tenant)).events(filter, cursor, 1),
    1,
  );
  expect(rows.map(({ createdAtMs }) => createdAtMs)).toEqual([3, 2, 1]);
});

test('a payment created during paging does not shift the pages', async () => {
  const tenant = tenantOf(ALPHA);
  const first = await (await readerOf(env, tenant)).payments({}, null, 10);
  await applyAll([projectionMessage(tenant, 900)]);
  const next = parseCursor(first.nextCursor ?? '');
  const second = await (await readerOf(env, tenant)).payments({}, next, 10);
  expect(second.rows.map(({ number }) => number)).toEqual([13, 12, 11, 10, 9, 8, 7, 6, 5, 4]);
});

test('a cursor of one tenant shows another tenant nothing', async () => {
  const { nextCursor } = await (await readerOf(env, tenantOf(ALPHA))).payments({}, null, 10);
  const other = tenantOf(BETA);
  const { rows } = await (await readerOf(env, other)).payments(
    {},
    parseCursor(nextCursor ?? ''),
    100,
  );
  // Payments of both tenants have the same times and ids.
  expect(rows.map((row) => [nameOf(row), row.number])).toEqual(
    numbersWhere((number) => number < 14).map((number) => [nameOf(other), number]),
  );
});

test("a cursor outside the filter's dates reads nothing outside them", async () => {
  const filter = { createdFromMs: 20, createdToMs: 50 };
  const within = numbersWhere(
    (number) => createdAtMsOf(number) >= 20 && createdAtMsOf(number) < 50,
  );
  for (const [direction, atMs, expected] of [
    ['older', 9_000, within],
    ['newer', 0, within],
    ['older', 0, []],
    ['newer', 9_000, []],
  ] as const) {
    const cursor = { direction, atMs, id: '0' };
    const { rows } = await (await readerOf(env, tenantOf(ALPHA))).payments(filter, cursor, 100);
    expect(rows.map(({ number }) => number)).toEqual(expected);
  }
});

test.each([0, -5, Number.NaN, 1.9])('treats a limit of %d as one row', async (limit) => {
  const { rows } = await (await readerOf(env, tenantOf(ALPHA))).payments({}, null, limit);
  expect(rows).toHaveLength(1);
});

test('an export contains every matching payment once, page by page', async () => {
  const tenant = tenantOf(ALPHA);
  const many = Array.from({ length: 1_010 }, (_, number) =>
    projectionMessage(tenant, 1_000 + number, { status: number % 100 === 0 ? 'failed' : 'open' }),
  );
  await applyAll(many);
  const { rows, nextCursor } = await (await readerOf(env, tenant)).exported(
    { createdFromMs: 1_000 },
    null,
  );
  expect(nextCursor).toBeNull();
  expect(rows.map(({ number }) => number)).toEqual(many.map(({ row }) => row.number).reverse());
});

test('an export stays within an isolate’s memory and queries', async () => {
  // A body of 64 KiB, nearly all of it metadata, sealed in base64.
  const sealedDetails = `d1.${'x'.repeat(85_000)}`;
  const tenant = tenantOf(ALPHA);
  const rows = 300;
  await applyAll(
    Array.from({ length: rows }, (_, number) =>
      projectionMessage(tenant, 1_000 + number, {}, { sealedDetails }),
    ),
  );
  let pages = 0;
  let largest = 0;
  let cursor: Cursor | null = null;
  do {
    const page = await (await readerOf(env, tenant)).exported({ createdFromMs: 1_000 }, cursor);
    pages += 1;
    largest = Math.max(largest, page.rows.length * sealedDetails.length);
    cursor = page.nextCursor === null ? null : parseCursor(page.nextCursor);
  } while (cursor !== null);
  // Read, decoded, decrypted, parsed and written: five times in 128 MB, beside all others.
  expect(largest).toBeLessThan(128e6 / 8);
  expect((pages / rows) * EXPORT_ROWS_MAX).toBeLessThan(900);
});

test('several volumes show one list, exact across equal times and places', async () => {
  const tenant = tenantOf(ALPHA, 'production');
  const numbers = Array.from({ length: 30 }, (_, index) => 100 + index);
  // The same uuid bits in both volumes: only the volume tells their places apart.
  const messages = numbers.flatMap((number) =>
    [0, 1].map((bookVolume) => {
      const createdAtMs = 5_000 + Math.floor(number / 3);
      const row = { uniqueId: `v${bookVolume}-${number}`, createdAtMs, status: 'failed' } as const;
      return projectionMessage(tenant, number, row, { bookVolume });
    }),
  );
  await applyAll(messages);
  const reader = await readerOf(env, { ...tenant, bookVolume: 1 });
  const expected = numbers.toReversed().flatMap((number) => [`v1-${number}`, `v0-${number}`]);
  for (const limit of [1, 7, 100]) {
    const rows = await walk(
      (cursor) => reader.payments({ createdFromMs: 5_000 }, cursor, limit),
      limit,
    );
    expect(rows.map(({ uniqueId }) => uniqueId)).toEqual(expected);
  }
  const [all, one] = [await reader.search('v1-10'), await reader.search('v0-101')];
  expect(all).toHaveLength(10);
  expect(one.map(({ uniqueId }) => uniqueId)).toEqual(['v0-101']);
  expect(await reader.findUniqueId('107')).toMatch(/^v[01]-107$/);
  const [total] = await reader.totals({ fromDay: 0, toDay: 99, method: undefined });
  expect(total).toMatchObject({ status: 'failed' });
});

test('a rare payment is found among many', async () => {
  const tenant = tenantOf(ALPHA, 'production');
  const many = Array.from({ length: 2_500 }, (_, number) =>
    projectionMessage(tenant, 10_000 + number, {
      status: 'failed',
      amountMinor: number === 3 ? 31_337 : 100,
      openRefunds: number > 0 ? 1 : 0,
    }),
  );
  await applyAll(many);
  const reader = await readerOf(env, tenant);
  const found: string[] = [];
  let cursor: Cursor | null = null;
  do {
    const page: Page<PaymentRow> = await reader.payments(
      { refunds: 'any', amountMinorMin: 31_000 },
      cursor,
      20,
    );
    found.push(...page.rows.map(({ uniqueId }) => uniqueId));
    cursor = page.nextCursor === null ? null : parseCursor(page.nextCursor);
  } while (cursor !== null);
  expect(found).toEqual(['order-10003']);
});
