import type { Attempt } from './attempt.ts';
import { attemptInFlight, type Intent } from './intent.ts';
import { expiryAtMs } from './restored-hold.ts';
import { end, reopenOrFail, type Step, withAttempt, withStatus } from './step.ts';

/** Time has two effects: rail windows close, and intents expire. */

/** Closes the rail windows and the intent whose time is over. */
export function applyTime(step: Step): Step {
  let next = step;
  for (const attempt of step.intent.attempts) {
    const isOver = windowIsOpen(attempt) && step.nowMs >= attempt.deadlineAtMs;
    // A due provider query comes first, because it may prove a payment. Without a call
    // to the provider, there is nothing to query.
    if (isOver && (attempt.startClaim === 'free' || !isCheckDue(attempt, step.nowMs))) {
      next = closeWindow(next, attempt);
    }
  }
  const { status } = next.intent;
  if (step.nowMs < expiryAtMs(next.intent)) {
    return next;
  }
  const mayExpire = status === 'open' || attemptInFlight(next.intent)?.status === 'unresolved';
  return mayExpire ? end(next, 'expired') : next;
}

function closeWindow(step: Step, attempt: Attempt): Step {
  const isCurrent = attemptInFlight(step.intent)?.id === attempt.id;
  // Without a call to the provider, the customer cannot have paid.
  const wasNeverCalled = attempt.startClaim === 'free';
  // A customer cannot pay after a final window, but may have paid in it. The attempt is unresolved
  // as long as the provider can be queried.
  if (!wasNeverCalled && (!attempt.windowIsFinal || attempt.checkAtMs !== null)) {
    return withAttempt(step, { ...attempt, status: 'unresolved', updatedAtMs: step.nowMs });
  }
  const reason = wasNeverCalled ? 'rail_unavailable' : 'timed_out';
  const closed = withAttempt(step, {
    ...attempt,
    status: 'expired',
    failureReason: attempt.failureReason ?? reason,
    ...(wasNeverCalled && { neverReached: true }),
    checkAtMs: null,
    updatedAtMs: step.nowMs,
  });
  if (!isCurrent) {
    return closed;
  }
  // Once the intent's own time is over, it expires instead of failing.
  return step.nowMs >= step.intent.terms.expiresAtMs
    ? withStatus(closed, 'open')
    : reopenOrFail(closed, reason);
}

/**
 * Until when the attempt in flight holds up the expiry, because its provider may still report a
 * payment; null without an attempt that outlasts the payment (docs/decisions.md#1).
 */
export function expiryHeldUntilMs(intent: Intent): number | null {
  const attempt = attemptInFlight(intent);
  return attempt?.status === 'processing' && attempt.deadlineAtMs > intent.terms.expiresAtMs
    ? attempt.deadlineAtMs
    : null;
}

/** Moves a query to the end of the window, so that it runs before the window closes. */
export function notAfterWindow(
  checkAtMs: number | null,
  { deadlineAtMs }: Pick<Attempt, 'deadlineAtMs'>,
  nowMs: number,
): number | null {
  return checkAtMs !== null && nowMs < deadlineAtMs ? Math.min(checkAtMs, deadlineAtMs) : checkAtMs;
}

/** Whether the deadline can still change this attempt. */
export function windowIsOpen(attempt: Attempt): boolean {
  return (
    attempt.status === 'processing' ||
    (attempt.status === 'unresolved' && attempt.windowIsFinal && attempt.checkAtMs === null)
  );
}

export function isCheckDue(attempt: Attempt, nowMs: number): boolean {
  return attempt.checkAtMs !== null && attempt.checkAtMs <= nowMs;
}

export function isPending(attempt: Attempt): boolean {
  return attempt.status === 'processing' || attempt.status === 'unresolved';
}

/** Whether only an operator says that the attempt was paid. */
export function awaitsProof({ status, isProved }: Attempt): boolean {
  return status === 'succeeded' && !isProved;
}

/** The query at the deadline gets its answer within this. */
export const LAST_QUERY_MS = 60_000;

/**
 * From when an unresolved attempt needs a person. A customer who left may pay until the deadline,
 * and most such attempts get their outcome by then.
 */
export function needsPersonFromMs({ failureReason, deadlineAtMs }: Attempt): number {
  return failureReason === 'abandoned' ? deadlineAtMs + LAST_QUERY_MS : deadlineAtMs;
}

/** When to query the provider about the attempt; null when never. */
export function queryTimeMs(attempt: Attempt): number | null {
  return isPending(attempt) || awaitsProof(attempt) ? attempt.checkAtMs : null;
}
