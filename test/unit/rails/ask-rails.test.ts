import { setImmediate } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import type { Command } from '../../../src/engine/domain/command.ts';
import { decide, openIntent } from '../../../src/engine/domain/decide.ts';
import type { RefundOutcome } from '../../../src/engine/domain/refund.ts';
import { askRails } from '../../../src/engine/intent/ask-rails.ts';
import type { Ports } from '../../../src/engine/intent/ports.ts';
import type { ExecuteResult } from '../../../src/engine/intent/protocol.ts';
import {
  accepted,
  paidTwice,
  requestRefund,
  someTerms,
  startAttempt,
} from '../../support/intents.ts';

/**
 * Goal: the alarm stores every answer that a provider gives, because Kefel requests a refund only
 * once.
 */

test('an answer that cannot be stored does not end the wait for the others', async () => {
  const requests = [requestRefund('one', { attemptId: 'first' }), requestRefund('other')];
  let { intent } = decide(paidTwice(), requests, 1);
  const execute = (command: Command): ExecuteResult => {
    if (command.type === 'resolve_refund' && command.refundId === 'one') {
      throw new Error('the storage is full');
    }
    const decided = decide(intent, [command], 1);
    intent = decided.intent;
    return { type: 'done', intent, rejection: decided.rejection, answer: null };
  };
  const slow = Promise.withResolvers<RefundOutcome>();
  const start = vi.fn<Ports['refunds']['start']>(async (_env, _intent, { id }) =>
    id === 'one' ? { type: 'failed', reason: 'declined' } : slow.promise,
  );
  const ports = {
    attempts: { start: vi.fn(), query: vi.fn() },
    refunds: { start, repeat: vi.fn(), query: vi.fn() },
    alerts: { queueFails: vi.fn(), startWaits: vi.fn() },
  };
  const hasEnded = vi.fn();
  const asked = askRails(
    { env: {} as Env, objectName: 'object', ports, execute, startSlowly: vi.fn() },
    intent,
    1,
  )
    .catch((error: unknown) => error)
    .finally(hasEnded);
  await vi.waitFor(() => expect(start).toHaveBeenCalledTimes(2));
  // All that the first answer sets off has happened.
  await setImmediate();
  expect(hasEnded).not.toHaveBeenCalled();
  slow.resolve({ type: 'succeeded', railReference: 'RAIL-1' });
  expect(await asked).toEqual(new Error('the storage is full'));
  expect(intent.refunds).toMatchObject([{ status: 'processing' }, { status: 'succeeded' }]);
});

test.each([
  ['production', 31_000, 1],
  ['production', 29_000, 0],
  ['sandbox', 31_000, 0],
] as const)(
  'a start of the %s that nothing has claimed for %d ms',
  async (environment, waitedMs, told) => {
    vi.spyOn(Date, 'now').mockReturnValue(waitedMs);
    const start = startAttempt('a1', {
      startClaim: 'free',
      checkAtMs: 5_000,
      deadlineAtMs: 90_000,
    });
    const intent = accepted(
      openIntent(someTerms({ environment, expiresAtMs: 90_000 })),
      [start],
      0,
    );
    const startWaits = vi.fn<Ports['alerts']['startWaits']>();
    const startSlowly = vi.fn();
    const ports = {
      events: { body: vi.fn(), sign: vi.fn(), requestBody: vi.fn() },
      attempts: { start: vi.fn(), query: vi.fn() },
      refunds: { start: vi.fn(), repeat: vi.fn(), query: vi.fn() },
      alerts: { queueFails: vi.fn(), startWaits },
      book: { apply: vi.fn() },
    };
    const execute = vi.fn();
    await askRails(
      { env: {} as Env, objectName: 'object', ports, execute, startSlowly },
      intent,
      waitedMs,
    );
    expect(startSlowly).toHaveBeenCalledTimes(1);
    expect(startWaits).toHaveBeenCalledTimes(told);
  },
);
