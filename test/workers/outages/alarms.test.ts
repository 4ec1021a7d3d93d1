import { evictAllDurableObjects, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import * as v from 'valibot';
import { describe, expect, type MockInstance, test, vi } from 'vitest';
import { alertsOf } from '../../../src/control/alerts/ask.ts';
import { Decisions } from '../../../src/control/alerts/decisions.ts';
import { filesOf } from '../../../src/control/provider-files/client.ts';
import { LineTable } from '../../../src/control/provider-files/line-table.ts';
import { profileField } from '../../../src/control/provider-files/profile.ts';
import { PaymentRecord } from '../../../src/engine/intent/record.ts';
import { registerOf } from '../../../src/engine/register/client.ts';
import { RefundClaims } from '../../../src/engine/register/refund-claims.ts';
import { DAY_MS } from '../../../src/kit/ethiopian-time.ts';
import { BookAttention } from '../../../src/lists/book/attention.ts';
import { BookBackup } from '../../../src/recovery/payments/book-backup.ts';
import { plantedError } from '../../support/output/planted.ts';
import { projectionMessage } from '../book/fixture.ts';
import { PORTAL } from '../operator/provider-file-support.ts';
import { applyToBook, bookStub, withoutBackup } from '../support/book.ts';
import { registerStub } from '../support/register.ts';
import {
  ALPHA,
  advance,
  clientOf,
  createHosted,
  HOUR_MS,
  MINUTE_MS,
  SECOND_MS,
  stubOf,
  tenantOf,
  useGateway,
} from '../support.ts';

/**
 * Goal: the one alarm of each object (`src/kit/platform/object-alarm.ts`): no failure loses it, a call
 * makes up for a lost one, and none runs twice at once. Method: each kind of object, with an alarm that
 * fails, is lost or hangs.
 */

useGateway();

const TENANT = tenantOf(ALPHA);
const SAFETY_MS = 30 * SECOND_MS;

interface Sleeper {
  readonly name: string;
  readonly stub: () => DurableObjectStub<Rpc.DurableObjectBranded & { alarm(): Promise<void> }>;
  /** Gives the object something to do within a day. */
  readonly begin: () => Promise<unknown>;
  /** A call that makes up for a lost alarm. */
  readonly call: () => Promise<unknown>;
  /** A part of the alarm's work. */
  readonly work: () => MockInstance<(...args: never[]) => unknown>;
}

const SLEEPERS: readonly Sleeper[] = [
  {
    name: 'payment',
    stub: () => stubOf(),
    begin: () => createHosted(),
    call: () => clientOf().read(),
    work: () => vi.spyOn(PaymentRecord.prototype, 'requeueDue'),
  },
  {
    name: 'register',
    stub: () => registerStub(),
    begin: () =>
      registerOf(env, TENANT).claimRefund({
        ...{ refundUniqueId: 'refund-1', paymentUniqueId: 'order-1', claimId: 'claim-1' },
        ...{ amountMinor: 1, currency: 'ETB', paidAtMs: Date.now() },
        ...{ refundAgeDaysMax: 1, refundDailyMaxMinor: null },
      }),
    call: () => registerOf(env, TENANT).paymentOfRefund('refund-1'),
    work: () => vi.spyOn(RefundClaims.prototype, 'due'),
  },
  {
    name: 'book',
    stub: () => bookStub(),
    begin: () => applyToBook(projectionMessage(TENANT, 1, { createdAtMs: Date.now() })),
    call: () => applyToBook(projectionMessage(TENANT, 2, { createdAtMs: Date.now() })),
    work: () => vi.spyOn(BookAttention.prototype, 'look'),
  },
  {
    name: 'alerts',
    stub: () => env.OPERATOR_ALERTS.get(env.OPERATOR_ALERTS.idFromName('gateway')),
    begin: () => alertsOf(env).look(),
    call: () => alertsOf(env).look(),
    work: () => vi.spyOn(Decisions.prototype, 'sayAll'),
  },
  {
    name: 'providers’ files',
    stub: () => env.PROVIDER_FILES.get(env.PROVIDER_FILES.idFromName('production/CBE')),
    begin: () => beginFile(),
    call: () => beginFile(),
    work: () => vi.spyOn(LineTable.prototype, 'purgeBefore'),
  },
];

function beginFile() {
  return filesOf(env, 'production', 'CBE').begin({
    ...{ id: crypto.randomUUID(), environment: 'production', method: 'CBE', name: 'day.csv' },
    ...{ profile: v.parse(profileField, PORTAL), operator: 'Hana', begunAtMs: Date.now() },
  });
}

describe.each(SLEEPERS)('the alarm of the $name', ({ stub, begin, call, work }) => {
  const alarmAtMs = () => runInDurableObject(stub(), (_object, { storage }) => storage.getAlarm());
  const fire = () => runInDurableObject(stub(), (object) => object.alarm());

  test('is set again before its work, which may fail', async () => {
    await begin();
    const failing = work().mockImplementation(() => {
      throw plantedError();
    });
    for (let times = 0; times < 8; times += 1) {
      await fire();
      expect(await alarmAtMs()).toBe(Date.now() + SAFETY_MS);
      advance(SAFETY_MS);
    }
    expect(failing).toHaveBeenCalledTimes(8);
    failing.mockRestore();
    await fire();
    expect(await alarmAtMs()).not.toBe(Date.now() + SAFETY_MS);
  });

  test('fails when it cannot be set again, so that the runtime repeats it', async () => {
    await begin();
    const done = work();
    const failure = await runInDurableObject(stub(), async (object, { storage }) => {
      const away = vi.spyOn(storage, 'setAlarm').mockRejectedValue(new Error('replaced'));
      const failed = await Promise.resolve(object.alarm()).then(() => null, String);
      away.mockRestore();
      return failed;
    });
    expect(failure).toContain('replaced');
    expect(done).not.toHaveBeenCalled();
    await fire();
    expect(done).toHaveBeenCalled();
  });

  test.each([
    ['in memory', async () => undefined],
    ['evicted', () => evictAllDurableObjects()],
  ])('runs by a call when it is lost, of an object that is %s', async (_where, interrupt) => {
    await begin();
    await expect.poll(alarmAtMs).not.toBeNull();
    const done = work();
    await call();
    expect(done).not.toHaveBeenCalled();
    await interrupt();
    advance(DAY_MS + HOUR_MS);
    await call();
    await expect.poll(() => done).toHaveBeenCalled();
    await expect.poll(alarmAtMs).toBeGreaterThan(Date.now());
  });

  test('does not run twice at once', async () => {
    await begin();
    // All in one context: workerd dies of a promise that another context resolves.
    await runInDurableObject(stub(), async (object, { storage }) => {
      const armed = Promise.withResolvers<void>();
      const release = Promise.withResolvers<void>();
      const setAlarm = storage.setAlarm.bind(storage);
      const set = vi.spyOn(storage, 'setAlarm').mockImplementationOnce(async (...args) => {
        await setAlarm(...args);
        armed.resolve();
        await release.promise;
      });
      const running = object.alarm();
      await armed.promise;
      const done = work();
      advance(DAY_MS + HOUR_MS);
      await call();
      // Each run begins with a safety alarm.
      expect(set).toHaveBeenCalledOnce();
      release.resolve();
      await running;
      expect(done).toHaveBeenCalled();
    });
  });
});

test('the alarm of the book comes for an attempt that needs a person while the alarm works', async () => {
  withoutBackup();
  const unresolvedFromMs = Date.now() + MINUTE_MS;
  const left = { transactionId: 'T-1', method: 'TELE_BIRR', chargedMinor: 150 } as const;
  await applyToBook(
    projectionMessage(TENANT, 1, {
      ...{ status: 'succeeded', createdAtMs: Date.now(), endedAtMs: Date.now() },
      ...{ unresolvedAttempts: 1, concernedAttempts: [{ ...left, unresolvedFromMs }] },
    }),
  );
  vi.spyOn(BookBackup.prototype, 'work').mockImplementation(async () => {
    advance(2 * MINUTE_MS);
    return false;
  });
  const alarmAtMs = await runInDurableObject(bookStub(), async (book, { storage }) => {
    await book.alarm();
    return storage.getAlarm();
  });
  expect(alarmAtMs).toBe(unresolvedFromMs);
});

test('the alarm of the book writes the digest that a report could not write', async () => {
  withoutBackup();
  await applyToBook(projectionMessage(TENANT, 1, { createdAtMs: Date.now() }));
  await runInDurableObject(bookStub(), async (book) => {
    const away = vi.spyOn(env.DB, 'batch').mockRejectedValue(plantedError());
    await book.report().catch(() => undefined);
    away.mockRestore();
    advance(HOUR_MS);
    await book.alarm();
  });
  const written = await env.DB.prepare('SELECT 1 FROM book_digest').all();
  expect(written.results).toHaveLength(1);
});
