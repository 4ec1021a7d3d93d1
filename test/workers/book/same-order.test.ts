import { evictAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, test } from 'vitest';
import type { ProjectionMessage, ProjectionRow } from '../../../src/engine/intent/book-message.ts';
import { bookOf } from '../../../src/lists/book/client.ts';
import { readerOf } from '../../../src/lists/book/reader.ts';
import { IDS_PER_MS } from '../../../src/lists/book/schema.ts';
import { applyToBook, bookSql, bookStub, rowsWrittenBy, withoutBackup } from '../support/book.ts';
import { ALPHA, advance, DAY_MS, tenantOf, useGateway } from '../support.ts';
import { applyAll, projectedRefund, projectionMessage } from './fixture.ts';

/**
 * Goal: a book finds two paid payments that may be one order, whatever the order of the messages, and
 * payments that do not match cost nothing. Method: messages of the fixture at a real book, and its
 * list as the dashboard asks for it.
 */

useGateway();
const tenant = tenantOf(ALPHA);

/** Payment `number`, paid with a phone in that second, unless changed. */
function paid(
  number: number,
  uniqueId: string,
  changes: Partial<ProjectionRow> = {},
  rest: Partial<ProjectionMessage> = {},
): ProjectionMessage {
  return projectionMessage(
    tenant,
    number,
    { uniqueId, status: 'succeeded', method: 'TELE_BIRR', ...changes },
    { intentVersion: 2, searchKeys: ['phone:Customer'], ...rest },
  );
}

/** The other tries of each listed payment, by its id. */
async function listed() {
  const reader = await readerOf(env, tenant);
  const { rows } = await reader.listed({}, null, 50);
  return Object.fromEntries(
    rows.map(({ uniqueId, sameOrder }) => [uniqueId, sameOrder?.map((other) => other.uniqueId)]),
  );
}

const pairs = () => bookSql('SELECT * FROM same_order');

const FIRST = paid(10, '1042_1');
const SECOND = paid(20, '1042_2');
const PAIR = { '1042_1': ['1042_2'], '1042_2': ['1042_1'] };

describe('one order, paid twice', () => {
  const open = projectionMessage(tenant, 10, { uniqueId: '1042_1' });
  test.each<[string, readonly ProjectionMessage[]]>([
    ['in order', [open, FIRST, SECOND]],
    ['in the reverse order', [SECOND, FIRST]],
    ['late', [SECOND, FIRST, open]],
    ['repeatedly', [FIRST, SECOND, FIRST, SECOND, FIRST]],
  ])('is found once when messages come %s', async (_name, messages) => {
    await applyAll(messages);
    expect(await listed()).toEqual(PAIR);
    expect(await pairs()).toHaveLength(2);
  });

  test('is found by a search', async () => {
    await applyAll([FIRST, SECOND]);
    const reader = await readerOf(env, tenant);
    const hits = await reader.found('1042_2');
    const other = { uniqueId: '1042_1', paidAtMs: 10_000, refundedMinor: 0, openRefunds: 0 };
    expect(hits.map(({ sameOrder }) => sameOrder)).toEqual([[other]]);
  });

  test('pairs three tries, and one without a counter', async () => {
    await applyAll([paid(30, '1042-3'), paid(10, '1042'), paid(20, '1042-2')]);
    expect(await listed()).toEqual({
      '1042': ['1042-2', '1042-3'],
      '1042-2': ['1042', '1042-3'],
      '1042-3': ['1042', '1042-2'],
    });
  });

  test('keeps its note when one is refunded, and the note says so', async () => {
    await applyAll([FIRST, SECOND]);
    const refund = projectedRefund({ transactionId: 'T-20' });
    await applyToBook(
      paid(20, '1042_2', { refundedMinor: 100 }, { intentVersion: 3, refunds: [refund] }),
    );
    const { rows } = await (await readerOf(env, tenant)).listed({}, null, 50);
    expect(rows.map(({ refundedMinor, sameOrder }) => [refundedMinor, sameOrder])).toEqual([
      [100, [{ uniqueId: '1042_1', paidAtMs: 10_000, refundedMinor: 0, openRefunds: 0 }]],
      [0, [{ uniqueId: '1042_2', paidAtMs: 20_000, refundedMinor: 100, openRefunds: 0 }]],
    ]);
  });

  test('is found when a phone becomes known after the payment', async () => {
    await applyAll([{ ...FIRST, searchKeys: [] }, SECOND]);
    expect(await pairs()).toEqual([]);
    await applyToBook({ ...FIRST, intentVersion: 3 });
    expect(await listed()).toEqual(PAIR);
  });

  test('is found at the edge of a day, by any phone that both have', async () => {
    const keys = ['phone:Wallet', 'phone:Customer', 'name:almaz'];
    await applyAll([
      FIRST,
      paid(20, '1042_2', { endedAtMs: 10_000 + DAY_MS }, { searchKeys: keys }),
    ]);
    expect(await listed()).toEqual(PAIR);
  });
});

test.each<[string, Partial<ProjectionRow>, Partial<ProjectionMessage>?]>([
  ['an order in a row', { uniqueId: 'order-1043' }],
  ['another order', { uniqueId: '1043_2' }],
  ['another amount', { amountMinor: 101 }],
  ['another currency', { currency: 'USD' }],
  ['a payment after more than a day', { endedAtMs: 10_001 + DAY_MS }],
  ['an unpaid payment', { status: 'failed' }],
  ['an open payment', { status: 'open', endedAtMs: null }],
  ['another phone', {}, { searchKeys: ['phone:Other'] }],
  ['an id that differs in case', { uniqueId: 'WC-1042_2' }],
  ['another phone of a person of the same name', {}, { searchKeys: ['phone:Other', 'name:almaz'] }],
  ['no phone', {}, { searchKeys: [] }],
  ['only the end of the phone', {}, { searchKeys: ['phone-end:Customer'] }],
])('%s is no pair', async (_name, changes, rest = {}) => {
  await applyAll([
    paid(10, '1042_1', {}, { searchKeys: ['phone:Customer', 'name:almaz'] }),
    paid(30, 'wc-1042_1'),
    paid(40, 'order-1042'),
    paid(20, '1042_2', changes, rest),
  ]);
  expect(await pairs()).toEqual([]);
});

test('writes two rows for a pair, none for other payments, and none again', async () => {
  await applyToBook(paid(1, 'order-1'));
  const plain = await rowsWrittenBy(paid(2, 'order-1041'));
  expect(await rowsWrittenBy(paid(3, 'order-1042'))).toEqual(plain);
  expect(await rowsWrittenBy(FIRST)).toEqual(plain);
  const { rows } = await rowsWrittenBy(SECOND);
  expect(rows).toBe(plain.rows + 2);
  expect((await rowsWrittenBy(SECOND)).rows).toBe(0);
});

test('reads no row of another payment of the same phone', async () => {
  await applyAll(Array.from({ length: 200 }, (_, index) => paid(index + 1, `order-${index + 1}`)));
  const readRows = await runInDurableObject(bookStub(), async (book, { storage }) => {
    const exec = storage.sql.exec.bind(storage.sql);
    const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
    storage.sql.exec = (query: string, ...params: unknown[]) => {
      const cursor = exec(query, ...params);
      if (query.includes('payment_search MATCH')) {
        cursors.push(cursor);
      }
      return cursor as never;
    };
    await book.apply(paid(1_000, 'order-1000'));
    await book.apply(paid(1_001, 'order-1000_1'));
    storage.sql.exec = exec;
    return cursors.map(({ rowsRead }) => rowsRead);
  });
  expect(readRows).toHaveLength(2);
  // Those of the index, and the payment that is found.
  expect(Math.max(...readRows)).toBeLessThan(10);
});

test('a lost book finds the pair again when its payments are sent again', async () => {
  await applyAll([FIRST, SECOND]);
  await runInDurableObject(bookStub(), (_book, { storage }) => storage.deleteAll());
  // The object remembers whose book it was.
  await evictAllDurableObjects();
  await applyAll([SECOND, FIRST]);
  expect(await listed()).toEqual(PAIR);
});

test('an erasure of one payment removes the pair for both, and no message brings it back', async () => {
  await applyAll([FIRST, SECOND, paid(30, '1042_3')]);
  const { row } = FIRST;
  await bookOf(env, tenant, 0).erase(row.createdAtMs * IDS_PER_MS, row.uniqueId);
  const left = { '1042_1': undefined, '1042_2': ['1042_3'], '1042_3': ['1042_2'] };
  expect(await listed()).toEqual(left);
  await applyAll([
    { ...FIRST, intentVersion: 9 },
    { ...SECOND, intentVersion: 9 },
  ]);
  expect(await listed()).toEqual(left);
});

test('the purge removes the pair with the personal data', async () => {
  withoutBackup();
  const nowMs = Date.now();
  const at = { createdAtMs: nowMs, endedAtMs: nowMs, updatedAtMs: nowMs };
  await applyAll([paid(10, '1042_1', at), paid(20, '1042_2', at)]);
  expect(await pairs()).toHaveLength(2);
  advance(401 * DAY_MS);
  await runDurableObjectAlarm(bookStub());
  expect(await pairs()).toEqual([]);
});
