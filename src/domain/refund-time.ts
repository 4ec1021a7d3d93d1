import type { Intent } from './intent.ts';
import { isInFlight, type Refund } from './refund.ts';
import { refundsOf } from './refund-amounts.ts';
import { type Step, withRefund } from './step.ts';

/** When refunds start, are queried, and become unresolved. */

/** Whether the provider may be called, once it is time. */
export function isStartable(intent: Intent, refund: Refund): boolean {
  return refund.status === 'pending' && !refundsOf(intent, refund.attemptId).some(isInFlight);
}

/** Refunds to request from the provider now. */
export function refundsToStart(intent: Intent, nowMs: number): readonly Refund[] {
  return intent.refunds.filter(
    (refund) => isStartable(intent, refund) && refund.startAtMs <= nowMs,
  );
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
    return [startsAtMs, checkAtMs, closesAtMs].filter((timeMs) => timeMs !== null);
  });
}

/** Makes refunds `unresolved` whose window closed without an outcome. A due query runs first. */
export function applyRefundTime(step: Step, nowMs: number): Step {
  return step.intent.refunds.reduce((next, refund) => {
    const { status, deadlineAtMs, checkAtMs } = refund;
    const isOver = status === 'processing' && deadlineAtMs !== null && nowMs >= deadlineAtMs;
    return isOver && !(checkAtMs !== null && checkAtMs <= nowMs)
      ? withRefund(next, { ...refund, status: 'unresolved', updatedAtMs: nowMs })
      : next;
  }, step);
}
