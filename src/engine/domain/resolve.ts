import type { Attempt, Outcome } from './attempt.ts';
import type { Command } from './command.ts';
import { attemptInFlight, hasEnded } from './intent.ts';
import { printableCode } from './provider-code.ts';
import { hasSameReceipt, isReceiptOf, secondReceipt } from './receipt.ts';
import { expiryAtMs } from './restored-hold.ts';
import {
  end,
  hasAnomaly,
  reject,
  reopenOrFail,
  type Step,
  withAnomaly,
  withAttempt,
} from './step.ts';
import { applyTime, awaitsProof, isPending, notAfterWindow } from './time.ts';

/** Resolving an attempt, and its effect on the payment. */

/** How far a provider's clock may be ahead of ours. */
const CLOCK_SKEW_MS_MAX = 60_000;

type Success = Extract<Outcome, { type: 'succeeded' }>;
type Failure = Extract<Outcome, { type: 'failed' }>;

export function resolveAttempt(
  step: Step,
  attempt: Attempt,
  command: Extract<Command, { type: 'resolve_attempt' }>,
): Step {
  if (command.onlyPending === true && !isPending(attempt)) {
    return reject(step, 'attempt_not_pending');
  }
  switch (command.outcome.type) {
    case 'succeeded':
      return recordSuccess(step, attempt, command.outcome);
    case 'failed':
      return recordFailure(step, attempt, command.outcome);
    case 'unknown':
      return isPending(attempt) || awaitsProof(attempt)
        ? recordInconclusiveQuery(step, attempt, command, command.outcome)
        : step;
  }
}

/** Schedules the next query. The attempt's window may close now that its last query has ended. */
function recordInconclusiveQuery(
  step: Step,
  attempt: Attempt,
  { answersCheckAtMs }: Extract<Command, { type: 'resolve_attempt' }>,
  { checkAtMs, providerCode }: Extract<Outcome, { type: 'unknown' }>,
): Step {
  const isOutdated = answersCheckAtMs !== undefined && answersCheckAtMs !== attempt.checkAtMs;
  const nextAtMs = isOutdated ? earlier(attempt.checkAtMs, checkAtMs) : checkAtMs;
  const checked = {
    ...attempt,
    checks: isOutdated ? attempt.checks : attempt.checks + 1,
    // Only queries name the check that they answer; callbacks and starts do not.
    queriedAtMs: answersCheckAtMs === undefined ? attempt.queriedAtMs : step.nowMs,
    checkAtMs: notAfterWindow(nextAtMs, attempt, step.nowMs),
    providerCode: lastCode(attempt, providerCode),
  };
  return applyTime(withAttempt(step, checked));
}

function earlier(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

/** Keeps the previous code when the provider sends none, or one that must not be stored. */
function lastCode(attempt: Attempt, providerCode: string | null | undefined): string | null {
  return printableCode(providerCode) ?? attempt.providerCode;
}

/** Money moved: the intent has succeeded from any status. A second success is an anomaly. */
function recordSuccess(step: Step, attempt: Attempt, outcome: Success): Step {
  if (attempt.status === 'succeeded') {
    return recordProof(step, attempt, outcome);
  }
  const proved = { ...attempt, isProved: true, checkAtMs: null };
  return recordPaid(step, proved, outcome);
}

/** The same for a success that the provider reports and for one that an operator records. */
export function recordPaid(step: Step, attempt: Attempt, outcome: Success): Step {
  const { neverReached: _, ...reached } = attempt;
  const paid: Attempt = {
    ...reached,
    status: 'succeeded',
    failureReason: null,
    proposal: null,
    receipt: outcome.receipt,
    issuerReceipt: outcome.issuerReceipt ?? null,
    providerCode: lastCode(attempt, outcome.providerCode),
    updatedAtMs: step.nowMs,
  };
  const resolved = withAttempt(step, paid);
  if (step.intent.status === 'succeeded') {
    const { id: attemptId } = attempt;
    const duplicate = withAnomaly(resolved, { kind: 'duplicate_payment', attemptId });
    // Two attempts with one receipt: the customer may have paid only once.
    return hasSameReceipt(step.intent, paid)
      ? withAnomaly(duplicate, { kind: 'receipt_conflict', attemptId })
      : duplicate;
  }
  const late = hasEnded(step.intent.status) || isPaidAfterExpiry(step, outcome);
  const succeeded = { late, paidAttemptId: attempt.id };
  const { intent } = resolved;
  return end({ ...resolved, intent: { ...intent, ...succeeded } }, 'succeeded');
}

/**
 * The provider reports an attempt that is paid already. If only an operator said so, it is proved
 * now, and the provider's receipt replaces the operator's, because refunds name it.
 */
function recordProof(step: Step, attempt: Attempt, outcome: Success): Step {
  if (attempt.isProved) {
    const proof = { receipt: outcome.receipt, issuerReceipt: outcome.issuerReceipt ?? null };
    return secondReceipt(step, attempt, proof) ?? withMissingReceipts(step, attempt, outcome);
  }
  const { receipt, issuerReceipt = null, providerCode } = outcome;
  const queried = { ...attempt, checkAtMs: null, providerCode: lastCode(attempt, providerCode) };
  if (receipt === null) {
    return withAttempt(step, queried);
  }
  const paid: Attempt = { ...queried, isProved: true, receipt, issuerReceipt };
  const proved = withAttempt(step, paid);
  if (attempt.receipt === null || isReceiptOf(attempt.receipt, paid)) {
    return proved;
  }
  const { id: attemptId, receipt: replacedReceipt } = attempt;
  return withAnomaly(proved, { kind: 'receipt_conflict', attemptId, replacedReceipt });
}

/** A second proof may have an id that the first one lacked; a refund may need it. */
function withMissingReceipts(step: Step, attempt: Attempt, outcome: Success): Step {
  const receipt = attempt.receipt ?? outcome.receipt;
  const issuerReceipt = attempt.issuerReceipt ?? outcome.issuerReceipt ?? null;
  return receipt === attempt.receipt && issuerReceipt === attempt.issuerReceipt
    ? step
    : withAttempt(step, { ...attempt, receipt, issuerReceipt });
}

/**
 * Whether the provider dates the payment after its expiry, which the attempt in flight held up. A
 * date in the future comes from a wrong clock or time zone, and proves nothing.
 */
function isPaidAfterExpiry({ intent, nowMs }: Step, { paidAtMs }: Success): boolean {
  return (
    paidAtMs != null && paidAtMs > intent.terms.expiresAtMs && paidAtMs <= nowMs + CLOCK_SKEW_MS_MAX
  );
}

/** Nothing was paid. This changes only a pending attempt; for a paid one it is an anomaly. */
export function recordFailure(
  step: Step,
  attempt: Attempt,
  { reason, neverReached, providerCode }: Failure,
): Step {
  if (attempt.status === 'succeeded') {
    // This answers the query whether the provider confirms the payment.
    const queried =
      attempt.checkAtMs === null ? step : withAttempt(step, { ...attempt, checkAtMs: null });
    return hasAnomaly(step, 'contradicting_failure', attempt)
      ? queried
      : withAnomaly(queried, { kind: 'contradicting_failure', attemptId: attempt.id });
  }
  if (!isPending(attempt)) {
    return step;
  }
  const isCurrent = attemptInFlight(step.intent)?.id === attempt.id;
  const failed = withAttempt(step, {
    ...attempt,
    status: 'failed',
    failureReason: reason,
    ...(neverReached && { neverReached }),
    proposal: null,
    checkAtMs: null,
    providerCode: lastCode(attempt, providerCode),
    updatedAtMs: step.nowMs,
  });
  if (!isCurrent) {
    return failed;
  }
  // The same result as when the window closes first: the order depends only on milliseconds.
  const ranOut = reason === 'timed_out' && step.nowMs >= expiryAtMs(step.intent);
  return ranOut ? end(failed, 'expired') : reopenOrFail(failed, reason);
}
