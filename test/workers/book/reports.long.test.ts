import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, test, vi } from 'vitest';
import { attentionPage } from '../../../src/control/attention/attention.ts';
import { attentionGroups, countAttention } from '../../../src/control/attention/groups.ts';
import { readHealth, refreshHealth } from '../../../src/control/health/health.ts';
import { findPayments } from '../../../src/control/payments/search.ts';
import type { ProjectionMessage } from '../../../src/engine/intent/book-message.ts';
import { businessDay } from '../../../src/kit/ethiopian-time.ts';
import { batch } from '../../../src/kit/platform/database.ts';
import type { Tenant } from '../../../src/kit/tenant.ts';
import { attentionStatements, LISTED_PAYMENTS_MAX } from '../../../src/lists/book/attention.ts';
import { REFUND_OVERDUE_MS } from '../../../src/lists/book/attention-items.ts';
import type { BookDigest } from '../../../src/lists/book/digest.ts';
import { applyToBook, bookSql, bookStub, booksReport, withoutBackup } from '../support/book.ts';
import { ALPHA, advance, BETA, DAY_MS, HOUR_MS, tenantOf, useGateway } from '../support.ts';
import { projectedEvent, projectedRefund, projectionMessage } from './fixture.ts';

/**
 * Goal: the operator sees what all merchants' books report, a failing D1 loses nothing of it, and a
 * merchant with many failures cannot flood the list. Method: messages of several merchants to real
 * books, alarms run at once, and the functions behind the desk's pages.
 */

useGateway();

const TENANTS = [
  tenantOf(ALPHA),
  tenantOf(BETA),
  tenantOf(ALPHA, 'production'),
  tenantOf(BETA, 'production'),
];
const [TENANT] = TENANTS as [Tenant];

const gateway = () => ({ env, nowMs: Date.now(), config: {} as never });

type Changes = Parameters<typeof projectionMessage>[2];

/** A payment that ended late, unless changed. */
function late(tenant: Tenant, number: number, changes: Changes = {}): ProjectionMessage {
  const ended = { status: 'succeeded', method: 'CBE', endedAtMs: 5_000, late: true } as const;
  return projectionMessage(tenant, number, { ...ended, ...changes });
}

function again(message: ProjectionMessage, changes: Changes): ProjectionMessage {
  const intentVersion = message.intentVersion + 1;
  return { ...message, intentVersion, row: { ...message.row, ...changes } };
}

async function listed(environment?: string): Promise<readonly string[]> {
  const query = { limit: '50', ...(environment !== undefined && { environment }) };
  const { items } = await attentionPage(gateway(), query);
  return items.map((item) => {
    const { merchantId, uniqueId } = 'payment' in item ? item.payment : (item as never);
    return `${merchantId} ${uniqueId}`;
  });
}

async function countListed(): Promise<number> {
  const sql = "SELECT COUNT(*) AS items FROM attention_item WHERE section <> 'resolved'";
  return (await env.DB.prepare(sql).first<number>('items')) ?? 0;
}

const uniqueIdOf = (tenant: Tenant, number: number) => late(tenant, number).row.uniqueId;

describe('the attention list', () => {
  test('begins with what has waited longest', async () => {
    for (const number of [2, 3, 1]) {
      await applyToBook(late(TENANT, number));
    }
    await booksReport();
    expect(await listed()).toEqual(
      [1, 2, 3].map((number) => `${ALPHA.id} ${uniqueIdOf(TENANT, number)}`),
    );
  });

  test('has the payments of all merchants of an environment', async () => {
    for (const tenant of TENANTS) {
      await applyToBook(late(tenant, 1));
      await applyToBook(late(tenant, 2, { late: false }));
    }
    await booksReport();
    for (const environment of ['sandbox', 'production'] as const) {
      expect([...(await listed(environment))].sort()).toEqual(
        [ALPHA, BETA].map(({ id }) => `${id} ${uniqueIdOf(TENANT, 1)}`).sort(),
      );
    }
  });

  test('costs an ordinary payment no row', async () => {
    await applyToBook(late(TENANT, 1, { late: false }));
    await booksReport();
    expect(await bookSql('SELECT * FROM attention')).toEqual([]);
    const { results } = await env.DB.prepare('SELECT * FROM attention_item').all();
    expect(results).toEqual([]);
  });

  test('gets an item after D1 was down, even if the book was evicted meanwhile', async () => {
    const away = vi.spyOn(env.DB, 'batch').mockRejectedValue(new Error('D1 is away'));
    await applyToBook(late(TENANT, 1));
    await runInDurableObject(bookStub(), (book) => book.alarm());
    away.mockRestore();
    expect(await listed()).toEqual([]);
    const [unsent] = await bookSql<{ due_at_ms: number }>('SELECT * FROM attention');
    expect(unsent?.due_at_ms).toBeGreaterThan(Date.now());
    const alarmAtMs = await runInDurableObject(bookStub(), (_book, { storage }) =>
      storage.getAlarm(),
    );
    expect(alarmAtMs).toBeLessThanOrEqual(unsent?.due_at_ms ?? 0);
    await evictDurableObject(bookStub());
    advance(HOUR_MS);
    await booksReport();
    expect(await listed()).toHaveLength(1);
  });

  test('gets an item when the operator asks for health, although the alarm was lost', async () => {
    const away = vi.spyOn(env.DB, 'batch').mockRejectedValue(new Error('D1 is away'));
    await applyToBook(late(TENANT, 1));
    away.mockRestore();
    await runInDurableObject(bookStub(), (_book, { storage }) => storage.deleteAlarm());
    advance(HOUR_MS);
    await runInDurableObject(bookStub(), (book) => book.report());
    expect(await listed()).toHaveLength(1);
  });

  test('does not postpone the alarm, also when many payments need the operator', async () => {
    const alarmAtMs = () => runInDurableObject(bookStub(), (_, { storage }) => storage.getAlarm());
    await applyToBook(late(TENANT, 1));
    const firstMs = await alarmAtMs();
    expect(firstMs).toBeGreaterThan(Date.now());
    for (const number of [2, 3, 4]) {
      advance(15_000);
      await applyToBook(late(TENANT, number));
      expect(await alarmAtMs()).toBeLessThanOrEqual(firstMs ?? 0);
    }
  });

  const groupsIn = async (environment: string, cursor?: string) => {
    const query = { limit: '2', environment, ...(cursor !== undefined && { cursor }) };
    return attentionGroups(gateway(), query);
  };

  const stuck = (tenant: Tenant, number: number) => ({
    ...late(tenant, number, { late: false }),
    events: [projectedEvent(tenant, number, { deliveryStatus: 'undeliverable' })],
  });

  test('has one group for each cause, merchant and environment, money first', async () => {
    const [alpha, beta, production] = TENANTS as [Tenant, Tenant, Tenant];
    for (let number = 1; number <= 16; number += 1) {
      await applyToBook(stuck(alpha, number));
    }
    await applyToBook(stuck(beta, 3));
    await applyToBook(late(alpha, 20, { transactionId: 'T-20' }));
    await applyToBook(stuck(production, 1));
    await applyToBook(stuck(production, 2));
    await booksReport();

    const first = await groupsIn('sandbox');
    const atMs = (number: number) => late(alpha, number).row.createdAtMs;
    expect(first.items).toMatchObject([
      {
        ...{ reason: 'late_payment', merchantId: ALPHA.id, items: 1 },
        item: { about: { method: 'CBE', amountMinor: 100, transactionIds: ['T-20'] } },
      },
      {
        ...{ reason: 'delivery_undeliverable', merchantId: ALPHA.id, items: 16, item: null },
        ...{ oldestAtMs: atMs(1), newestAtMs: atMs(16) },
      },
    ]);
    const second = await groupsIn('sandbox', first.nextCursor ?? '');
    expect(second.items).toMatchObject([{ merchantId: BETA.id, items: 1, oldestAtMs: atMs(3) }]);
    expect(second.nextCursor).toBeNull();
    const [group] = (await groupsIn('production')).items;
    expect(group).toMatchObject({ reason: 'delivery_undeliverable', items: 2 });
    // The navigation counts what is the operator's work: groups of production.
    expect(await countAttention({ env } as never)).toMatchObject({ attention: 1 });
    const query = { environment: 'sandbox', reason: 'delivery_undeliverable' };
    const listedOf = async (merchantId: string) =>
      (await attentionPage(gateway(), { ...query, merchantId })).items.length;
    expect([await listedOf(ALPHA.id), await listedOf(BETA.id)]).toEqual([16, 1]);
  });

  test('has an attempt that the customer left only when it needs a person, by itself', async () => {
    const [firstMs, secondMs] = [Date.now() + 10 * 60_000, Date.now() + 20 * 60_000];
    const left = (transactionId: string, unresolvedFromMs: number) => ({
      ...{ transactionId, method: 'TELE_BIRR' as const, chargedMinor: 150, unresolvedFromMs },
    });
    const changes = {
      ...{ late: false, unresolvedAttempts: 2 },
      concernedAttempts: [left('T-1', firstMs), left('T-2', secondMs)],
    };
    await applyToBook(late(TENANT, 1, changes));
    expect(await bookSql('SELECT * FROM attention')).toEqual([]);
    const alarmAtMs = () => runInDurableObject(bookStub(), (_, { storage }) => storage.getAlarm());
    await expect.poll(alarmAtMs).toBe(firstMs);
    const unresolvedNow = async () => {
      await runInDurableObject(bookStub(), (book) => book.alarm());
      const { items } = await attentionPage(gateway(), { limit: '50' });
      return items.map((item) => 'unresolved' in item && [item.unresolved, item.about.amountMinor]);
    };
    expect(await unresolvedNow()).toEqual([]);
    advance(10 * 60_000);
    expect(await unresolvedNow()).toEqual([[['T-1'], 150]]);
    expect(await alarmAtMs()).toBe(secondMs);
    await evictDurableObject(bookStub());
    advance(10 * 60_000);
    expect(await unresolvedNow()).toEqual([[['T-1', 'T-2'], 150]]);
  });

  test('drops an item once it is resolved, and a delayed older write does not bring it back', async () => {
    const message = late(TENANT, 1);
    await applyToBook(message);
    await booksReport();
    const [sent] = await bookSql<{ items: string; revision: number }>('SELECT * FROM attention');
    await applyToBook(again(message, { late: false }));
    await booksReport();
    expect(await listed()).toEqual([]);
    const { items = '', revision = 0 } = sent ?? {};
    const delayed = { uuid: message.row.uuid, items, revision };
    await batch(env.DB, attentionStatements(TENANT, delayed));
    expect(await listed()).toEqual([]);
    expect(await bookSql('SELECT * FROM attention')).toEqual([]);
  });

  test('takes only so many payments of one merchant, counts the others, and fills up', async () => {
    const messages = Array.from({ length: LISTED_PAYMENTS_MAX + 5 }, (_, number) =>
      late(TENANT, number),
    );
    for (const message of messages) {
      await applyToBook(message);
    }
    await applyToBook(late(tenantOf(BETA), 1));
    await booksReport();
    expect(await countListed()).toBe(LISTED_PAYMENTS_MAX + 1);
    const more = { environment: 'sandbox', merchantId: ALPHA.id };
    const groups = () => attentionGroups(gateway(), { limit: '1', environment: 'sandbox' });
    expect((await groups()).unlisted).toEqual([{ ...more, items: 5 }]);
    expect(await bookSql('SELECT COUNT(*) AS rows FROM attention')).toEqual([
      { rows: LISTED_PAYMENTS_MAX },
    ]);

    for (const message of messages.slice(0, 3)) {
      await applyToBook(again(message, { late: false }));
    }
    advance(2 * HOUR_MS);
    await booksReport();
    expect(await countListed()).toBe(LISTED_PAYMENTS_MAX + 1);
    expect((await groups()).unlisted).toEqual([{ ...more, items: 2 }]);
  });

  test('has each overdue refund, unless another refund of its attempt holds it up', async () => {
    const refund = (id: string, status: 'unresolved' | 'pending', transactionId: string) =>
      projectedRefund({
        ...{ id, reference: id, status, transactionId },
        createdAtMs: Date.now() - REFUND_OVERDUE_MS,
      });
    const message = late(TENANT, 1, { late: false, openRefunds: 3 });
    const refunds = [
      refund('r1', 'unresolved', 'T-1'),
      refund('r2', 'pending', 'T-1'),
      refund('r3', 'pending', 'T-2'),
    ];
    await applyToBook({ ...message, refunds });
    await booksReport();
    const { items } = await attentionPage(gateway(), { limit: '50' });
    expect(items).toMatchObject([
      { refund: { refundUniqueId: 'r1' } },
      { refund: { refundUniqueId: 'r3' } },
    ]);
  });

  test('lists money although a merchant’s server rejects all events', async () => {
    const dead = (number: number) => {
      const message = late(TENANT, number, { late: false });
      const event = projectedEvent(TENANT, number, { createdAtMs: 0, deliveryStatus: 'dead' });
      return { ...message, events: [event] };
    };
    for (let number = 0; number < LISTED_PAYMENTS_MAX + 2; number += 1) {
      await applyToBook(dead(number));
    }
    await applyToBook(late(TENANT, LISTED_PAYMENTS_MAX + 9));
    await booksReport();
    expect(await countListed()).toBe(LISTED_PAYMENTS_MAX + 1);
    const { items } = await attentionPage(gateway(), { limit: '1' });
    expect(items).toMatchObject([{ type: 'payment' }]);
  });
});

test('health adds up all books of an environment, and says when they reported', async () => {
  for (const tenant of TENANTS) {
    const message = late(tenant, 1, { late: false });
    const waiting = projectedEvent(tenant, 1, { createdAtMs: 0, deliveryStatus: 'waiting' });
    await applyToBook({ ...message, events: [waiting] });
    await applyToBook(
      late(tenant, 2, { status: 'failed', failureReason: 'declined', late: false }),
    );
  }
  expect(await refreshHealth({ env })).toMatchObject({ isComplete: true });
  const { environments } = await readHealth(gateway());
  expect(environments).toMatchObject(
    ['production', 'sandbox'].map((environment) => ({
      environment,
      reportedAtMs: expect.any(Number),
      eventsByStatus: { waiting: 2 },
      oldestUndelivered: { deliveryStatus: 'waiting' },
    })),
  );
});

test('a report has the payments that ended today or in the seven days before', async () => {
  const today = businessDay(Date.now());
  for (const days of [0, 7, 8]) {
    const endedAtMs = Date.now() - days * DAY_MS;
    const times = { createdAtMs: endedAtMs, endedAtMs, late: false };
    await applyToBook(late(TENANT, days, times));
    const failed = { status: 'failed', failureReason: 'declined' } as const;
    await applyToBook(late(TENANT, 100 + days, { ...times, ...failed }));
  }
  await refreshHealth({ env });
  const digest = await env.DB.prepare('SELECT digest FROM book_digest').first<string>('digest');
  const { ends } = JSON.parse(digest ?? '{}') as BookDigest;
  expect(ends.map(({ day, status }) => [today - day, status]).sort()).toEqual([
    [0, 'failed'],
    [0, 'succeeded'],
    [7, 'failed'],
    [7, 'succeeded'],
  ]);
});

test('the time to pay is the median over all merchants, of the newest 20 payments of each', async () => {
  const paidIn = async (tenant: Tenant, number: number, seconds: number) => {
    const { row } = late(tenant, number);
    const endedAtMs = row.createdAtMs + 1_000 * seconds;
    await applyToBook(late(tenant, number, { late: false, endedAtMs }));
  };
  const [alpha, beta] = TENANTS as [Tenant, Tenant];
  await paidIn(alpha, 0, 9_000);
  for (let number = 1; number <= 20; number += 1) {
    await paidIn(alpha, number, number);
  }
  await paidIn(beta, 1, 500);
  await refreshHealth({ env });
  const { environments } = await readHealth(gateway());
  expect(environments.map(({ timesToPay }) => timesToPay)).toEqual([
    [],
    [{ method: 'CBE', medianMs: 10_000, payments: 21 }],
  ]);
});

test('a book writes its digest an hour after a change, and none at its other alarms', async () => {
  withoutBackup();
  await applyToBook(late(TENANT, 1, { late: false }));
  const costs = async () => {
    const writes = vi.spyOn(env.DB, 'batch');
    const statements = await runInDurableObject(bookStub(), async (book, { storage }) => {
      const reads = vi.spyOn(storage.sql, 'exec');
      await book.alarm();
      const count = reads.mock.calls.length;
      reads.mockRestore();
      return count;
    });
    const count = writes.mock.calls.length;
    writes.mockRestore();
    return { statements, writes: count };
  };
  const early = await costs();
  expect(early.writes).toBe(0);
  advance(HOUR_MS);
  const due = await costs();
  expect(due.writes).toBe(1);
  expect(due.statements).toBeGreaterThan(2 * early.statements);
  for (let hour = 0; hour < 3; hour += 1) {
    advance(HOUR_MS);
    const idle = await costs();
    expect(idle.writes).toBe(0);
    expect(idle.statements).toBeLessThanOrEqual(early.statements);
  }
  await applyToBook(late(TENANT, 2, { late: false }));
  expect((await costs()).writes).toBe(0);
  advance(HOUR_MS);
  expect((await costs()).writes).toBe(1);
  // The evicted book does not know whether its alarm was that of a digest.
  await evictDurableObject(bookStub());
  expect((await costs()).writes).toBe(1);
  expect((await costs()).writes).toBe(0);
});

test('a book without payments reports nothing and stores nothing', async () => {
  await refreshHealth({ env });
  const { results } = await env.DB.prepare('SELECT * FROM book_digest').all();
  expect(results).toEqual([]);
  expect(await bookSql('SELECT name FROM sqlite_master')).toEqual([]);
});

describe('a search over all merchants', () => {
  const EVENT_NUMBER = 1;

  test.each([
    ['paymentIntentUniqueId', ({ row }: ProjectionMessage) => row.uniqueId, TENANTS.length],
    ['uuid', ({ row }: ProjectionMessage) => row.uuid, 1],
    ['a provider’s reference', () => 'RAIL-1', TENANTS.length],
    ['a receipt in another notation', () => 'rcpt.77', TENANTS.length],
    ['an event', ({ events }: ProjectionMessage) => events[0]?.eventId ?? '', 1],
    ['part of an id', ({ row }: ProjectionMessage) => row.uniqueId.slice(0, -1), 0],
    ['a phone number', () => '0911234567', 0],
  ])('by %s', async (_name, textOf, found) => {
    const messages = TENANTS.map((tenant) => ({
      ...late(tenant, EVENT_NUMBER),
      searchKeys: ['id:RAIL-1', 'receipt:RCPT77'],
      events: [projectedEvent(tenant, EVENT_NUMBER)],
    }));
    for (const message of messages) {
      await applyToBook(message);
      await applyToBook(projectionMessage(message.row, 2, { endedAtMs: null, status: 'open' }));
    }
    const [first = late(TENANT, EVENT_NUMBER)] = messages;
    const { rows, isComplete } = await findPayments({ env }, textOf(first), null);
    expect(isComplete).toBe(true);
    expect(rows).toHaveLength(found);
    expect(rows.every(({ number }) => number === first.row.number)).toBe(true);
  });

  test('says so when there are more merchants than it asks', async () => {
    const message = late(TENANT, 1);
    await applyToBook(message);
    await env.DB.prepare('UPDATE api_keys SET last_used_at_ms = 5 WHERE merchant_id = ?1')
      .bind(ALPHA.id)
      .run();
    await env.DB.prepare(
      `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 210)
        INSERT INTO merchants (id, name, number, created_at_ms)
        SELECT 'new-' || n, 'New', 1000 + n, 9000000000000 FROM numbers`,
    ).run();
    const { rows, isComplete, asked } = await findPayments({ env }, message.row.uniqueId, null);
    expect({ found: rows.length, isComplete, asked }).toEqual({
      found: 1,
      isComplete: false,
      asked: 400,
    });
  });

  test('finds an open payment, too', async () => {
    const open = projectionMessage(TENANT, 3, { endedAtMs: null, status: 'open' });
    await applyToBook(open);
    const { rows } = await findPayments({ env }, open.row.uniqueId, null);
    expect(rows.map(({ uuid }) => uuid)).toEqual([open.row.uuid]);
  });
});
