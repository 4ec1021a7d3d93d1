import { type Attempt, attemptInFlight } from './intent.ts';
import { attemptFailed, end, type Step, withAttempt, withStatus } from './step.ts';

/** What time alone brings about: the ends of rails' windows and of the intent. */

/** Closes rail windows and the intent itself when their time is over. */
export function applyTime(step: Step, nowMs: number): Step {
  let next = step;
  for (const attempt of step.intent.attempts) {
    const isOver = windowIsOpen(attempt) && nowMs >= attempt.deadlineAtMs;
    // The rail is asked before it is given up: what a due check finds out comes first. Of one that
    // nobody has called there is nothing to find out.
    if (isOver && (attempt.startClaim === 'free' || !isCheckDue(attempt, nowMs))) {
      next = closeWindow(next, attempt, nowMs);
    }
  }
  const { status, terms } = next.intent;
  if (nowMs < terms.expiresAtMs) {
    return next;
  }
  const waitsForNobody = status === 'open' || attemptInFlight(next.intent)?.status === 'unresolved';
  return waitsForNobody ? end(next, 'expired', null, nowMs) : next;
}

function closeWindow(step: Step, attempt: Attempt, nowMs: number): Step {
  const isCurrent = attemptInFlight(step.intent)?.id === attempt.id;
  // What nobody has called the rail for, nobody can have paid.
  const wasNeverCalled = attempt.startClaim === 'free';
  // Nothing is paid after a final window, but something may have been paid in it: as long as
  // somebody can be asked, it is unresolved.
  if (!wasNeverCalled && (!attempt.windowIsFinal || attempt.checkAtMs !== null)) {
    return withAttempt(step, { ...attempt, status: 'unresolved', updatedAtMs: nowMs });
  }
  const reason = wasNeverCalled ? 'rail_unavailable' : 'timed_out';
  const closed = withAttempt(step, {
    ...attempt,
    status: 'expired',
    failureReason: attempt.failureReason ?? reason,
    checkAtMs: null,
    updatedAtMs: nowMs,
  });
  if (!isCurrent) {
    return closed;
  }
  // Once the intent's own time is over the merchant hears "expired", not "failed".
  return nowMs >= step.intent.terms.expiresAtMs
    ? withStatus(closed, 'open')
    : attemptFailed(closed, reason, nowMs);
}

/** The rail is asked once more at the very end, before anybody is told that time is over. */
export function notAfterWindow(
  checkAtMs: number | null,
  { deadlineAtMs }: Pick<Attempt, 'deadlineAtMs'>,
  nowMs: number,
): number | null {
  return checkAtMs !== null && nowMs < deadlineAtMs ? Math.min(checkAtMs, deadlineAtMs) : checkAtMs;
}

/** The passing of the deadline still means something for this attempt. */
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
