import { expect, test } from 'vitest';
import type { Command } from '../../../src/engine/domain/command.ts';
import { attemptsToCheck, decide, nextWakeAtMs } from '../../../src/engine/domain/decide.ts';
import type { Intent } from '../../../src/engine/domain/intent.ts';
import { refundsToCheck, refundsToStart } from '../../../src/engine/domain/refund-time.ts';
import { LOST_VERSIONS_MAX, restored } from '../../../src/engine/domain/restored.ts';
import { RESTORED_HOLD_MS } from '../../../src/engine/domain/restored-hold.ts';
import { statusContent } from '../../../src/engine/webhooks/payload.ts';
import { fail, requestRefund, startAttempt, succeed, TICK } from '../../support/intents.ts';
import { at, play, type Story } from '../../support/story.ts';

/** The terms expire at 60 s; the backup is from 20 s, the restore from two minutes. */
const BACKED_UP_AT_MS = 20_000;
const RESTORED_AT_MS = 120_000;

const REVIEW: Command = {
  ...{ type: 'review_anomalies', count: 1, operator: 'Hana', isVerified: true },
  note: 'The statement has no such payment.',
};

function restoredAfter(story: Story, changes = {}): Intent {
  return restored(play(story, changes).intent, BACKED_UP_AT_MS, RESTORED_AT_MS);
}

function then(intent: Intent, command: Command, nowMs: number) {
  const { steps, rejection, intent: after } = decide(intent, [command], nowMs);
  return { after, events: steps.flatMap(({ event }) => event ?? []), rejection };
}

test('decisions.md#49: an open payment is marked with the time of its backup', () => {
  const intent = restoredAfter([]);
  expect(intent.anomalies).toEqual([
    {
      ...{ kind: 'restored', attemptId: null, reviewedAtMs: null },
      ...{ backedUpAtMs: BACKED_UP_AT_MS, atMs: RESTORED_AT_MS },
    },
  ]);
  expect(intent).toMatchObject({ status: 'open', version: 1 + LOST_VERSIONS_MAX });
});

test('decisions.md#49: a finished payment returns as it was, but its next events come after the lost ones', () => {
  const { intent } = play([startAttempt('a'), succeed('a')]);
  const version = intent.version + LOST_VERSIONS_MAX;
  expect(restored(intent, BACKED_UP_AT_MS, RESTORED_AT_MS)).toEqual({ ...intent, version });
});

test('decisions.md#49, promises.md#5: a restored payment past its time stays open until its hold ends', () => {
  const intent = restoredAfter([]);
  const heldUntilMs = RESTORED_AT_MS + RESTORED_HOLD_MS;
  expect(nextWakeAtMs(intent)).toBe(heldUntilMs);
  expect(then(intent, TICK, heldUntilMs - 1)).toMatchObject({ after: intent, events: [] });
  expect(then(intent, TICK, heldUntilMs)).toMatchObject({
    after: { status: 'expired' },
    events: ['payment_expired'],
  });
  expect(statusContent(intent).expiryHeldUntil).toBe(new Date(heldUntilMs).toISOString());
});

test('a payment past its time expires with its review', () => {
  const { after, events } = then(restoredAfter([]), REVIEW, RESTORED_AT_MS + 1);
  expect(after.status).toBe('expired');
  expect(events).toEqual(['payment_expired']);
  expect(statusContent(after).expiryHeldUntil).toBeNull();
});

test.each<[string, Command]>([
  ['the customer starts another attempt', startAttempt('b', { deadlineAtMs: 300_000 })],
  ['the merchant cancels it', { type: 'cancel' }],
  ['the customer abandons it', { type: 'abandon_payment' }],
])('rejects a command on a held payment, which may have been paid, when %s', (_name, command) => {
  const intent = restoredAfter([], { expiresAtMs: 900_000 });
  expect(then(intent, command, RESTORED_AT_MS + 1)).toMatchObject({
    after: intent,
    events: [],
    rejection: 'attempt_in_flight',
  });
  const { after } = then(intent, REVIEW, RESTORED_AT_MS + 2);
  expect(then(after, command, RESTORED_AT_MS + 3).rejection).toBeNull();
});

test('the provider is queried about an attempt whose start may have been claimed since', () => {
  const plan = { ...startAttempt('a', { flow: 'push', startClaim: 'free', checkAtMs: 25_000 }) };
  const intent = restoredAfter([at(19_000, plan)]);
  expect(intent.attempts).toMatchObject([{ startClaim: 'taken', status: 'processing' }]);
  const { after, events } = then(intent, TICK, RESTORED_AT_MS);
  expect(events).toEqual([]);
  expect(attemptsToCheck(after, RESTORED_AT_MS).map(({ id }) => id)).toEqual(['a']);
  const claim: Command = {
    ...{ type: 'claim_start', attemptId: 'a', claimId: 'new', deadlineAtMs: 900_000 },
  };
  expect(then(after, claim, RESTORED_AT_MS).rejection).toBe('start_not_claimable');
});

test('an attempt in flight that was paid since pays the payment, without being late', () => {
  const intent = restoredAfter([at(19_000, startAttempt('a'))]);
  const { after, events } = then(intent, succeed('a'), RESTORED_AT_MS + 1);
  expect(after).toMatchObject({ status: 'succeeded', late: false, paidAttemptId: 'a' });
  expect(events).toEqual(['payment_succeeded']);
});

test('a payment whose attempt in flight failed stays held: another attempt may be lost', () => {
  const intent = restoredAfter([at(19_000, startAttempt('a'))]);
  const { after, events } = then(intent, fail('a'), RESTORED_AT_MS + 1);
  expect(after).toMatchObject({ status: 'open', attempts: [{ status: 'failed' }] });
  expect(events).toEqual([]);
});

test('decisions.md#49: a refund that waited is queried and never sent: it may have been sent', () => {
  const story = [startAttempt('second'), succeed('second'), requestRefund('r1')];
  const intent = restoredAfter(story);
  expect(intent).toMatchObject({
    status: 'succeeded',
    refunds: [{ status: 'unresolved' }],
    anomalies: [{ kind: 'restored' }],
  });
  // A paid payment is not held.
  expect(statusContent(intent).expiryHeldUntil).toBeNull();
  const { after, events } = then(intent, TICK, RESTORED_AT_MS + 1);
  expect(events).toEqual([]);
  expect(refundsToStart(after, RESTORED_AT_MS + RESTORED_HOLD_MS)).toEqual([]);
  expect(refundsToCheck(after, RESTORED_AT_MS)).toHaveLength(1);
});

test('a second restore marks the payment again, and holds it again', () => {
  const first = restoredAfter([], { expiresAtMs: RESTORED_AT_MS + 3 });
  const reviewed = then(first, REVIEW, RESTORED_AT_MS + 1).after;
  const again = restored(reviewed, RESTORED_AT_MS + 2, RESTORED_AT_MS + 3);
  expect(again.anomalies).toHaveLength(2);
  expect(then(again, TICK, RESTORED_AT_MS + 4).events).toEqual([]);
});
