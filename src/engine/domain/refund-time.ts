import type { Intent } from './intent.ts';
import { isReceiptShared } from './receipt.ts';
import { isInFlight, isWaiting, type Refund, type RefundActionReason } from './refund.ts';
import { refundsOf, stillFits } from './refund-amounts.ts';
import { isOver, isRepeatDue } from './refund-repeat.ts';
import { DAY_MS } from './schedule.ts';
import { announce, find, type Step, withRefund } from './step.ts';

/** Until when refunds may be requested, and when they start, are queried, and become unresolved. */

/** The last moment at which the operator's limit allows a refund of what was paid at `paidAtMs`. */
export function refundableUntilMs(paidAtMs: number, ageDaysMax: number): number {
  return paidAtMs + ageDaysMax * DAY_MS;
}

export function isTooOldToRefund(paidAtMs: number, ageDaysMax: number, nowMs: number): boolean {
  return nowMs > refundableUntilMs(paidAtMs, ageDaysMax);
}

/** Whether the provider may be called, once it is time. */
export function isStartable(intent: Intent, refund: Refund): boolean {
  return (
    refund.status === 'pending' &&
    stopReason(intent, refund) === null &&
    !refundsOf(intent, refund.attemptId).some(isInFlight)
  );
}

/** Refunds to request from the provider now. */
export function refundsToStart(intent: Intent, nowMs: number): readonly Refund[] {
  return intent.refunds.filter(
    (refund) => isStartable(intent, refund) && refund.startAtMs <= nowMs,
  );
}

/** Refunds to send to the provider again now. */
export function refundsToRepeat(intent: Intent, nowMs: number): readonly Refund[] {
  return intent.refunds.filter((refund) => isRepeatDue(intent, refund) && !isOver(refund, nowMs));
}

/** Refunds whose provider query is due. */
export function refundsToCheck(intent: Intent, nowMs: number): readonly Refund[] {
  return intent.refunds.filter(({ checkAtMs }) => checkAtMs !== null && checkAtMs <= nowMs);
}

/** When refunds need the alarm. A refund that waits for another refund or a person has no time. */
export function refundTimes(intent: Intent): readonly number[] {
  return intent.refunds.flatMap((refund) => {
    const { status, startAtMs, checkAtMs, deadlineAtMs } = refund;
    const closesAtMs = status === 'processing' ? deadlineAtMs : null;
    const startsAtMs = isStartable(intent, refund) ? startAtMs : null;
    const stopsAtMs = stopReason(intent, refund) === null ? null : refund.updatedAtMs;
    const repeatsAtMs = isRepeatDue(intent, refund) ? refund.updatedAtMs : null;
    return [startsAtMs, checkAtMs, closesAtMs, stopsAtMs, repeatsAtMs].filter(
      (timeMs) => timeMs !== null,
    );
  });
}

/** Why a refund that was not executed must wait for a person; null when it need not, or does. */
function stopReason(intent: Intent, refund: Refund): RefundActionReason | null {
  const attempt = find(intent, refund.attemptId);
  if (attempt === null || !isWaiting(refund) || refund.actionReason === 'exceeds_payment') {
    return null;
  }
  if (!stillFits(intent, attempt, refund)) {
    return 'exceeds_payment';
  }
  return refund.status === 'pending' && isReceiptShared(intent, attempt)
    ? 'receipt_conflict'
    : null;
}

/**
 * Applies the time that is due to one refund. A step changes one refund and has one event, so the
 * next step applies it to the next. A refund becomes `unresolved` if its window closed without an
 * outcome; a due query runs first. An operator decides about one that would return too much, or the
 * money of another payment.
 */
export function applyRefundTime(step: Step): Step {
  for (const refund of step.intent.refunds) {
    const actionReason = stopReason(step.intent, refund);
    if (actionReason !== null) {
      const stopped = { status: 'requires_action', actionReason } as const;
      const changed = withRefund(step, { ...refund, ...stopped, updatedAtMs: step.nowMs });
      // One that waits for a person already was announced then.
      return announce(changed, refund.status === 'pending' ? 'refund_requires_action' : null);
    }
    const { status, checkAtMs } = refund;
    const isClosed = status === 'processing' && isOver(refund, step.nowMs);
    if (isClosed && !(checkAtMs !== null && checkAtMs <= step.nowMs)) {
      return withRefund(step, { ...refund, status: 'unresolved', updatedAtMs: step.nowMs });
    }
  }
  return step;
}
