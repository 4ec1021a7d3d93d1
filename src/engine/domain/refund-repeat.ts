import type { Intent } from './intent.ts';
import { isWellFormedNote } from './manual-resolution.ts';
import { isReceiptShared } from './receipt.ts';
import type { Refund, RefundCommand } from './refund.ts';
import { needsReview, stillFits } from './refund-amounts.ts';
import { find, reject, type Step, withRefund } from './step.ts';

/**
 * Sending a refund again with the same number, after its first call ended without an outcome
 * (docs/decisions.md#40). One repeat is in flight at a time: while it is, the refund is in
 * `processing`, so that no operator can record an outcome or ask for another repeat.
 */

/**
 * The command is rejected unless the first call is over. After a crash in the call, the refund is
 * unresolved again.
 */
export function repeatRefund(
  step: Step,
  refund: Refund,
  command: Extract<RefundCommand, { type: 'repeat_refund' }>,
): Step {
  const { repeatId, operator, note, isVerified, deadlineAtMs } = command;
  if (refund.repeat?.repeatId === repeatId) {
    // A retry of a command whose first answer was lost.
    return step;
  }
  if (!isWellFormedNote(operator, note, null)) {
    return reject(step, 'malformed_resolution');
  }
  if (step.intent.terms.environment === 'production' && !isVerified) {
    return reject(step, 'operator_not_verified');
  }
  const attempt = find(step.intent, refund.attemptId);
  const isShared = attempt !== null && isReceiptShared(step.intent, attempt);
  if (refund.status !== 'unresolved' || refund.claimId === null || isShared) {
    return reject(step, 'refund_not_repeatable');
  }
  if (!maySend(step.intent, refund)) {
    return reject(step, 'refund_too_large');
  }
  return withRefund(step, {
    ...refund,
    status: 'processing',
    repeat: { repeatId, claimId: null },
    // The call may make an operator's proposal wrong.
    proposal: null,
    deadlineAtMs,
    checkAtMs: deadlineAtMs,
    checks: 0,
    updatedAtMs: step.nowMs,
  });
}

/** Each repeat gets at most one claim. */
export function claimRefundRepeat(
  step: Step,
  refund: Refund,
  { claimId, deadlineAtMs }: Extract<RefundCommand, { type: 'claim_refund_repeat' }>,
): Step {
  const { repeat } = refund;
  if (repeat?.claimId === claimId) {
    // A retry of a command whose first answer was lost.
    return step;
  }
  if (repeat === null || !isRepeatDue(step.intent, refund) || isOver(refund, step.nowMs)) {
    return reject(step, 'refund_not_claimable');
  }
  return withRefund(step, {
    ...refund,
    repeat: { ...repeat, claimId },
    deadlineAtMs,
    checkAtMs: deadlineAtMs,
    updatedAtMs: step.nowMs,
  });
}

/** Whether the provider must be called again, unless it is too late. */
export function isRepeatDue(intent: Intent, refund: Refund): boolean {
  return (
    refund.status === 'processing' && refund.repeat?.claimId === null && maySend(intent, refund)
  );
}

/** Whether the time has passed in which the operator expects the call. */
export function isOver({ deadlineAtMs }: Refund, nowMs: number): boolean {
  return deadlineAtMs !== null && nowMs >= deadlineAtMs;
}

/**
 * Another refund may have returned the money since, by hand or after its failure, also one of another
 * payment with the same receipt.
 */
function maySend(intent: Intent, refund: Refund): boolean {
  const attempt = find(intent, refund.attemptId);
  return (
    attempt !== null &&
    stillFits(intent, attempt, refund) &&
    !needsReview(intent, attempt) &&
    !isReceiptShared(intent, attempt)
  );
}
