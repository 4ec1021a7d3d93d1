import { type Anomaly, hasEnded, type Intent } from './intent.ts';
import { hasRefundEnded, type Refund } from './refund.ts';

/**
 * A payment that a backup brought back. What the gateway did after the backup is lost: the customer
 * may have paid by an attempt that Kefel does not know, and the provider may have got a call that the
 * payment does not remember. Unknown is not failed (docs/decisions.md#49).
 */

/**
 * How far the version moves: further than a payment can have changed in the lost time, with all its
 * attempts and refunds. Merchants order events by it, and have got events that the backup lacks.
 */
export const LOST_VERSIONS_MAX = 1_000;

/** The claim of a call that the lost gateway may have made. No caller has this id. */
const LOST_CLAIM = 'restored';

/**
 * The payment as its backup has it, marked for the operator if it was not finished then. Applies no
 * time: a payment whose time is over must get its mark before it could expire. No event is announced.
 */
export function restored(backup: Intent, backedUpAtMs: number, nowMs: number): Intent {
  const version = backup.version + LOST_VERSIONS_MAX;
  if (isFinished(backup)) {
    return { ...backup, version };
  }
  const mark: Anomaly = {
    kind: 'restored',
    attemptId: null,
    backedUpAtMs,
    reviewedAtMs: null,
    atMs: nowMs,
  };
  return {
    ...backup,
    version,
    updatedAtMs: nowMs,
    // A start that was free then may have been claimed since. Nothing calls the provider again.
    attempts: backup.attempts.map((attempt) =>
      attempt.startClaim === 'free'
        ? { ...attempt, startClaim: 'taken', startClaimId: LOST_CLAIM }
        : attempt,
    ),
    refunds: backup.refunds.map((refund) => withLostCall(refund, nowMs)),
    anomalies: [...backup.anomalies, mark],
  };
}

/** Whether nothing could follow the backup but refunds, callbacks and provider queries. */
function isFinished({ status, refunds }: Intent): boolean {
  return hasEnded(status) && refunds.every(hasRefundEnded);
}

/** A refund that waited may have been sent since: it is queried, and never sent by itself. */
function withLostCall(refund: Refund, nowMs: number): Refund {
  return refund.status === 'pending'
    ? {
        ...refund,
        status: 'unresolved',
        claimId: LOST_CLAIM,
        deadlineAtMs: nowMs,
        checkAtMs: nowMs,
        updatedAtMs: nowMs,
      }
    : refund;
}
