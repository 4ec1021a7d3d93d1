import {
  type Anomaly,
  ATTEMPTS_MAX,
  type Attempt,
  attemptInFlight,
  type Command,
  type EventType,
  type FailureReason,
  hasEnded,
  type Intent,
  type IntentStatus,
  type Outcome,
  type Rejection,
} from './intent.ts';

/**
 * What a command leads to. `rejection` does not mean unchanged: an expiry that was due is applied
 * first, so a rejected command's `intent` and `events` must be stored like any other's.
 */
export interface Transition {
  readonly intent: Intent;
  readonly events: readonly EventType[];
  readonly rejection: Rejection | null;
}

/**
 * One step of the machine. Time that has run out is applied before the command, so an intent
 * expires even when its alarm is late or lost. `version` grows by exactly one when anything changed
 * that anybody is told of, and not at all otherwise: a rail's reference or a fruitless check is
 * kept without being news.
 */
export function transition(before: Intent, command: Command, nowMs: number): Transition {
  const due = applyTime(start(before), nowMs);
  const step = apply(due, command, nowMs);
  if (!isNews(before, step.intent)) {
    return { intent: step.intent, events: [], rejection: step.rejection };
  }
  const intent: Intent = {
    ...step.intent,
    version: before.version + 1,
    updatedAtMs: nowMs,
    previousStatus: step.intent.status === before.status ? before.previousStatus : before.status,
  };
  return { intent, events: step.events, rejection: step.rejection };
}

/** Whether anybody who watches the payment sees a difference. */
function isNews(before: Intent, after: Intent): boolean {
  return (
    before.status !== after.status ||
    before.anomalies.length !== after.anomalies.length ||
    before.attempts.length !== after.attempts.length ||
    before.attempts.some((attempt, index) => attempt.status !== after.attempts[index]?.status)
  );
}

interface Step {
  readonly intent: Intent;
  readonly events: readonly EventType[];
  readonly rejection: Rejection | null;
}

function start(intent: Intent): Step {
  return { intent, events: [], rejection: null };
}

function reject(step: Step, rejection: Rejection): Step {
  return { ...step, rejection };
}

function apply(step: Step, command: Command, nowMs: number): Step {
  switch (command.type) {
    case 'tick':
      return step;
    case 'start_attempt':
      return startAttempt(step, command, nowMs);
    case 'claim_start':
      return claimStart(step, command.attemptId);
    case 'report_callback':
      return reportCallback(step, command.attemptId, nowMs);
    case 'accept_attempt':
      return acceptAttempt(step, command, nowMs);
    case 'settle_attempt':
      return settleAttempt(step, command, nowMs);
    case 'abandon_attempt':
      return abandonAttempt(step, command.attemptId, nowMs);
    case 'cancel':
      return cancel(step, nowMs);
    case 'give_up':
      return giveUp(step, nowMs);
  }
}

/** Closes rail windows and the intent itself when their time is over. */
function applyTime(step: Step, nowMs: number): Step {
  let next = step;
  for (const attempt of step.intent.attempts) {
    const isOver = windowIsOpen(attempt) && nowMs >= attempt.deadlineAtMs;
    // The rail is asked before it is given up: what a due check finds out comes first.
    if (isOver && !isCheckDue(attempt, nowMs)) {
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

function startAttempt(
  step: Step,
  { attempt: plan, expectedAttempts }: Extract<Command, { type: 'start_attempt' }>,
  nowMs: number,
): Step {
  const { intent } = step;
  if (find(intent, plan.id) !== null) {
    // Our own call again, whose first answer got lost.
    return step;
  }
  if (intent.status === 'processing') {
    return reject(step, 'attempt_in_flight');
  }
  if (intent.status !== 'open' || intent.attempts.length >= ATTEMPTS_MAX) {
    return reject(step, 'not_open');
  }
  // One form starts one attempt, however often it is sent and however fast that attempt fails.
  if (expectedAttempts !== undefined && expectedAttempts !== intent.attempts.length) {
    return reject(step, 'stale_form');
  }
  if (!intent.terms.methods.some((entry) => entry.method === plan.method)) {
    return reject(step, 'method_not_allowed');
  }
  const attempt: Attempt = {
    ...plan,
    status: 'processing',
    redirectUrl: null,
    railReference: null,
    receipt: null,
    failureReason: null,
    checks: 0,
    startedAtMs: nowMs,
    updatedAtMs: nowMs,
  };
  const attempts = [...intent.attempts, attempt];
  return withStatus({ ...step, intent: { ...intent, attempts } }, 'processing');
}

/** At most one caller for ever, and none once the attempt's time is over. */
function claimStart(step: Step, attemptId: string): Step {
  const attempt = find(step.intent, attemptId);
  if (attempt === null) {
    return reject(step, 'attempt_not_found');
  }
  return attempt.startClaim === 'free' && attempt.status === 'processing'
    ? withAttempt(step, { ...attempt, startClaim: 'taken', checkAtMs: null })
    : reject(step, 'start_not_claimable');
}

/** Once for each attempt: a flood of wrong callbacks must not become a flood of commits. */
function reportCallback(step: Step, attemptId: string, nowMs: number): Step {
  const attempt = find(step.intent, attemptId);
  if (attempt === null) {
    return reject(step, 'attempt_not_found');
  }
  return hasAnomaly(step, 'refused_callback', attempt)
    ? step
    : withAnomaly(step, 'refused_callback', attempt, nowMs);
}

function acceptAttempt(
  step: Step,
  command: Extract<Command, { type: 'accept_attempt' }>,
  nowMs: number,
): Step {
  const attempt = find(step.intent, command.attemptId);
  if (attempt === null) {
    return reject(step, 'attempt_not_found');
  }
  const redirectUrl = attempt.redirectUrl ?? command.redirectUrl;
  const railReference = attempt.railReference ?? command.railReference;
  if (redirectUrl === attempt.redirectUrl && railReference === attempt.railReference) {
    return step;
  }
  return withAttempt(step, { ...attempt, redirectUrl, railReference, updatedAtMs: nowMs });
}

function settleAttempt(
  step: Step,
  command: Extract<Command, { type: 'settle_attempt' }>,
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
      return attemptFails(step, attempt, command.outcome.reason, nowMs);
    case 'unknown':
      return isPending(attempt)
        ? checkedInVain(step, attempt, command.outcome.checkAtMs, nowMs)
        : step;
  }
}

/** Nothing was proved. The window of an attempt that had to be asked about first may close now. */
function checkedInVain(
  step: Step,
  attempt: Attempt,
  checkAtMs: number | null,
  nowMs: number,
): Step {
  const checks = attempt.checks + 1;
  return applyTime(withAttempt(step, { ...attempt, checks, checkAtMs }), nowMs);
}

/** Money moved. Whatever was believed before, the intent is paid; a second time is an anomaly. */
function attemptSucceeds(
  step: Step,
  attempt: Attempt,
  outcome: Extract<Outcome, { type: 'succeeded' }>,
  nowMs: number,
): Step {
  if (attempt.status === 'succeeded') {
    return step;
  }
  const settled = withAttempt(step, {
    ...attempt,
    status: 'succeeded',
    failureReason: null,
    checkAtMs: null,
    receipt: outcome.receipt,
    updatedAtMs: nowMs,
  });
  if (step.intent.status === 'succeeded') {
    return withAnomaly(settled, 'duplicate_payment', attempt, nowMs);
  }
  const paid = { late: hasEnded(step.intent.status), paidAttemptId: attempt.id };
  return end({ ...settled, intent: { ...settled.intent, ...paid } }, 'succeeded', null, nowMs);
}

function attemptFails(step: Step, attempt: Attempt, reason: FailureReason, nowMs: number): Step {
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
    updatedAtMs: nowMs,
  });
  return isCurrent ? attemptFailed(failed, reason, nowMs) : failed;
}

/** The attempt in flight ended without payment: try again, or the end (decision 30). */
function attemptFailed(step: Step, reason: FailureReason, nowMs: number): Step {
  const { terms, attempts } = step.intent;
  if (terms.kind === 'express' || attempts.length >= ATTEMPTS_MAX) {
    return end(step, 'failed', reason, nowMs);
  }
  // Reopened after its time: expired in the same breath.
  const reopened = withStatus(step, 'open');
  return nowMs >= terms.expiresAtMs ? end(reopened, 'expired', null, nowMs) : reopened;
}

function abandonAttempt(step: Step, attemptId: string, nowMs: number): Step {
  const attempt = find(step.intent, attemptId);
  if (attempt === null) {
    return reject(step, 'attempt_not_found');
  }
  if (attemptInFlight(step.intent)?.id !== attempt.id) {
    return reject(step, 'attempt_not_in_flight');
  }
  if (attempt.flow !== 'redirect' || step.intent.terms.kind !== 'hosted') {
    return reject(step, 'not_abandonable');
  }
  return attemptFailed(withAttempt(step, leftBehind(attempt, nowMs)), 'abandoned', nowMs);
}

/** Only while open (decision 25); a repeated cancel is no error. */
function cancel(step: Step, nowMs: number): Step {
  switch (step.intent.status) {
    case 'open':
      return end(step, 'canceled', null, nowMs);
    case 'canceled':
      return step;
    case 'processing':
      return reject(step, 'attempt_in_flight');
    default:
      return reject(step, 'not_open');
  }
}

/** The customer returns to the merchant without paying: a failure, not a cancel (decision 25). */
function giveUp(step: Step, nowMs: number): Step {
  if (step.intent.terms.kind !== 'hosted') {
    return reject(step, 'not_abandonable');
  }
  const attempt = attemptInFlight(step.intent);
  if (attempt !== null) {
    if (attempt.flow !== 'redirect') {
      return reject(step, 'attempt_in_flight');
    }
    return end(withAttempt(step, leftBehind(attempt, nowMs)), 'failed', 'abandoned', nowMs);
  }
  return step.intent.status === 'open'
    ? end(step, 'failed', 'abandoned', nowMs)
    : reject(step, 'not_open');
}

/** A redirect the customer walked away from may still be paid, so the rail goes on being asked. */
function leftBehind(attempt: Attempt, nowMs: number): Attempt {
  return { ...attempt, status: 'unresolved', failureReason: 'abandoned', updatedAtMs: nowMs };
}

function end(
  step: Step,
  status: Extract<IntentStatus, 'succeeded' | 'failed' | 'expired' | 'canceled'>,
  failureReason: FailureReason | null,
  nowMs: number,
): Step {
  const { intent } = step;
  const event = EVENT_OF[status];
  return {
    rejection: step.rejection,
    events: event === null ? step.events : [...step.events, event],
    intent: { ...intent, status, failureReason, endedAtMs: intent.endedAtMs ?? nowMs },
  };
}

const EVENT_OF = {
  succeeded: 'payment_succeeded',
  failed: 'payment_failed',
  expired: 'payment_expired',
  canceled: null,
} as const satisfies Record<string, EventType | null>;

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

function find(intent: Intent, attemptId: string): Attempt | null {
  return intent.attempts.find((attempt) => attempt.id === attemptId) ?? null;
}

function withStatus(step: Step, status: IntentStatus): Step {
  return { ...step, intent: { ...step.intent, status } };
}

function withAttempt(step: Step, changed: Attempt): Step {
  const attempts = step.intent.attempts.map((attempt) =>
    attempt.id === changed.id ? changed : attempt,
  );
  return { ...step, intent: { ...step.intent, attempts } };
}

function hasAnomaly(step: Step, kind: Anomaly['kind'], attempt: Attempt): boolean {
  return step.intent.anomalies.some(
    (anomaly) => anomaly.kind === kind && anomaly.attemptId === attempt.id,
  );
}

function withAnomaly(step: Step, kind: Anomaly['kind'], attempt: Attempt, atMs: number): Step {
  const anomalies = [...step.intent.anomalies, { kind, attemptId: attempt.id, atMs }];
  return { ...step, intent: { ...step.intent, anomalies } };
}
