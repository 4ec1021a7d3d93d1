import {
  ATTEMPTS_MAX,
  type Attempt,
  attemptInFlight,
  type Command,
  type EventType,
  type Intent,
  type Rejection,
} from './intent.ts';
import { resolveManually } from './manual-resolution.ts';
import { printableCode } from './provider-code.ts';
import { resolveAttempt } from './resolve.ts';
import { CHECK_WAIT_MS_MIN } from './schedule.ts';
import {
  attemptFailed,
  end,
  find,
  hasAnomaly,
  reject,
  type Step,
  start,
  withAnomaly,
  withAttempt,
  withStatus,
} from './step.ts';
import { applyTime, isPending, notAfterWindow } from './time.ts';

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

function apply(step: Step, command: Command, nowMs: number): Step {
  switch (command.type) {
    case 'tick':
      return step;
    case 'start_attempt':
      return startAttempt(step, command, nowMs);
    case 'claim_start':
      return claimStart(step, command, nowMs);
    case 'customer_returned':
      return customerReturned(step, nowMs);
    case 'report_callback':
      return reportCallback(step, command.attemptId, nowMs);
    case 'accept_attempt':
      return acceptAttempt(step, command, nowMs);
    case 'resolve_attempt':
      return resolveAttempt(step, command, nowMs);
    case 'resolve_manually':
      return resolveManually(step, command, nowMs);
    case 'abandon_attempt':
      return abandonAttempt(step, command.attemptId, nowMs);
    case 'cancel':
      return cancel(step, nowMs);
    case 'abandon_payment':
      return abandonPayment(step, nowMs);
  }
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
    checkAtMs: notAfterWindow(plan.checkAtMs, plan, nowMs),
    status: 'processing',
    startClaimId: null,
    redirectUrl: null,
    railReference: null,
    providerCode: null,
    manualResolutionId: null,
    receipt: null,
    failureReason: null,
    checks: 0,
    startedAtMs: nowMs,
    updatedAtMs: nowMs,
  };
  const attempts = [...intent.attempts, attempt];
  return withStatus({ ...step, intent: { ...intent, attempts } }, 'processing');
}

/** At most one caller for ever, and none once the customer can no longer pay, or has paid. */
function claimStart(
  step: Step,
  { attemptId, claimId, deadlineAtMs }: Extract<Command, { type: 'claim_start' }>,
  nowMs: number,
): Step {
  const attempt = find(step.intent, attemptId);
  if (attempt === null) {
    return reject(step, 'attempt_not_found');
  }
  if (attempt.startClaimId === claimId) {
    // Our own call again, whose first answer got lost.
    return step;
  }
  const isClaimable =
    attempt.startClaim === 'free' &&
    attemptInFlight(step.intent)?.id === attempt.id &&
    nowMs < Math.min(attempt.deadlineAtMs, step.intent.terms.expiresAtMs);
  return isClaimable
    ? withAttempt(step, {
        ...attempt,
        startClaim: 'taken',
        startClaimId: claimId,
        deadlineAtMs,
        checkAtMs: null,
      })
    : reject(step, 'start_not_claimable');
}

/**
 * Whatever a rail can be asked about is asked now, and then as eagerly as at the beginning. Not when
 * that comes soon anyway: coming back again and again must not become a flood of questions. A
 * question that is under way may have been answered before the customer paid: it is asked soon again.
 */
function customerReturned(step: Step, nowMs: number): Step {
  let next = step;
  for (const attempt of step.intent.attempts) {
    const checkAtMs = checkAfterReturn(attempt, nowMs);
    if (checkAtMs !== attempt.checkAtMs && attempt.flow === 'redirect' && isPending(attempt)) {
      next = withAttempt(next, { ...attempt, checks: 0, checkAtMs });
    }
  }
  return next;
}

/** When the rail is asked about `attempt` whose customer came back at `nowMs`. */
function checkAfterReturn(attempt: Attempt, nowMs: number): number | null {
  const { checkAtMs, deadlineAtMs } = attempt;
  if (checkAtMs === null || (checkAtMs <= nowMs && nowMs >= deadlineAtMs)) {
    return checkAtMs;
  }
  const soonMs = nowMs + CHECK_WAIT_MS_MIN;
  if (checkAtMs <= nowMs) {
    return notAfterWindow(soonMs, attempt, nowMs);
  }
  return checkAtMs <= soonMs ? checkAtMs : nowMs;
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
  // What the rail said later, in a callback that overtook this answer, stays.
  const providerCode = attempt.providerCode ?? printableCode(command.providerCode);
  const isSame = redirectUrl === attempt.redirectUrl && railReference === attempt.railReference;
  if (isSame && providerCode === attempt.providerCode) {
    return step;
  }
  // The rail's answer may come after its callback: when a payment ended does not change any more.
  const updatedAtMs = isSame || !isPending(attempt) ? attempt.updatedAtMs : nowMs;
  return withAttempt(step, { ...attempt, redirectUrl, railReference, providerCode, updatedAtMs });
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

/** Only while open (docs/decisions.md#25); a repeated cancel is no error. */
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

/**
 * The customer returns to the merchant without paying: a failure, not a cancel
 * (docs/decisions.md#25).
 */
function abandonPayment(step: Step, nowMs: number): Step {
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
