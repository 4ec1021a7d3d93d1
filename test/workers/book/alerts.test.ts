import { evictAllDurableObjects, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import { alertsOf } from '../../../src/control/alerts/ask.ts';
import type { SubjectId } from '../../../src/engine/alerts/subjects.ts';
import type { ProjectionMessage } from '../../../src/engine/intent/book-message.ts';
import { applyToBook, bookStub, fireBookAlarm } from '../support/book.ts';
import {
  ALPHA,
  advance,
  HOUR_MS,
  MINUTE_MS,
  reportsAreSent,
  SECOND_MS,
  tenantOf,
  useGateway,
} from '../support.ts';
import { projectedRefund, projectionMessage } from './fixture.ts';

/**
 * Goal: docs/decisions.md#63: what a book of production tells the operator's alerts, also while D1
 * fails and after the alerts were out of reach. Method: payments' messages to a real book, and what
 * the object of the alerts then has open.
 */

useGateway();

const TENANT = tenantOf(ALPHA, 'production');

type Changes = Partial<ProjectionMessage['row']>;

function message(number: number, changes: Changes = {}, tenant = TENANT): ProjectionMessage {
  return projectionMessage(tenant, number, { updatedAtMs: Date.now(), ...changes });
}

const ATTEMPT = {
  transactionId: 'K3W8N5PX2T9B4ZC7VM6D',
  method: 'CBE',
  chargedMinor: 15_050,
} as const;

const unresolved = (number: number, tenant = TENANT) =>
  message(
    number,
    {
      unresolvedAttempts: 1,
      concernedAttempts: [{ ...ATTEMPT, unresolvedFromMs: Date.now() }],
    },
    tenant,
  );

function after(before: ProjectionMessage, changes: Changes): ProjectionMessage {
  const intentVersion = before.intentVersion + 1;
  return { ...before, intentVersion, row: { ...before.row, ...changes } };
}

const RESOLVED = { unresolvedAttempts: 0, concernedAttempts: [] };

async function open(): Promise<Readonly<Partial<Record<SubjectId, number>>>> {
  await reportsAreSent();
  const { open: subjects } = await alertsOf(env).state();
  return Object.fromEntries(subjects.map(({ subject, count }) => [subject, count]));
}

test.each<[SubjectId, ProjectionMessage, ProjectionMessage]>([
  ['unresolved_attempts', unresolved(1), after(unresolved(1), RESOLVED)],
  [
    'money_conflicts',
    message(1, {
      anomalies: 1,
      concernedAttempts: [{ ...ATTEMPT, unresolvedFromMs: null, moneyConflict: true }],
    }),
    after(message(1), { anomalies: 0, concernedAttempts: [] }),
  ],
])('%s opens with a payment and ends with its outcome', async (subject, begins, ends) => {
  await applyToBook(begins);
  await expect.poll(open).toEqual({ [subject]: 1 });
  await applyToBook(ends);
  await expect.poll(open).toEqual({});
});

test('refunds_by_hand opens with a refund that waits for a person', async () => {
  const refund = projectedRefund({ status: 'requires_action' });
  const waiting = { ...message(1, { openRefunds: 1 }), refunds: [refund] };
  await applyToBook(waiting);
  await expect.poll(open).toEqual({ refunds_by_hand: 1 });
  const returned = { ...refund, status: 'succeeded' as const, updatedAtMs: Date.now() + 1 };
  await applyToBook({ ...after(waiting, { openRefunds: 0 }), refunds: [returned] });
  await expect.poll(open).toEqual({});
});

test('the sandbox reports nothing', async () => {
  await applyToBook(unresolved(1, tenantOf(ALPHA)));
  await reportsAreSent();
  expect(await open()).toEqual({});
});

test('a failing D1 holds nothing up', async () => {
  vi.spyOn(env.DB, 'batch').mockRejectedValue(new Error('D1 is away'));
  vi.spyOn(env.DB, 'prepare').mockImplementation(() => {
    throw new Error('D1 is away');
  });
  await applyToBook(unresolved(1));
  await expect.poll(open).toEqual({ unresolved_attempts: 1 });
});

test('a report that did not arrive comes again, also after an eviction', async () => {
  const away = vi.spyOn(env.OPERATOR_ALERTS, 'get').mockImplementation(() => {
    throw new Error('the object is away');
  });
  await applyToBook(unresolved(1));
  await reportsAreSent();
  away.mockRestore();
  expect(await open()).toEqual({});
  const alarmAtMs = await runInDurableObject(bookStub(TENANT), (_book, { storage }) =>
    storage.getAlarm(),
  );
  expect(alarmAtMs).toBeLessThanOrEqual(Date.now() + MINUTE_MS);
  await evictAllDurableObjects();
  advance(MINUTE_MS);
  await fireBookAlarm(TENANT);
  await expect.poll(open).toEqual({ unresolved_attempts: 1 });
});

test('a payment that an operator has reviewed needs no person', async () => {
  await applyToBook(unresolved(1));
  await expect.poll(open).toEqual({ unresolved_attempts: 1 });
  await env.DB.prepare("UPDATE attention_item SET section = 'reviewed'").run();
  await runInDurableObject(bookStub(TENANT), (book) => book.report());
  expect(await open()).toEqual({});
});

test('a method fails after five attempts that reached no provider, and one success ends it', async () => {
  const failed = (number: number) =>
    message(number, { attempts: [{ method: 'CBE', ended: 1, succeeded: 0, unreached: 1 }] });
  for (let number = 1; number <= 5; number += 1) {
    await applyToBook(failed(number));
  }
  expect(await open()).toEqual({});
  // No payment follows, for customers cannot pay.
  const alarmAtMs = await runInDurableObject(bookStub(TENANT), (_book, { storage }) =>
    storage.getAlarm(),
  );
  // Before an idle object is evicted.
  expect(alarmAtMs).toBeLessThan(Date.now() + 10 * SECOND_MS);
  advance(5 * SECOND_MS);
  await fireBookAlarm(TENANT);
  await expect.poll(open).toEqual({ method_failing: 5 });
  advance(MINUTE_MS);
  const paid = message(6, { status: 'succeeded', method: 'CBE', endedAtMs: Date.now() });
  await applyToBook({ ...paid, paidAtMs: Date.now() });
  await expect.poll(open).toEqual({});
});

test('a rebuilt payment says nothing about today', async () => {
  const before = { attempts: [{ method: 'CBE', ended: 9, succeeded: 0, unreached: 9 }] } as const;
  await applyToBook(message(1, { ...before, updatedAtMs: Date.now() - HOUR_MS }));
  await reportsAreSent();
  expect(await open()).toEqual({});
});

test.each<[string, () => Promise<void>]>([
  ['while the object lives', async () => undefined],
  ['also after an eviction', () => evictAllDurableObjects()],
])('an outcome ends what arrived without an answer, %s', async (_, pass) => {
  const get = env.OPERATOR_ALERTS.get.bind(env.OPERATOR_ALERTS);
  const away = vi.spyOn(env.OPERATOR_ALERTS, 'get').mockImplementation(
    (id) =>
      ({
        stand: async (...about: Parameters<ReturnType<typeof get>['stand']>) => {
          await get(id).stand(...about);
          throw new Error('the answer is lost');
        },
      }) as never,
  );
  await applyToBook(unresolved(1));
  await reportsAreSent();
  away.mockRestore();
  expect(await open()).toEqual({ unresolved_attempts: 1 });
  await pass();
  await applyToBook(after(unresolved(1), RESOLVED));
  await expect.poll(open).toEqual({});
});

test('a reviewed payment stays reviewed when D1 fails after an eviction', async () => {
  await applyToBook(unresolved(1));
  await expect.poll(open).toEqual({ unresolved_attempts: 1 });
  await env.DB.prepare("UPDATE attention_item SET section = 'reviewed'").run();
  await runInDurableObject(bookStub(TENANT), (book) => book.report());
  expect(await open()).toEqual({});
  await evictAllDurableObjects();
  vi.spyOn(env.DB, 'prepare').mockImplementation(() => {
    throw new Error('D1 is away');
  });
  await applyToBook(message(2));
  expect(await open()).toEqual({});
});

test('a book that remembers another time says all again when it reports', async () => {
  await applyToBook(unresolved(1));
  await expect.poll(open).toEqual({ unresolved_attempts: 1 });
  await alertsOf(env).stand(`book/production/${TENANT.merchantId}/0`, []);
  await evictAllDurableObjects();
  await runInDurableObject(bookStub(TENANT), (book) => book.report());
  expect(await open()).toEqual({ unresolved_attempts: 1 });
});

test('a method without an attempt for a day says nothing any more', async () => {
  await applyToBook(
    message(1, { attempts: [{ method: 'CBE', ended: 5, succeeded: 0, unreached: 5 }] }),
  );
  await expect.poll(open).toEqual({ method_failing: 5 });
  advance(25 * HOUR_MS);
  const alerts = env.OPERATOR_ALERTS.get(env.OPERATOR_ALERTS.idFromName('gateway'));
  await runInDurableObject(alerts, (object) => object.alarm());
  expect(await open()).not.toHaveProperty('method_failing');
});
