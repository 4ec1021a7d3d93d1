import { type Attempt, attemptInFlight, type Command, hasEnded, type Outcome } from './intent.ts';
import { printableCode } from './provider-code.ts';
import {
  attemptFailed,
  end,
  find,
  hasAnomaly,
  reject,
  type Step,
  withAnomaly,
  withAttempt,
} from './step.ts';
import { applyTime, isPending, notAfterWindow } from './time.ts';

/** What becomes of a payment when a rail says how an attempt went. */

export function resolveAttempt(
  step: Step,
  command: Extract<Command, { type: 'resolve_attempt' }>,
  nowMs: number,
): Step {
  const attempt = find(step.intent, command.attemptId);
  if (attempt === null) {
    return reject(step, 'attempt_not_found');
  }
  if (command.onlyPending === true && !isPending(attempt)) {
    return reject(step, 'attempt_not_pending');
  }
  switch (command.outcome.type) {
    case 'succeeded':
      return attemptSucceeds(step, attempt, command.outcome, nowMs);
    case 'failed':
      return attemptFails(step, attempt, command.outcome, nowMs);
    case 'unknown':
      return isPending(attempt)
        ? recordInconclusiveQuery(step, attempt, command, command.outcome, nowMs)
        : step;
  }
}

/** Nothing was proved. The window of an attempt that had to be asked about first may close now. */
function recordInconclusiveQuery(
  step: Step,
  attempt: Attempt,
  { answersCheckAtMs }: Extract<Command, { type: 'resolve_attempt' }>,
  { checkAtMs, providerCode }: Extract<Outcome, { type: 'unknown' }>,
  nowMs: number,
): Step {
  const isOutdated = answersCheckAtMs !== undefined && answersCheckAtMs !== attempt.checkAtMs;
  const nextAtMs = isOutdated ? earlier(attempt.checkAtMs, checkAtMs) : checkAtMs;
  const checked = {
    ...attempt,
    checks: isOutdated ? attempt.checks : attempt.checks + 1,
    checkAtMs: notAfterWindow(nextAtMs, attempt, nowMs),
    providerCode: lastCode(attempt, providerCode),
  };
  return applyTime(withAttempt(step, checked), nowMs);
}

function earlier(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

/** A rail that says nothing, or nothing fit to be kept, does not unsay what it said before. */
function lastCode(attempt: Attempt, providerCode: string | null | undefined): string | null {
  return printableCode(providerCode) ?? attempt.providerCode;
}

/** Money moved. Whatever was believed before, the intent is paid; a second time is an anomaly. */
export function attemptSucceeds(
  step: Step,
  attempt: Attempt,
  outcome: Extract<Outcome, { type: 'succeeded' }>,
  nowMs: number,
): Step {
  if (attempt.status === 'succeeded') {
    return step;
  }
  const resolved = withAttempt(step, {
    ...attempt,
    status: 'succeeded',
    failureReason: null,
    checkAtMs: null,
    receipt: outcome.receipt,
    providerCode: lastCode(attempt, outcome.providerCode),
    updatedAtMs: nowMs,
  });
  if (step.intent.status === 'succeeded') {
    return withAnomaly(resolved, 'duplicate_payment', attempt, nowMs);
  }
  const paid = { late: hasEnded(step.intent.status), paidAttemptId: attempt.id };
  return end({ ...resolved, intent: { ...resolved.intent, ...paid } }, 'succeeded', null, nowMs);
}

/** Nothing was paid: news of a pending attempt only; of a paid one it is a contradiction. */
export function attemptFails(
  step: Step,
  attempt: Attempt,
  { reason, providerCode }: Extract<Outcome, { type: 'failed' }>,
  nowMs: number,
): Step {
  if (attempt.status === 'succeeded') {
    return hasAnomaly(step, 'contradicting_failure', attempt)
      ? step
      : withAnomaly(step, 'contradicting_failure', attempt, nowMs);
  }
  if (!isPending(attempt)) {
    return step;
  }
  const isCurrent = attemptInFlight(step.intent)?.id === attempt.id;
  const failed = withAttempt(step, {
    ...attempt,
    status: 'failed',
    failureReason: reason,
    checkAtMs: null,
    providerCode: lastCode(attempt, providerCode),
    updatedAtMs: nowMs,
  });
  if (!isCurrent) {
    return failed;
  }
  // As when the window closes by itself: which of the two comes first is a matter of milliseconds.
  const ranOut = reason === 'timed_out' && nowMs >= step.intent.terms.expiresAtMs;
  return ranOut ? end(failed, 'expired', null, nowMs) : attemptFailed(failed, reason, nowMs);
}
