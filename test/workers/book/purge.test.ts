import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { expect, it } from 'vitest';
import type { ProjectionRow } from '../../../src/engine/intent/book-message.ts';
import { quotedTerm } from '../../../src/lists/book/search-terms.ts';
import { applyToBook, bookSql, bookStub, withoutBackup } from '../support/book.ts';
import { ALPHA, advance, DAY_MS, tenantOf, useGateway } from '../support.ts';
import { projectedEvent, projectedRefund, projectionMessage } from './fixture.ts';

/**
 * Goal: docs/decisions.md#24: a book keeps personal data no longer than a payment's object. Method:
 * the book's alarm, with the clock before and after the end of retention.
 */

useGateway();
const tenant = tenantOf(ALPHA);
const RETENTION_DAYS = 400;

/** A payment with personal data that was created now and ended a minute later, unless changed. */
function personal(number: number, changes: Partial<ProjectionRow> = {}) {
  const createdAtMs = Date.now();
  const endedAtMs = createdAtMs + 60_000;
  return projectionMessage(
    tenant,
    number,
    {
      status: 'succeeded',
      method: 'CBE',
      createdAtMs,
      endedAtMs,
      updatedAtMs: endedAtMs,
      ...changes,
    },
    {
      searchKeys: [`phone:p${number}`, `id:RAIL-${number}`],
      sealedDetails: 'k1.sealed',
      shares: [{ beneficiary: 'k1.account', shareMinor: 30 }],
      refunds: [projectedRefund({ reference: `R-${number}`, railReference: 'RAIL-9' })],
    },
  );
}

async function purgeAfter(days: number): Promise<void> {
  advance(days * DAY_MS);
  await runDurableObjectAlarm(bookStub());
}

const withDetails = async () =>
  (
    await bookSql<{ number: number }>(
      'SELECT number FROM payment WHERE sealed_details IS NOT NULL ORDER BY number',
    )
  ).map(({ number }) => number);

const found = (key: string) =>
  bookSql(`SELECT rowid FROM payment_search WHERE payment_search MATCH '${quotedTerm(key)}'`);

const alarm = () => runInDurableObject(bookStub(), (_book, { storage }) => storage.getAlarm());

it('deletes details, search keys, accounts of beneficiaries and the provider’s ids when retention is over', async () => {
  const message = personal(1);
  await applyToBook(message);
  await applyToBook({ ...message, searchKeys: [...message.searchKeys, 'name:added-later'] });
  await purgeAfter(RETENTION_DAYS - 1);
  expect(await withDetails()).toEqual([1]);
  expect(await bookSql('SELECT share_minor FROM share_day')).toEqual([{ share_minor: 30 }]);
  await purgeAfter(2);
  expect(await bookSql('SELECT search_keys, sealed_details, shares FROM payment')).toEqual([
    { search_keys: '[]', sealed_details: null, shares: null },
  ]);
  expect(await bookSql('SELECT * FROM share_day')).toEqual([]);
  expect(await bookSql('SELECT rail_reference FROM refund')).toEqual([{ rail_reference: null }]);
  for (const key of ['phone:p1', 'id:RAIL-1', 'name:added-later']) {
    expect(await found(key), key).toEqual([]);
  }
  expect(await found('id:order-1')).toHaveLength(1);
});

it('keeps the data of a payment that changed or ended later, until retention is over for it', async () => {
  const later = Date.now() + 30 * DAY_MS;
  await applyToBook(personal(1, { updatedAtMs: later }));
  await applyToBook(personal(2, { endedAtMs: later, updatedAtMs: later }));
  await applyToBook(personal(3, { status: 'open', endedAtMs: null }));
  await applyToBook(personal(4));
  await purgeAfter(RETENTION_DAYS + 1);
  expect(await withDetails()).toEqual([1, 2, 3]);
  await purgeAfter(30);
  expect(await withDetails()).toEqual([3]);
  expect(await found('phone:p1')).toEqual([]);
});

it('purges many payments in batches, and sleeps when none is left', async () => {
  withoutBackup();
  const createdAtMs = Date.now();
  for (let number = 1; number <= 600; number += 1) {
    await applyToBook(personal(number, { createdAtMs: createdAtMs + number }));
  }
  await purgeAfter(RETENTION_DAYS + 1);
  expect(await withDetails()).toHaveLength(100);
  await purgeAfter(0);
  expect(await withDetails()).toEqual([]);
  expect(await alarm()).toBeNull();
  await applyToBook(personal(700, { createdAtMs: Date.now() }));
  await expect.poll(alarm).not.toBeNull();
});

it('purges a payment that a rebuilt book gets after its purge has passed that time', async () => {
  await applyToBook(personal(2));
  const late = personal(1, { createdAtMs: Date.now() - 1 });
  await purgeAfter(RETENTION_DAYS + 1);
  await applyToBook(late);
  expect(await withDetails()).toEqual([1]);
  await purgeAfter(1);
  expect(await withDetails()).toEqual([]);
});

it('purges again what a late message brings back after the purge', async () => {
  const message = personal(1);
  await applyToBook(message);
  await purgeAfter(RETENTION_DAYS + 1);
  expect(await withDetails()).toEqual([]);
  // A delivery that was pending all the time, until now.
  await applyToBook({ ...message, events: [projectedEvent(tenant, 1)] });
  expect(await withDetails()).toEqual([1]);
  await expect.poll(alarm).toBeLessThan(Date.now() + DAY_MS);
  await purgeAfter(0);
  expect(await withDetails()).toEqual([]);
  expect(await found('phone:p1')).toEqual([]);
  expect(await bookSql('SELECT rail_reference FROM refund')).toEqual([{ rail_reference: null }]);
  expect(await bookSql('SELECT * FROM purge_later')).toEqual([]);
  expect(await bookSql('SELECT * FROM share_day')).toEqual([]);
});

it('postpones a payment once, however often its details come and go', async () => {
  const later = Date.now() + 30 * DAY_MS;
  const message = personal(1, { endedAtMs: later, updatedAtMs: later });
  await applyToBook({ ...message, searchKeys: [], sealedDetails: null });
  await purgeAfter(RETENTION_DAYS + 1);
  await applyToBook(message);
  await purgeAfter(0);
  expect(await bookSql('SELECT COUNT(*) AS waiting FROM purge_later')).toEqual([{ waiting: 1 }]);
  expect(await withDetails()).toEqual([1]);
  await purgeAfter(30);
  expect(await withDetails()).toEqual([]);
});
