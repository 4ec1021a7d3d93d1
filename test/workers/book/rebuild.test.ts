import { evictAllDurableObjects, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { findPayments } from '../../../src/control/payments/search.ts';
import type { Command } from '../../../src/engine/domain/command.ts';
import { uuidV7 } from '../../../src/kit/crypto/uuid-v7.ts';
import { concurrently } from '../../../src/kit/platform/concurrently.ts';
import type { Tenant } from '../../../src/kit/tenant.ts';
import { fail, requestRefund, someTerms, startAttempt } from '../../support/intents.ts';
import { content, operateApi, project } from '../operator/support.ts';
import { bookSql, bookStub } from '../support/book.ts';
import { forgetReachedObjects } from '../support/gateway.ts';
import {
  ALPHA,
  advance,
  BETA,
  clientOf,
  MINUTE_MS,
  stubOf,
  tenantOf,
  useGateway,
} from '../support.ts';

/**
 * Goal: books that were lost come back from the ids of the payments' objects alone, equal in rows,
 * refunds, events, search and totals, while payments go on. Method: payments of three tenants in all
 * states, their books deleted, the ids in the order of a list of objects to the operator's API, and a
 * second rebuild in quiet to compare with. `REBUILT_PAYMENTS=10000` takes more payments.
 */

const caught = useGateway();

const FIRST = tenantOf(ALPHA);
const TENANTS = [FIRST, tenantOf(BETA), tenantOf(ALPHA, 'production')];
const PAYMENTS = Number(env.TEST_REBUILT_PAYMENTS);
/** Objects that the process may have open when it resets them. */
const OPENED_MAX = 1_000;
/** As many as one request takes. */
const PAGE = 200;

interface Payment {
  readonly tenant: Tenant;
  readonly uniqueId: string;
}

const paymentAt = (index: number): Payment => ({
  tenant: TENANTS[index % TENANTS.length] ?? FIRST,
  uniqueId: `order-${index}`,
});

/** A receipt of its own: a conflict would change the payments. */
function paid(index: number): Command {
  const outcome = { type: 'succeeded', receipt: `RCPT-${index}` } as const;
  return { type: 'resolve_attempt', attemptId: 'second', outcome };
}

/** What becomes of a payment, by its index. */
function fateOf(index: number): readonly Command[] {
  const started = startAttempt('second', {
    reference: `REF${index}`,
    deadlineAtMs: Date.now() + 10 * MINUTE_MS,
  });
  switch (Math.floor(index / TENANTS.length) % 6) {
    case 0:
      return [];
    case 1:
      return [started];
    case 2:
      return [started, fail('second'), { type: 'abandon_payment' }];
    case 3:
      return [started, paid(index), requestRefund(`refund-${index}`)];
    case 4:
      return [{ type: 'cancel' }];
    default:
      return [started, paid(index)];
  }
}

async function create(index: number): Promise<void> {
  const { tenant, uniqueId } = paymentAt(index);
  const createdAtMs = Date.now();
  const terms = someTerms({
    ...tenant,
    uniqueId,
    uuid: uuidV7(createdAtMs),
    number: index + 1,
    amountMinor: 1_000 + index,
    customer: { name: 'Abebe Bikila', phone: '0911234567', email: null } as never,
    createdAtMs,
    expiresAtMs: createdAtMs + 60 * MINUTE_MS,
  });
  const request = { terms, idempotency: null, attempt: null, answerWithinMs: 0, answer: null };
  await clientOf(uniqueId, tenant).create(request);
  await go(index, fateOf(index));
}

async function go(index: number, commands: readonly Command[]): Promise<void> {
  const { tenant, uniqueId } = paymentAt(index);
  await clientOf(uniqueId, tenant).execute(commands);
}

/** All that a reader can see of a book, in an order that does not depend on its writes. */
async function seen(tenant: Tenant) {
  const uuid = '(SELECT uuid FROM payment WHERE payment.id = payment_id) AS payment';
  const tables = {
    payments: 'SELECT * FROM payment ORDER BY uuid',
    refunds: `SELECT ${uuid}, * FROM refund ORDER BY created_at_ms, reference`,
    events: `SELECT ${uuid}, * FROM delivery ORDER BY delivery_id`,
    days: 'SELECT * FROM payment_day WHERE payments <> 0 OR refunded_minor <> 0',
    failures: 'SELECT * FROM failure_day WHERE payments <> 0',
    attempts: 'SELECT * FROM attempt_day WHERE ended <> 0',
    terms: 'SELECT term, doc FROM payment_search_term ORDER BY term',
    book: 'SELECT environment, merchant_id, volume FROM book',
  };
  const rows = await Promise.all(
    Object.entries(tables).map(async ([name, sql]) => {
      const found = await bookSql<Record<string, SqlStorageValue>>(sql, tenant);
      // Places within a millisecond and in the stream follow the order of writing.
      return [name, found.map(({ id, payment_id: _, stream_place: __, ...row }) => row)] as const;
    }),
  );
  return Object.fromEntries(rows);
}

const allSeen = () => Promise.all(TENANTS.map(seen));

async function loseBooks(): Promise<void> {
  for (const tenant of TENANTS) {
    await runInDurableObject(bookStub(tenant), async (_book, { storage }) => {
      await storage.deleteAll();
    });
  }
  // The objects remember whose books they were.
  await evictAllDurableObjects();
}

/** As the command line does it with each page of Cloudflare's list. */
async function rebuild(
  objectIds: readonly string[],
  goingOn: readonly (() => Promise<void>)[] = [],
) {
  const total = { rebuilt: 0, missing: 0, failed: 0 };
  const share = Math.ceil((goingOn.length * PAGE) / objectIds.length);
  for (let done = 0; done < objectIds.length; done += PAGE) {
    const page = objectIds.slice(done, done + PAGE);
    const changes = goingOn.slice((done / PAGE) * share, (done / PAGE + 1) * share);
    const [result] = await Promise.all([
      content<typeof total>(operateApi('/books/rebuild', { objectIds: page })),
      concurrently(changes, (change) => change()),
    ]);
    if (objectIds.length > PAGE) {
      await evictAllDurableObjects();
    }
    total.rebuilt += result.rebuilt;
    total.missing += result.missing;
    total.failed += result.failed;
  }
  return total;
}

async function booksHave(payments: number): Promise<void> {
  await expect
    .poll(async () => {
      const counts = await Promise.all(
        TENANTS.map((tenant) =>
          bookSql<{ rows: number }>('SELECT COUNT(*) AS rows FROM payment', tenant),
        ),
      );
      return counts.flat().reduce((sum, { rows }) => sum + rows, 0);
    })
    .toBe(payments);
}

test(
  'lost books are rebuilt from the ids of objects, while payments go on',
  async () => {
    const indexes = Array.from({ length: PAYMENTS }, (_, index) => index);
    for (let made = 0; made < PAYMENTS; made += PAGE) {
      await concurrently(indexes.slice(made, made + PAGE), create);
      await booksHave(Math.min(made + PAGE, PAYMENTS));
      // A book has 1,024 places in a millisecond, and a process opens so many files.
      advance(1);
      await evictAllDurableObjects();
    }
    // The book shows young events only after their first try, or some seconds.
    advance(MINUTE_MS);
    const objectIds = indexes
      .map((index) => String(stubOf(paymentAt(index).uniqueId, paymentAt(index).tenant).id))
      .sort();
    expect(await rebuild(objectIds)).toEqual({ rebuilt: PAYMENTS, missing: 0, failed: 0 });
    const before = await allSeen();

    await loseBooks();
    const later = Array.from({ length: 6 * TENANTS.length }, (_, index) => PAYMENTS + index);
    const open = indexes.filter((index) => fateOf(index).length === 1).slice(0, 30);
    const goingOn = [
      ...later.map((index) => () => create(index)),
      ...open.map((index) => () => go(index, [paid(index)])),
    ];
    const result = await rebuild(objectIds, goingOn);
    expect(result).toEqual({ rebuilt: PAYMENTS, missing: 0, failed: 0 });
    advance(MINUTE_MS);
    const all = [
      ...objectIds,
      ...later.map((index) =>
        String(stubOf(paymentAt(index).uniqueId, paymentAt(index).tenant).id),
      ),
    ];
    // Again: what changed during the rebuild was sent by the payments themselves.
    await rebuild(all);
    await booksHave(PAYMENTS + later.length);
    const rebuilt = await allSeen();

    const changed = new Set([...open, ...later].map((index) => paymentAt(index).uniqueId));
    for (const [index, { payments = [] }] of before.entries()) {
      const unchanged = payments.filter(({ unique_id: id }) => !changed.has(String(id)));
      expect(rebuilt[index]?.payments).toEqual(expect.arrayContaining(unchanged));
    }
    await loseBooks();
    await rebuild(all);
    expect(await allSeen()).toEqual(rebuilt);

    const { uniqueId } = paymentAt(5);
    const { rows } = await findPayments({ env }, uniqueId, null);
    expect(rows.map((row) => row.uniqueId)).toEqual([uniqueId]);
    expect(await rebuild(all)).toMatchObject({ failed: 0 });
    expect(await allSeen()).toEqual(rebuilt);
    if (PAYMENTS > OPENED_MAX) {
      forgetReachedObjects();
    }
  },
  PAYMENTS * 100 + 60_000,
);

/** The index of a canceled payment that the test above does not have. */
const CANCELED = 1_000_002;

test('a payment past its retention stays a tombstone', async () => {
  await create(CANCELED);
  await project(caught);
  advance(401 * 24 * 60 * MINUTE_MS);
  const { tenant, uniqueId } = paymentAt(CANCELED);
  const stub = stubOf(uniqueId, tenant);
  await runInDurableObject(stub, (payment) => payment.alarm());
  await loseBooks();
  expect(await rebuild([String(stub.id)])).toEqual({ rebuilt: 0, missing: 1, failed: 0 });
});
