import { runInDurableObject } from 'cloudflare:test';
import { describe, expect, it, test } from 'vitest';
import type {
  ProjectedRefund,
  ProjectionMessage,
  ProjectionRow,
} from '../../../src/engine/intent/book-message.ts';
import { businessDay } from '../../../src/kit/ethiopian-time.ts';
import { endSearchKey, quotedTerm } from '../../../src/lists/book/search-terms.ts';
import { applyToBook, bookRows, bookSql, bookStub, rowsWrittenBy } from '../support/book.ts';
import {
  ALPHA,
  BETA,
  clientOf,
  consume,
  createHosted,
  DAY_MS,
  merchantServer,
  payHosted,
  SECOND_MS,
  tenantOf,
  useGateway,
} from '../support.ts';
import { projectedEvent, projectedRefund, projectionMessage } from './fixture.ts';

/**
 * Goal: a book shows what the payments' objects last said in each column (docs/decisions.md#62), also
 * when messages are lost or late, and a payment costs few rows. Method: real messages and those of
 * the fixture, at a real book.
 */

const caught = useGateway();
const tenant = tenantOf(ALPHA);

/** Payment 1 as it is paid on day 2, unless changed. */
function paid(
  changes: Partial<ProjectionRow> = {},
  rest: Partial<ProjectionMessage> = {},
): ProjectionMessage {
  const row = { status: 'succeeded', method: 'TELE_BIRR', endedAtMs: 2 * DAY_MS } as const;
  return projectionMessage(tenant, 1, { ...row, ...changes }, { intentVersion: 2, ...rest });
}

async function found(key: string): Promise<string[]> {
  const rows = await bookSql<{ uuid: string }>(
    `SELECT unique_id AS uuid FROM payment_search CROSS JOIN payment
      ON payment.id = payment_search.rowid WHERE payment_search MATCH '${quotedTerm(key)}'`,
  );
  return rows.map(({ uuid }) => uuid);
}

it('has each payment after its commit', async () => {
  await createHosted();
  const statuses = () => bookSql('SELECT unique_id, version, status FROM payment');
  const row = { unique_id: 'order-1', version: 1, status: 'open' };
  await expect.poll(statuses).toEqual([row]);
  await clientOf().execute([{ type: 'cancel' }]);
  await expect.poll(statuses).toEqual([{ ...row, version: 2, status: 'canceled' }]);
});

it('writes 8 rows for a hosted paid payment with phone and names, and none again', async () => {
  merchantServer();
  await payHosted({ customerInfo: { phone: '911234567', name: 'Almaz Kebede' } });
  await expect.poll(() => caught.projections).toHaveLength(2);
  await consume('kefel-webhooks', caught.webhooks.splice(0));
  await expect.poll(() => caught.projections).toHaveLength(3);
  const messages = caught.projections.map((message) => ({ ...message, bookVolume: 1 }));
  expect(messages.at(-1)?.searchKeys).toHaveLength(5);
  // The first payment of the volume creates its tables.
  await applyToBook(projectionMessage(tenant, 9, {}, { bookVolume: 1 }));
  const written = await countRows(messages);
  // With the full-text index's own tables, which the platform does not count.
  expect(written).toEqual({ rows: 8, withFullText: 12 });
  expect(await countRows(messages)).toEqual({ rows: 0, withFullText: 0 });
});

it('writes a row more for each beneficiary of a paid payment, and for each day of its refunds', async () => {
  const message = (number: number, rest: Partial<ProjectionMessage>) =>
    projectionMessage(tenant, number, { status: 'succeeded', transactionId: 'T-1' }, rest);
  const shares = ['k1.one', 'k1.two'].map((beneficiary) => ({ beneficiary, shareMinor: 40 }));
  const refunds = [projectedRefund({ amountMinor: 10, returnedMinor: 10, updatedAtMs: DAY_MS })];
  await applyToBook(message(1, { shares }));
  const paidRows = await countRows([message(2, {})]);
  const refundRows = await countRows([message(2, { intentVersion: 2, refunds })]);
  expect((await countRows([message(3, { shares })])).rows).toBe(paidRows.rows + 2);
  const returned = { ...refunds[0], reference: 'R-2' } as ProjectedRefund;
  const withRefund = message(3, { intentVersion: 2, shares, refunds: [returned] });
  expect((await countRows([withRefund])).rows).toBe(refundRows.rows + 2);
  expect((await countRows([withRefund])).rows).toBe(0);
});

async function countRows(messages: readonly ProjectionMessage[]) {
  let sum = { rows: 0, withFullText: 0 };
  for (const message of messages) {
    const { rows, withFullText } = await rowsWrittenBy(message);
    sum = { rows: sum.rows + rows, withFullText: sum.withFullText + withFullText };
  }
  return sum;
}

describe('of several messages about one payment', () => {
  const open = projectionMessage(tenant, 1, {}, { searchKeys: ['id:LINK-1'] });
  const refund = projectedRefund({ status: 'processing', transactionId: 'T-1' });
  const event = projectedEvent(tenant, 1, { deliveryStatus: 'waiting', dueAtMs: 5 });
  const states = [
    open,
    paid({}, { events: [event] }),
    paid({}, { intentVersion: 2, events: [{ ...event, revision: 2, dueAtMs: 9 }] }),
    paid({ openRefunds: 1 }, { intentVersion: 3, refunds: [refund] }),
    paid(
      { refundedMinor: 100, transactionId: 'T-1' },
      {
        intentVersion: 4,
        searchKeys: ['id:LINK-1', 'id:RAIL-1'],
        events: [{ ...event, revision: 3, deliveryStatus: 'delivered', dueAtMs: null }],
        refunds: [{ ...refund, status: 'succeeded', updatedAtMs: 3 * DAY_MS }],
      },
    ),
  ];
  const orders: readonly (readonly number[])[] = [
    [0, 1, 2, 3, 4],
    [4, 3, 2, 1, 0],
    [0, 4, 1],
    [2, 2, 4, 4, 1, 3],
    [4],
  ];

  test.each(orders.map((order) => [order]))('the newest wins: %j', async (order) => {
    for (const index of order) {
      await applyToBook(states[index] ?? open);
    }
    expect(await bookRows()).toMatchObject({
      payment: [{ version: 4, status: 'succeeded', refunded_minor: 100, transaction_id: 'T-1' }],
      delivery: [{ revision: 3, delivery_status: 'delivered', due_at_ms: null }],
      refund: [{ status: 'succeeded' }],
    });
    expect(
      await bookSql(
        'SELECT day, payments, refunded_minor FROM payment_day WHERE payments <> 0 OR refunded_minor <> 0',
      ),
    ).toEqual([
      { day: businessDay(2 * DAY_MS), payments: 1, refunded_minor: 0 },
      { day: businessDay(3 * DAY_MS), payments: 0, refunded_minor: 100 },
    ]);
    expect(await found('id:RAIL-1')).toEqual(['order-1']);
  });
});

it('repairs a row by a message of the same version, and keeps what only grows', async () => {
  await applyToBook(
    paid({}, { searchKeys: ['id:A', 'phone:b'], sealedDetails: 'k1.a-long-sealed-text' }),
  );
  await bookSql("UPDATE payment SET status = 'open', amount_minor = 7");
  await applyToBook(paid({}, { searchKeys: ['id:C'], sealedDetails: 'k2.short' }));
  expect(await bookSql('SELECT * FROM payment')).toMatchObject([
    {
      status: 'succeeded',
      amount_minor: 100,
      search_keys: '["id:A","id:C","phone:b"]',
      sealed_details: 'k1.a-long-sealed-text',
    },
  ]);
});

it('leaves out a young event until it is tried, and confirms the message only then', async () => {
  const createdAtMs = Date.now();
  const young = projectedEvent(tenant, 1, { createdAtMs, deliveryStatus: 'queued', revision: 0 });
  const deliveries = () =>
    bookSql(`SELECT delivery_status AS status FROM delivery WHERE stream_place IS NOT NULL
      ORDER BY stream_place`);
  expect(await applyToBook(paid({}, { events: [young] }))).toMatchObject({ confirmed: false });
  expect(await deliveries()).toEqual([]);
  const tried = { ...young, deliveryStatus: 'delivered' as const, revision: 1, tries: 1 };
  expect(await applyToBook(paid({}, { intentVersion: 2, events: [tried] }))).toMatchObject({
    confirmed: true,
  });
  expect(await deliveries()).toEqual([{ status: 'delivered' }]);
  // A late message about the young event.
  expect(await applyToBook(paid({}, { events: [young] }))).toMatchObject({ confirmed: true });
  const old = {
    ...young,
    eventId: `${young.eventId.slice(0, -1)}f`,
    createdAtMs: createdAtMs - 11 * SECOND_MS,
  };
  expect(await applyToBook(paid({}, { events: [old] }))).toMatchObject({ confirmed: true });
  expect(await deliveries()).toEqual([{ status: 'delivered' }, { status: 'queued' }]);
});

it('moves the totals of a payment that is paid late, and of its attempts', async () => {
  const attempts = [{ method: 'CBE', ended: 2, succeeded: 0 }] as const;
  const totals = () =>
    bookSql(
      'SELECT day, method, status, payments, amount_minor AS amount FROM payment_day WHERE payments <> 0',
    );
  const ofAttempts = () => bookSql('SELECT day, ended FROM attempt_day WHERE ended <> 0');
  await applyToBook(paid({ status: 'expired', method: null, attempts }, { paidAtMs: null }));
  expect(await totals()).toEqual([
    { day: businessDay(2 * DAY_MS), method: '', status: 'expired', payments: 1, amount: 100 },
  ]);
  await applyToBook(paid({ late: true, attempts }, { intentVersion: 3, paidAtMs: 4 * DAY_MS }));
  const day = businessDay(4 * DAY_MS);
  expect(await totals()).toEqual([
    { day, method: 'TELE_BIRR', status: 'succeeded', payments: 1, amount: 100 },
  ]);
  expect(await ofAttempts()).toEqual([{ day, ended: 2 }]);
});

it('counts no refund of a second attempt, whose payment no total has counted', async () => {
  const refunds = [projectedRefund({ transactionId: 'T-2', updatedAtMs: 3 * DAY_MS })];
  await applyToBook(paid({ transactionId: 'T-1' }, { refunds }));
  expect(await bookSql('SELECT SUM(refunded_minor) AS refunded FROM payment_day')).toEqual([
    { refunded: 0 },
  ]);
});

it('finds an ended payment by its ids, their ends, and keys that are added after the end', async () => {
  await applyToBook(projectionMessage(tenant, 1, {}, { searchKeys: ['id:ክፈል/1'] }));
  expect(await found('id:order-1')).toEqual([]);
  await applyToBook(paid({}, { searchKeys: ['id:ክፈል/1'] }));
  await applyToBook(paid({}, { searchKeys: ['id:ክፈል/1', 'receipt:R77', 'phone:-_x'] }));
  const keys = ['id:order-1', 'id:1', 'id:ክፈል/1', 'receipt:R77', 'phone:-_x'];
  const ends = ['order-1', 'ክፈል/1', 'R77'].map(endSearchKey);
  for (const key of [...keys, ...ends]) {
    expect(await found(key), key).toEqual(['order-1']);
  }
  expect(await found('id:order')).toEqual([]);
});

it('names other payments with the same receipt, up to a limit', async () => {
  const receipts = { searchKeys: ['receipt:R77'], receiptKeys: ['receipt:R77'] };
  const other = (number: number) =>
    projectionMessage(tenant, number, { status: 'succeeded', method: 'CBE' }, receipts);
  for (let number = 1; number <= 12; number += 1) {
    await applyToBook(other(number));
  }
  const { othersWithReceipt } = await applyToBook(other(12));
  expect(othersWithReceipt).toEqual(
    [11, 10, 9, 8, 7, 6, 5, 4, 3, 2].map((number) => `order-${number}`),
  );
});

it('keeps payments of one millisecond apart, even if their random bits agree', async () => {
  const createdAtMs = Date.now();
  for (const number of [1, 1_025, 2_049]) {
    const applied = applyToBook(projectionMessage(tenant, number, { createdAtMs }));
    await expect(applied).resolves.not.toThrow();
  }
  await applyToBook(
    projectionMessage(tenant, 1_025, { createdAtMs, status: 'canceled' }, { intentVersion: 2 }),
  );
  expect(await bookSql('SELECT number, status, id / 1024 AS at FROM payment')).toEqual([
    { number: 1, status: 'open', at: createdAtMs },
    { number: 1_025, status: 'canceled', at: createdAtMs },
    { number: 2_049, status: 'open', at: createdAtMs },
  ]);
});

it.each([
  ['another merchant', projectionMessage(tenantOf(BETA), 1)],
  ['the other environment', projectionMessage(tenantOf(ALPHA, 'production'), 1)],
  ['another volume', projectionMessage(tenant, 1, {}, { bookVolume: 1 })],
])('refuses a message of %s', async (_name, foreign) => {
  const refuse = () =>
    runInDurableObject(bookStub(), (book) =>
      expect(book.apply(foreign)).rejects.toThrow('another book'),
    );
  await refuse();
  expect(await bookSql("SELECT name FROM sqlite_master WHERE name = 'book'")).toEqual([]);
  await applyToBook(projectionMessage(tenant, 1));
  await refuse();
});
