import { hasEnded, type Intent } from '../../src/engine/domain/intent.ts';
import { hasRefundEnded } from '../../src/engine/domain/refund.ts';
import { RESTORED_HOLD_MS } from '../../src/engine/domain/restored-hold.ts';
import type { Ended } from './ended.ts';
import { keyOf } from './merchants.ts';
import type { World } from './world.ts';

/**
 * A restored gateway has what the backup had, decides nothing by itself about what it cannot know, and
 * announces nothing that a merchant would take for older than what the lost gateway announced.
 */
export function checkRestore(world: World, ended: readonly Ended[]): void {
  const { disaster, journal } = world;
  const lostAtMs = disaster?.lostAtMs ?? null;
  if (disaster === null || lostAtMs === null) {
    return;
  }
  journal.reached.add('restored');
  const found = new Map(
    ended.map((one) => [keyOf(one.payment.merchant, one.payment.uniqueId), one] as const),
  );
  for (const [key, backup] of disaster.payments) {
    const one = found.get(key);
    const isSame = one?.intent.terms.uuid === backup.terms.uuid;
    journal.expect('12 backup', isSame, `${key} of the backup is not there`);
    if (one !== undefined && isSame) {
      checkMark(world, backup, one);
      checkSequences(world, one, lostAtMs);
    }
  }
  for (const [reference, terms] of journal.lostAttempts) {
    const backup = disaster.payments.get(keyOf(terms, terms.uniqueId));
    const isPaid = world.provider.orders.get(reference)?.state === 'paid';
    const isVisible = backup === undefined || !hasEnded(backup.status);
    journal.expect('12 backup', !isPaid || isVisible, `${reference} was paid, and is not visible`);
  }
}

/** Exactly the payments that were not finished are held, until a review or the end of the hold. */
function checkMark({ journal }: World, backup: Intent, { intent, history }: Ended): void {
  const { expect, reached } = journal;
  const { uniqueId } = intent.terms;
  const isFinished = hasEnded(backup.status) && backup.refunds.every(hasRefundEnded);
  const marks = intent.anomalies.filter(({ kind }) => kind === 'restored');
  expect('12 backup', marks.length === Number(!isFinished), `${uniqueId}: ${marks.length} marks`);
  const [mark] = marks;
  if (mark === undefined) {
    return;
  }
  reached.add(`restored ${backup.status}`);
  const heldUntilMs = Math.min(
    mark.reviewedAtMs ?? Number.POSITIVE_INFINITY,
    mark.atMs + RESTORED_HOLD_MS,
  );
  const isHeldAt = (atMs: number) => atMs >= mark.atMs && atMs < heldUntilMs;
  const isStarted = intent.attempts.some(({ startedAtMs }) => isHeldAt(startedAtMs));
  const isEnded = history.some(
    ({ atMs, fromStatus, toStatus }) =>
      isHeldAt(atMs) && fromStatus !== toStatus && ['expired', 'canceled'].includes(toStatus),
  );
  expect('12 backup', !isStarted, `${uniqueId} started an attempt while it was held`);
  expect('12 backup', !isEnded, `${uniqueId} expired or was canceled while it was held`);
}

/** Merchants order events by `sequence`, also those that the lost gateway sent. */
function checkSequences(
  { merchants, journal }: World,
  { intent, events }: Ended,
  lostAtMs: number,
) {
  const { uuid } = intent.terms;
  const sequenceOf = (body: string): { readonly uuid: string; readonly sequence: number } =>
    JSON.parse(JSON.parse(body).body);
  const known = new Set(events.map(({ eventId }) => eventId));
  const lost = merchants.receipts
    .filter(({ atMs, eventId }) => atMs < lostAtMs && !known.has(eventId))
    .map(({ body }) => sequenceOf(body))
    .filter((one) => one.uuid === uuid)
    .map(({ sequence }) => sequence);
  const later = events.filter(({ createdAtMs }) => createdAtMs >= lostAtMs);
  for (const { eventId, sequence } of later) {
    const isLater = lost.every((other) => other < sequence);
    journal.expect('12 backup', isLater, `${eventId} has the number ${sequence} after ${lost}`);
  }
}
