import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeEach, expect, test, vi } from 'vitest';
import { attentionPage } from '../../../src/control/attention/attention.ts';
import { attentionGroups, countAttention } from '../../../src/control/attention/groups.ts';
import { readHealth, refreshHealth } from '../../../src/control/health/health.ts';
import { selfCheckStandings, startSelfCheck } from '../../../src/control/self-check/run.ts';
import { OpenBook } from '../../../src/lists/book/open-book.ts';
import { plantedError } from '../../support/output/planted.ts';
import { content, operateApi } from '../operator/support.ts';
import { applyToBook, bookStub, booksReport, withoutBackup } from '../support/book.ts';
import { ALPHA, advance, DAY_MS, HOUR_MS, MINUTE_MS, tenantOf, useGateway } from '../support.ts';
import { projectionMessage } from './fixture.ts';

/**
 * Goal: the operator hears of a merchant's book that has lost its payments, whether it is empty or has
 * got new ones since, until it is rebuilt. Method: a real book that reports to D1 and is then deleted.
 */

useGateway();

const TENANT = tenantOf(ALPHA, 'production');
const LOST = [{ ...TENANT, volume: 0, lostAtMs: expect.any(Number) }];
const gateway = () => ({ env, nowMs: Date.now(), config: {} as never });

const pay = (number: number, createdAtMs: number) =>
  applyToBook(projectionMessage(TENANT, number, { createdAtMs }));

async function known() {
  const { lostBooks } = await readHealth(gateway());
  return lostBooks;
}

async function report(): Promise<void> {
  advance(HOUR_MS);
  await booksReport();
}

async function lose(): Promise<void> {
  await runInDurableObject(bookStub(TENANT), async (_book, { storage }) => {
    await storage.deleteAll();
  });
  await evictDurableObject(bookStub(TENANT));
}

let first = 0;

beforeEach(async () => {
  withoutBackup();
  first = Date.now();
  await pay(1, first);
  advance(MINUTE_MS);
  await pay(2, first + MINUTE_MS);
  await report();
  expect(await known()).toEqual([]);
});

async function selfCheck() {
  advance(MINUTE_MS);
  const { checks } = await startSelfCheck(gateway(), { name: 'cron' }, 'https://pay.example.com');
  return checks.find(({ name }) => name === 'books');
}

test('an empty book is wrong in the self-check, and in health, attention and the operator’s messages', async () => {
  expect(await selfCheck()).toMatchObject({ state: 'ok', finding: 'books' });
  await lose();
  expect(await selfCheck()).toMatchObject({
    state: 'wrong',
    finding: 'books_lost',
    details: { names: `production/${ALPHA.id}/0` },
  });
  expect(await known()).toEqual(LOST);
  const { items } = await attentionPage(gateway(), {});
  expect(items[0]).toMatchObject({ type: 'book', reasons: ['lost_book'] });
  const { items: groups } = await attentionGroups(gateway(), {});
  expect(groups[0]).toMatchObject({ reason: 'lost_book', merchantId: ALPHA.id, items: 1 });
  expect(await countAttention(gateway())).toMatchObject({ attention: 1 });
  expect(await selfCheckStandings(gateway())).toContainEqual(
    expect.objectContaining({ subject: 'self_check_failed', detail: 'books' }),
  );
});

test('an empty book is found when an operator refreshes the health', async () => {
  await lose();
  await refreshHealth({ env });
  expect(await known()).toEqual(LOST);
});

test('a lost book that has got new payments since is known, until it is rebuilt', async () => {
  await lose();
  await pay(3, Date.now());
  await report();
  expect(await known()).toEqual(LOST);
  await pay(4, Date.now());
  await report();
  expect(await known()).toEqual(LOST);
  await pay(1, first);
  await report();
  expect(await known()).toEqual([]);
});

test('an empty book is known until it is rebuilt', async () => {
  await lose();
  await refreshHealth({ env });
  await pay(1, first);
  await report();
  expect(await known()).toEqual([]);
});

test('a lost book is given up when its payments would have been deleted', async () => {
  await lose();
  await pay(3, Date.now());
  await report();
  advance(401 * DAY_MS);
  await pay(4, Date.now());
  await report();
  expect(await known()).toEqual([]);
});

test('a book that is out of reach is not lost', async () => {
  vi.spyOn(OpenBook.prototype, 'ask').mockImplementation(() => {
    throw plantedError('out of reach');
  });
  expect(await selfCheck()).toMatchObject({ state: 'ok' });
});

test('rebuilding an empty book fails and says how its payments are found', async () => {
  await lose();
  const path = `/books/production/${ALPHA.id}/rebuild`;
  const { status } = await operateApi(path, {});
  expect(status).toBe(409);
  await pay(1, first);
  expect(await content(operateApi(path, {}))).toMatchObject({ missing: 1, next: null });
});
