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
  type IntentTerms,
  type Outcome,
  type Rejection,
} from './intent.ts';

/**
 * What a command leads to. `rejection` does not mean unchanged: an expiry that was due is applied
 * first, so a rejected command's `intent` and `events` must be stored like any other's.
 */
interface Transition {
  readonly intent: Intent;
  readonly events: readonly EventType[];
  readonly rejection: Rejection | null;
}

/** A new intent, open and payable. */
export function openIntent(terms: IntentTerms): Intent {
  return {
    terms,
    status: 'open',
    previousStatus: null,
    failureReason: null,
    version: 1,
    late: false,
    attempts: [],
    anomalies: [],
    updatedAtMs: terms.createdAtMs,
    endedAtMs: null,
  };
}

/**
 * The state machine of a payment: pure and total. Time that has run out is applied before the
 * command, so an intent expires even when its alarm is late or lost. `version` grows by exactly one
 * when anything changed and not at all otherwise.
 */
function transition(before: Intent, command: Command, nowMs: number): Transition {
  const due = applyTime(start(before), nowMs);
  const step = apply(due, command, nowMs);
  if (step.intent === before) {
    return { intent: before, events: [], rejection: step.rejection };
  }
  const intent: Intent = {
    ...step.intent,
    version: before.version + 1,
    updatedAtMs: nowMs,
    previousStatus: step.intent.status === before.status ? before.previousStatus : before.status,
  };
  return { intent, events: step.events, rejection: step.rejection };
}

/** The steps that a list of commands comes to, and where they lead. */
export interface Decision {
  /** Only steps that changed something; each has a version and at most one event of its own. */
  readonly steps: readonly {
    readonly command: Command['type'];
    readonly intent: Intent;
    readonly event: EventType | null;
  }[];
  readonly intent: Intent;
  /** Of the command that was refused and stopped the rest, or null. */
  readonly rejection: Rejection | null;
}

/**
 * Applies commands in order up to the first rejection. The time that is due is a step of its own
 * before each command, so that an expiry and a late proof right after it are two versions with two
 * events, never one.
 */
export function decide(before: Intent, commands: readonly Command[], nowMs: number): Decision {
  const steps: Decision['steps'][number][] = [];
  let intent = before;
  for (const command of commands.flatMap((next): Command[] => [{ type: 'tick' }, next])) {
    const step = transition(intent, command, nowMs);
    if (step.intent !== intent) {
      steps.push({ command: command.type, intent: step.intent, event: step.events[0] ?? null });
    }
    intent = step.intent;
    if (step.rejection !== null) {
      return { steps, intent, rejection: step.rejection };
    }
  }
  return { steps, intent, rejection: null };
}

/** When time alone next changes the intent or a rail must be asked; null when never. */
export function nextWakeAtMs(intent: Intent): number | null {
  const times: number[] = [];
  const current = attemptInFlight(intent);
  if (intent.status === 'open' || current?.status === 'unresolved') {
    times.push(intent.terms.expiresAtMs);
  }
  for (const attempt of intent.attempts) {
    if (windowIsOpen(attempt)) {
      times.push(attempt.deadlineAtMs);
    }
    if (isPending(attempt) && attempt.checkAtMs !== null) {
      times.push(attempt.checkAtMs);
    }
  }
  return times.length === 0 ? null : Math.min(...times);
}

/** Attempts whose outcome the rail should be asked for now. */
export function attemptsToCheck(intent: Intent, nowMs: number): readonly Attempt[] {
  return intent.attempts.filter(
    (attempt) => isPending(attempt) && attempt.checkAtMs !== null && attempt.checkAtMs <= nowMs,
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
      return startAttempt(step, command.attempt, nowMs);
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
    if (windowIsOpen(attempt) && nowMs >= attempt.deadlineAtMs) {
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
  if (!attempt.windowIsFinal) {
    return withAttempt(step, { ...attempt, status: 'unresolved', updatedAtMs: nowMs });
  }
  const closed = withAttempt(step, {
    ...attempt,
    status: 'expired',
    failureReason: attempt.failureReason ?? 'timed_out',
    checkAtMs: null,
    updatedAtMs: nowMs,
  });
  if (!isCurrent) {
    return closed;
  }
  // Once the intent's own time is over the merchant hears "expired", not "failed".
  return nowMs >= step.intent.terms.expiresAtMs
    ? withStatus(closed, 'open')
    : attemptFailed(closed, 'timed_out', nowMs);
}

function startAttempt(
  step: Step,
  plan: Extract<Command, { type: 'start_attempt' }>['attempt'],
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
  if (!intent.terms.methods.some((entry) => entry.method === plan.method)) {
    return reject(step, 'method_not_allowed');
  }
  const attempt: Attempt = {
    ...plan,
    status: 'processing',
    redirectUrl: null,
    railReference: null,
    failureReason: null,
    checks: 0,
    startedAtMs: nowMs,
    updatedAtMs: nowMs,
  };
  const attempts = [...intent.attempts, attempt];
  return withStatus({ ...step, intent: { ...intent, attempts } }, 'processing');
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
        ? withAttempt(step, {
            ...attempt,
            checks: attempt.checks + 1,
            checkAtMs: command.outcome.checkAtMs,
            updatedAtMs: nowMs,
          })
        : step;
  }
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
    railReference: attempt.railReference ?? outcome.railReference,
    updatedAtMs: nowMs,
  });
  if (step.intent.status === 'succeeded') {
    return withAnomaly(settled, 'duplicate_payment', attempt, nowMs);
  }
  const late = hasEnded(step.intent.status);
  return end({ ...settled, intent: { ...settled.intent, late } }, 'succeeded', null, nowMs);
}

function attemptFails(step: Step, attempt: Attempt, reason: FailureReason, nowMs: number): Step {
  if (attempt.status === 'succeeded') {
    const known = step.intent.anomalies.some(
      (anomaly) => anomaly.kind === 'contradicting_failure' && anomaly.attemptId === attempt.id,
    );
    return known ? step : withAnomaly(step, 'contradicting_failure', attempt, nowMs);
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
function windowIsOpen(attempt: Attempt): boolean {
  return (
    attempt.status === 'processing' || (attempt.status === 'unresolved' && attempt.windowIsFinal)
  );
}

function isPending(attempt: Attempt): boolean {
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

function withAnomaly(step: Step, kind: Anomaly['kind'], attempt: Attempt, atMs: number): Step {
  const anomalies = [...step.intent.anomalies, { kind, attemptId: attempt.id, atMs }];
  return { ...step, intent: { ...step.intent, anomalies } };
}
