import { runInDurableObject } from 'cloudflare:test';
import { expect, test, vi } from 'vitest';
import type { Command } from '../../../src/engine/domain/command.ts';
import { IntentClient } from '../../../src/engine/intent/client.ts';
import { refuseCallback, requestRefund, startAttempt } from '../../support/intents.ts';
import { plantedError } from '../../support/output/planted.ts';
import { auditLog } from '../dashboard/support.ts';
import { operateApi } from '../operator/support.ts';
import { reportsAreSent } from '../support/gateway.ts';
import {
  ALPHA,
  advance,
  alarmOf,
  allRows,
  clientOf,
  createHosted,
  DAY_MS,
  execute,
  fireAlarm,
  MINUTE_MS,
  resolveAttempt,
  stubOf,
  useGateway,
} from '../support.ts';
import { withRecovery } from './restore-support.ts';

/**
 * Goal: point-in-time recovery never makes a payment forget money or a message. Method: commands
 * before and after the time, with stubs of the recovery that the local runtime lacks. The restart is
 * left out, because it would lose the stubs.
 */

useGateway();

const PATH = `/payments/sandbox/${ALPHA.id}/order-1/restore`;

const start = () =>
  startAttempt('second', { deadlineAtMs: Date.now() + 10 * MINUTE_MS, windowIsFinal: false });

/** A time after now, as the command takes it. */
function timeAfterNow(afterMs = 61_000): string {
  advance(afterMs);
  const text = new Date(Date.now()).toISOString().replace(/\.\d+/, '');
  advance(1_000);
  return text;
}

function setBack(at: string) {
  return operateApi(PATH, { at });
}

/** A payment with these commands before the time, and those after it. */
async function livedThrough(before: readonly Command[], after: readonly Command[]) {
  await createHosted();
  await execute(...before);
  const at = timeAfterNow();
  const restored = await withRecovery('order-1');
  if (after.length > 0) {
    await execute(...after);
  }
  await reportsAreSent();
  return { at, restored };
}

test('decisions.md#49: a payment that remembers nothing since is set back, with a way to undo it', async () => {
  const { at, restored } = await livedThrough([start(), resolveAttempt('second', 'succeeded')], []);
  await execute(refuseCallback('second'));
  const answer = await setBack(at);
  expect(answer).toMatchObject({ status: 200, envelope: { content: { undoBookmark: 'undo' } } });
  expect(restored).toEqual([`at ${Date.parse(at)}`]);
  const entries = (await auditLog()).filter(({ action }) => action === 'payment.restored');
  expect(entries).toMatchObject([{ target: 'order-1' }]);
});

test.each<[string, () => readonly Command[], () => readonly Command[], string]>([
  ['an attempt was started', () => [], () => [start()], 'attempt was started'],
  [
    'an outcome was recorded',
    () => [start()],
    () => [resolveAttempt('second', 'failed')],
    'provider answered',
  ],
  [
    'a refund was requested',
    () => [start(), resolveAttempt('second', 'succeeded')],
    () => [requestRefund('r-1')],
    'refund was requested',
  ],
  ['an event was announced', () => [], () => [{ type: 'abandon_payment' }], 'event was announced'],
  ['it was canceled', () => [], () => [{ type: 'cancel' }], 'cancel'],
])('refuses to set a payment back when %s since', async (_name, before, after, what) => {
  const { at, restored } = await livedThrough(before(), after());
  const answer = await setBack(at);
  expect(answer).toMatchObject({ status: 409, envelope: { code: 'payment_remembers' } });
  expect(answer.envelope.message).toContain(what);
  expect(restored).toEqual([]);
});

test('refuses when it may forget what happened just before, because bookmarks are approximate', async () => {
  await createHosted();
  await execute(start());
  const at = timeAfterNow(30_000);
  await withRecovery('order-1');
  expect(await setBack(at)).toMatchObject({
    status: 409,
    envelope: { code: 'payment_remembers' },
  });
});

test('refuses when the provider may have been called since', async () => {
  const queued = startAttempt('second', {
    ...{ flow: 'push', startClaim: 'free', deadlineAtMs: Date.now() + 10 * MINUTE_MS },
    // The test claims it.
    railId: 'not-configured',
  });
  const claim: Command = {
    ...{ type: 'claim_start', attemptId: 'second', claimId: 'c1' },
    deadlineAtMs: Date.now() + 10 * MINUTE_MS,
  };
  const { at } = await livedThrough([queued], [claim]);
  expect(await setBack(at)).toMatchObject({ status: 409 });
});

const hold = () =>
  operateApi(`/payments/sandbox/${ALPHA.id}/order-1/hold`, { reason: 'Court order 12' });

test.each<[string, boolean]>([
  ['its record says so', false],
  ['its record cannot be read, and its book says so', true],
])('refuses to set a payment back that was held since, when %s', async (_when, isDamaged) => {
  const { at, restored } = await livedThrough([start(), resolveAttempt('second', 'succeeded')], []);
  expect((await hold()).status).toBe(200);
  await reportsAreSent();
  if (isDamaged) {
    await damage();
    await forgetMemory();
  }
  const answer = await setBack(at);
  expect(answer).toMatchObject({ status: 409, envelope: { code: 'payment_remembers' } });
  expect(answer.envelope.message).toContain('held or released');
  expect(restored).toEqual([]);
});

test('a payment whose recovery fails goes on', async () => {
  const { at } = await livedThrough([], []);
  await runInDurableObject(stubOf('order-1'), (_payment, { storage }) => {
    storage.onNextSessionRestoreBookmark = async () => {
      throw plantedError('no such bookmark');
    };
  });
  await expect(clientOf('order-1').restoreTo(Date.parse(at), false)).rejects.toThrow();
  const result = await clientOf('order-1').execute([{ type: 'cancel' }]);
  expect(result).toMatchObject({ type: 'done', rejection: null });
});

test('a payment that is being set back stores nothing, so that the restart loses nothing', async () => {
  const { at } = await livedThrough([], []);
  await clientOf('order-1').restoreTo(Date.parse(at), false);
  await runInDurableObject(stubOf('order-1'), (payment) => {
    expect(() => payment.execute([{ type: 'cancel' }])).toThrow('set back');
  });
});

test('a payment that is being set back keeps what its retention would delete', async () => {
  const { at } = await livedThrough([{ type: 'cancel' }], []);
  await clientOf('order-1').restoreTo(Date.parse(at), false);
  advance(2 * 366 * DAY_MS);
  const stored = await allRows();
  await fireAlarm();
  expect(await allRows()).toEqual(stored);
  // The alarm comes again, so that the retention is not lost with a failed restart.
  expect(await alarmOf()).toBeGreaterThan(Date.now());
});

/** Returns what undoes it. */
async function damage(): Promise<() => Promise<void>> {
  const write = (contents: readonly SqlStorageValue[]) =>
    runInDurableObject(stubOf('order-1'), (_payment, { storage: { sql } }) => {
      const known = sql.exec<{ id: number; content: SqlStorageValue }>(
        'SELECT id, content FROM record',
      );
      return known.toArray().map(({ id, content }, index) => {
        sql.exec('UPDATE record SET content = ? WHERE id = ?', contents[index] ?? '{', id);
        return content;
      });
    });
  const before = await write([]);
  return async () => void (await write(before));
}

test('an unreadable record is set back when the book says that nothing happened since', async () => {
  const { at, restored } = await livedThrough([start(), resolveAttempt('second', 'succeeded')], []);
  const repair = await damage();
  await forgetMemory();
  // The local runtime brings nothing back when the object restarts.
  const { restart } = IntentClient.prototype;
  vi.spyOn(IntentClient.prototype, 'restart').mockImplementation(async function (
    this: IntentClient,
  ) {
    await repair();
    await restart.call(this);
  });
  expect(await setBack(at)).toMatchObject({ status: 200 });
  expect(restored).toHaveLength(1);
});

test.each<[string, readonly Command[], readonly Command[]]>([
  ['the book shows a change since', [], [{ type: 'cancel' }]],
  ['the payment had not ended, so the book may lack attempts', [], []],
])('refuses to set an unreadable record back when %s', async (_name, before, after) => {
  const { at, restored } = await livedThrough(before, after);
  await damage();
  await forgetMemory();
  expect(await setBack(at)).toMatchObject({ status: 409 });
  expect(restored).toEqual([]);
});

/** The object reads its record again, as after an eviction, which would lose the stubs. */
async function forgetMemory(): Promise<void> {
  await runInDurableObject(stubOf('order-1'), (payment, { storage }) => {
    const { transactionSync } = storage;
    storage.transactionSync = () => {
      throw plantedError('rolled back');
    };
    expect(() => payment.execute([{ type: 'tick' }])).toThrow();
    storage.transactionSync = transactionSync;
  });
}
