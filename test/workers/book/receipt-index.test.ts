import { evictAllDurableObjects, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, expect, test, vi } from 'vitest';
import { ReceiptIndex } from '../../../src/index.ts';
import { bookOf } from '../../../src/lists/book/client.ts';
import { BookReceipts } from '../../../src/lists/book/receipts.ts';
import { paymentsWithReceipts } from '../../../src/lists/receipts/find.ts';
import { plantedError } from '../../support/output/planted.ts';
import { content, operateApi, project } from '../operator/support.ts';
import { applyToBook, bookSql, bookStub, fireBookAlarm, withoutBackup } from '../support/book.ts';
import { abortObjects, logged, reachedShardStubs } from '../support/gateway.ts';
import { fireIndexAlarms, indexedRows } from '../support/receipts.ts';
import {
  ALPHA,
  advance,
  BETA,
  clientOf,
  createHosted,
  DAY_MS,
  MINUTE_MS,
  startRedirect,
  tenantOf,
  useGateway,
} from '../support.ts';
import { projectionMessage, uuidOf } from './fixture.ts';

/**
 * Goal: docs/decisions.md#72: the index has each receipt of each book, whenever a process dies or the
 * index is out of reach, and forgets it with the payment. Method: messages to books, with the shards'
 * rows; kills between the index's row and the book's.
 */

const caught = useGateway();
const tenant = tenantOf(ALPHA);

afterEach(() => {
  vi.restoreAllMocks();
});

/** A payment that is paid now, with these receipts. */
function paid(number: number, receipts: readonly string[], of = tenant, intentVersion = 3) {
  const createdAtMs = Date.now();
  return projectionMessage(
    of,
    number,
    { status: 'succeeded', createdAtMs, endedAtMs: createdAtMs, updatedAtMs: createdAtMs },
    { searchKeys: ['id:RAIL', ...receipts.map((receipt) => `receipt:${receipt}`)], intentVersion },
  );
}

async function holdersOf(...receipts: string[]): Promise<Record<string, readonly string[]>> {
  const found = await paymentsWithReceipts(env, 'sandbox', receipts);
  return Object.fromEntries(
    [...found].map(([receipt, payments]) => [
      receipt,
      payments.map(({ merchantId, uniqueId }) => `${merchantId}/${uniqueId}`).sort(),
    ]),
  );
}

/** The index is out of reach until it is repaired. */
function breakIndex() {
  const spy = vi.spyOn(env.RECEIPT_INDEX, 'get').mockImplementation(() => {
    throw Object.assign(plantedError(), { retryable: true });
  });
  return { repair: () => spy.mockRestore() };
}

const ALPHA_1 = `${ALPHA.id}/order-1`;
const BETA_1 = `${BETA.id}/order-1`;

test('a receipt leads to its payments, of all merchants of the environment', async () => {
  await applyToBook(paid(1, ['CAK1']));
  await applyToBook(paid(1, ['CAK1', 'ISSUER1'], tenantOf(BETA)));
  await applyToBook(paid(1, ['CAK2'], tenantOf(BETA, 'production')));
  expect(await holdersOf('cak-1', 'ISSUER1', 'CAK2', 'CAK3')).toEqual({
    'cak-1': [ALPHA_1, BETA_1],
    ISSUER1: [BETA_1],
  });
});

test('one row is written for a receipt, and none for a repeated or late message', async () => {
  const message = paid(1, ['CAK1']);
  const put = vi.spyOn(ReceiptIndex.prototype, 'put');
  await applyToBook({ ...message, searchKeys: [], intentVersion: 2 });
  expect(put).not.toHaveBeenCalled();
  await applyToBook(message);
  await applyToBook({ ...message, intentVersion: 4 });
  await applyToBook({ ...message, searchKeys: ['receipt:CAK9'], intentVersion: 1 });
  expect(put).toHaveBeenCalledOnce();
  await applyToBook({ ...message, searchKeys: ['receipt:CAK1', 'receipt:CAK2'], intentVersion: 5 });
  const month = `paid_${new Date().toISOString().slice(0, 7).replace('-', '_')}`;
  const row = { month, merchant_id: ALPHA.id, unique_id: 'order-1' };
  expect(await indexedRows()).toEqual([
    { ...row, key: 'receipt:CAK1' },
    { ...row, key: 'receipt:CAK2' },
  ]);
});

test('a process that dies between the row of the index and that of the book loses nothing', async () => {
  const { putNew } = BookReceipts.prototype;
  vi.spyOn(BookReceipts.prototype, 'putNew').mockImplementationOnce(async function (
    this: BookReceipts,
    brought,
  ) {
    await putNew.call(this, brought);
    throw plantedError();
  });
  const message = paid(1, ['CAK1']);
  await expect(applyToBook(message).then(() => 'confirmed', String)).resolves.toMatch('planted');
  await abortObjects();
  expect(await indexedRows()).toHaveLength(1);
  const query = "SELECT name FROM sqlite_master WHERE name = 'payment'";
  expect(await bookSql(query)).toEqual([]);
  // The payment's object sends the message again.
  expect(await applyToBook(message)).toMatchObject({ confirmed: true });
  expect(await indexedRows()).toHaveLength(1);
  expect(await bookSql('SELECT unique_id FROM payment')).toEqual([{ unique_id: 'order-1' }]);
  expect(await holdersOf('CAK1')).toEqual({ CAK1: [ALPHA_1] });
});

test.each([
  ['no interruption', async () => undefined],
  ['an eviction', () => evictAllDurableObjects()],
  ['an abort', abortObjects],
])(
  'while the index is out of reach, the book goes on, and its alarm puts the receipts: %s',
  async (_name, interrupt) => {
    withoutBackup();
    const index = breakIndex();
    const message = paid(1, ['CAK1']);
    expect(await applyToBook(message)).toMatchObject({ confirmed: true });
    expect(await applyToBook(paid(2, []))).toMatchObject({ confirmed: true });
    expect(await bookSql('SELECT COUNT(*) AS noted FROM index_later')).toEqual([{ noted: 1 }]);
    await expect(paymentsWithReceipts(env, 'sandbox', ['CAK1'])).rejects.toThrow('unreachable');
    const alarm = () => runInDurableObject(bookStub(), (_book, { storage }) => storage.getAlarm());
    expect(await alarm()).toBeLessThanOrEqual(Date.now() + MINUTE_MS);
    await interrupt();
    advance(MINUTE_MS);
    await fireBookAlarm();
    expect(logged.some((line) => line.includes('receipts_not_indexed'))).toBe(true);
    expect(await bookSql('SELECT COUNT(*) AS noted FROM index_later')).toEqual([{ noted: 1 }]);
    index.repair();
    expect(await holdersOf('CAK1')).toEqual({});
    advance(MINUTE_MS);
    await fireBookAlarm();
    expect(await holdersOf('CAK1')).toEqual({ CAK1: [ALPHA_1] });
    expect(await bookSql('SELECT COUNT(*) AS noted FROM index_later')).toEqual([{ noted: 0 }]);
  },
);

test('a receipt that comes while the alarm puts another one is not lost', async () => {
  withoutBackup();
  const index = breakIndex();
  const message = paid(1, ['CAK1']);
  await applyToBook(message);
  index.repair();
  const put = ReceiptIndex.prototype.put;
  const spy = vi.spyOn(ReceiptIndex.prototype, 'put').mockImplementationOnce(async function (
    this: ReceiptIndex,
    receipts,
  ) {
    await put.call(this, receipts);
    const searchKeys = [...message.searchKeys, 'receipt:CAK2'];
    const broken = breakIndex();
    await applyToBook({ ...message, searchKeys, intentVersion: 4 });
    broken.repair();
  });
  advance(MINUTE_MS);
  await fireBookAlarm();
  expect(spy).toHaveBeenCalledOnce();
  advance(MINUTE_MS);
  await fireBookAlarm();
  expect(await holdersOf('CAK1', 'CAK2')).toEqual({ CAK1: [ALPHA_1], CAK2: [ALPHA_1] });
});

test('a month of receipts is dropped when its payments have passed their retention', async () => {
  await applyToBook(paid(1, ['CAK1']));
  const first = await indexedRows();
  advance(40 * DAY_MS);
  await applyToBook(paid(2, ['CAK2']));
  const second = (await indexedRows()).filter(({ key }) => key === 'receipt:CAK2');
  advance(360 * DAY_MS);
  await fireIndexAlarms();
  expect(await indexedRows()).toEqual([...first, ...second]);
  advance(32 * DAY_MS);
  await fireIndexAlarms();
  expect(await indexedRows()).toEqual(second);
  // A payment on hold is rebuilt long after it was paid.
  const old = paid(1, ['CAK1']);
  await applyToBook({
    ...old,
    row: { ...old.row, number: 3, uniqueId: 'order-3', uuid: uuidOf(tenant, 3) },
    paidAtMs: Date.now() - 500 * DAY_MS,
  });
  expect(await indexedRows()).toEqual(second);
  advance(40 * DAY_MS);
  await fireIndexAlarms();
  expect(await indexedRows()).toEqual([]);
  for (const shard of reachedShardStubs()) {
    const alarm = await runInDurableObject(shard, (_index, { storage }) => storage.getAlarm());
    expect(alarm).toBeNull();
  }
});

test('an erased payment leaves the index, and only when the index answers the book', async () => {
  await applyToBook(paid(1, ['CAK1', 'CAK2']));
  await applyToBook(paid(2, ['CAK1']));
  const [row] = await bookSql<{ id: number }>("SELECT id FROM payment WHERE unique_id = 'order-1'");
  const book = bookOf(env, tenant, 0);
  const index = breakIndex();
  expect(await book.erase(row?.id ?? 0, 'order-1')).toBe(false);
  expect(await bookSql("SELECT 1 FROM payment WHERE search_keys = '[]'")).toEqual([]);
  index.repair();
  expect(await book.erase(row?.id ?? 0, 'order-1')).toBe(true);
  expect(await holdersOf('CAK1', 'CAK2')).toEqual({ CAK1: [`${ALPHA.id}/order-2`] });
  // A late message brings nothing back.
  await applyToBook(paid(1, ['CAK1', 'CAK2'], tenant, 9));
  await book.erase(row?.id ?? 0, 'order-1');
  expect(await holdersOf('CAK1', 'CAK2')).toEqual({ CAK1: [`${ALPHA.id}/order-2`] });
});

test.each([
  ['its alarm', fireBookAlarm],
  ['a rebuild', () => bookOf(env, tenant, 0).indexReceipts(0, 10)],
])(
  'an erased payment leaves the index although %s is putting its receipts',
  async (_name, putAgain) => {
    withoutBackup();
    const index = breakIndex();
    await applyToBook(paid(1, ['CAK1']));
    index.repair();
    advance(MINUTE_MS);
    let mayPut = false;
    const { put } = ReceiptIndex.prototype;
    const spy = vi.spyOn(ReceiptIndex.prototype, 'put').mockImplementationOnce(async function (
      this: ReceiptIndex,
      receipts,
    ) {
      while (!mayPut) {
        await scheduler.wait(5);
      }
      await put.call(this, receipts);
    });
    const putting = putAgain();
    await vi.waitFor(() => expect(spy).toHaveBeenCalled());
    const [row] = await bookSql<{ id: number }>('SELECT id FROM payment');
    const began = vi.spyOn(BookReceipts.prototype, 'remove');
    const removed = vi.spyOn(ReceiptIndex.prototype, 'remove');
    const erasing = bookOf(env, tenant, 0).erase(row?.id ?? 0, 'order-1');
    await vi.waitFor(() => expect(began).toHaveBeenCalled());
    // A removal that did not wait would have reached the index before this question.
    expect(await holdersOf('CAK1')).toEqual({});
    expect(removed).not.toHaveBeenCalled();
    mayPut = true;
    await putting;
    expect(await erasing).toBe(true);
    expect(await holdersOf('CAK1')).toEqual({});
    // What waits its turn puts nothing of an erased payment.
    await bookOf(env, tenant, 0).indexReceipts(0, 10);
    expect(await holdersOf('CAK1')).toEqual({});
  },
);

test('a lost index comes back with the rebuild of its books', async () => {
  for (const uniqueId of ['order-1', 'order-2']) {
    await createHosted({ paymentIntentUniqueId: uniqueId });
    const outcome = { type: 'succeeded', receipt: `CAK-${uniqueId}` } as const;
    await clientOf(uniqueId).execute([
      startRedirect('a1'),
      { type: 'resolve_attempt', attemptId: 'a1', outcome },
    ]);
  }
  await project(caught);
  const before = await indexedRows();
  expect(before).toHaveLength(2);
  for (const shard of reachedShardStubs()) {
    await runInDurableObject(shard, (_index, { storage }) => storage.deleteAll());
  }
  await abortObjects();
  expect(await indexedRows()).toEqual([]);
  const path = `/books/sandbox/${ALPHA.id}/rebuild`;
  const page = await content<{ next: string }>(operateApi(path, { limit: 1 }));
  expect(await indexedRows()).toHaveLength(1);
  await content(operateApi(path, { after: page.next }));
  expect(await indexedRows()).toEqual(before);
  expect((await clientOf().read())?.status).toBe('succeeded');
});
