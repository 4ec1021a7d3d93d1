import { runInDurableObject } from 'cloudflare:test';
import { expect, it } from 'vitest';
import { projectionMessage } from './read-model-fixture.ts';
import { applyToBook, bookSql, bookStub, rowsWrittenBy } from './support/book.ts';
import { useGateway } from './support/gateway.ts';
import { ALPHA, BETA, tenantOf } from './support/merchants.ts';
import { clientOf } from './support/payment-object.ts';
import { createHosted } from './support.ts';

useGateway();
const tenant = tenantOf(ALPHA);

it('has each payment after its commit', async () => {
  await createHosted();
  const statuses = () => bookSql('SELECT unique_id, version, status FROM payment');
  const row = { unique_id: 'order-1', version: 1, status: 'open' };
  await expect.poll(statuses).toEqual([row]);
  await clientOf().execute([{ type: 'cancel' }]);
  await expect.poll(statuses).toEqual([{ ...row, version: 2, status: 'canceled' }]);
});

it('writes no row for a message that it knows, or that is older', async () => {
  const message = projectionMessage(tenant, 1, { status: 'succeeded', method: 'CBE' });
  const paid = { ...message, version: 2, intentVersion: 2 };
  expect(await applyToBook(paid)).toEqual({ confirmed: true, othersWithReceipt: [] });
  expect(await rowsWrittenBy(paid)).toBe(0);
  expect(await rowsWrittenBy(projectionMessage(tenant, 1))).toBe(0);
  expect(await bookSql('SELECT status, payments FROM payment_day')).toEqual([
    { status: 'succeeded', payments: 1 },
  ]);
});

it('names other payments with the same receipt', async () => {
  const receipts = { searchKeys: ['receipt:R77'], receiptKeys: ['receipt:R77'] };
  const paid = (number: number) =>
    projectionMessage(tenant, number, { status: 'succeeded', method: 'CBE' }, receipts);
  await applyToBook(paid(1));
  const { othersWithReceipt } = await applyToBook(paid(2));
  expect(othersWithReceipt).toEqual(['order-1']);
});

it('refuses a message of another merchant', async () => {
  const foreign = projectionMessage(tenantOf(BETA), 1);
  await runInDurableObject(bookStub(), (book) => {
    expect(() => book.apply(foreign)).toThrow('another book');
  });
  expect(await bookSql("SELECT name FROM sqlite_master WHERE name = 'book'")).toEqual([]);
});
