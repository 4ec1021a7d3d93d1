import { ATTEMPTS_MAX, type Attempt, countedAttempts, type NewAttempt } from './attempt.ts';
import type { Command } from './command.ts';
import { type Anomaly, attemptInFlight, type Intent } from './intent.ts';
import { isWellFormedNote, resolveManually } from './manual-resolution.ts';
import { printableCode } from './provider-code.ts';
import { reportReceiptConflict } from './receipt.ts';
import { claimReceipt } from './receipt-claim.ts';
import type { Refund } from './refund.ts';
import { applyRefundTime } from './refund-time.ts';
import { applyRefundCommand } from './refund-transition.ts';
import { resolveAttempt } from './resolve.ts';
import { isHeld } from './restored-hold.ts';
import { CHECK_WAIT_MS_MIN, RETURN_ATTEMPTS_MAX, RETURN_QUERY_WAIT_MS } from './schedule.ts';
import {
  end,
  find,
  hasAnomaly,
  reject,
  reopenOrFail,
  type Step,
  start,
  withAnomalies,
  withAnomaly,
  withAttempt,
  withStatus,
} from './step.ts';
import { applyTime, isPending, notAfterWindow } from './time.ts';

/**
 * One step of the state machine. It applies elapsed time before the command, so that an intent
 * expires even when its alarm is late or lost. `version` grows by one with a visible change. A rail
 * reference or an inconclusive query is stored without a new version. A due expiry is applied first,
 * so the `intent` and `events` of a rejected command may have changed too and must be stored.
 */
export function transition(before: Intent, command: Command, nowMs: number): Step {
  const due = applyRefundTime(applyTime(start(before, nowMs)));
  const step = apply(due, command);
  if (!hasVisibleChange(before, step.intent)) {
    return { ...step, events: [] };
  }
  const intent: Intent = {
    ...step.intent,
    version: before.version + 1,
    updatedAtMs: nowMs,
    previousStatus: step.intent.status === before.status ? before.previousStatus : before.status,
  };
  return { ...step, intent };
}

const SHOWN_OF_ATTEMPTS = [
  ...(['status', 'isProved', 'proposal', 'receipt', 'issuerReceipt'] as const),
  'claimedReceipts' as const,
];

/** Whether the change is visible to merchants, customers or the operator. */
function hasVisibleChange(before: Intent, after: Intent): boolean {
  return (
    before.status !== after.status ||
    // A review changes an anomaly.
    before.anomalies !== after.anomalies ||
    before.attempts.length !== after.attempts.length ||
    before.attempts.some((attempt, index) =>
      differ(attempt, after.attempts[index], SHOWN_OF_ATTEMPTS),
    ) ||
    changedRefund(before, after) !== null
  );
}

function differ<Thing>(one: Thing, other: Thing | undefined, fields: readonly (keyof Thing)[]) {
  return fields.some((field) => one[field] !== other?.[field]);
}

/** The refund that one step created, or whose visible state it changed; null when none. */
export function changedRefund(before: Intent, after: Intent): Refund | null {
  const shown = ['status', 'proposal', 'actionReason', 'repeat'] as const;
  return (
    after.refunds.find((refund, index) => differ(refund, before.refunds[index], shown)) ?? null
  );
}

function apply(step: Step, command: Command): Step {
  if ('attemptId' in command) {
    const attempt = find(step.intent, command.attemptId);
    return attempt === null
      ? reject(step, 'attempt_not_found')
      : applyToAttempt(step, attempt, command);
  }
  switch (command.type) {
    case 'tick':
      return step;
    case 'start_attempt':
      return startAttempt(step, command);
    case 'customer_returned':
      return customerReturned(step);
    case 'review_anomalies':
      return reviewAnomalies(step, command);
    case 'report_surplus':
      return reportSurplus(step);
    case 'cancel':
      return cancel(step);
    case 'abandon_payment':
      return abandonPayment(step);
    default:
      return applyRefundCommand(step, command);
  }
}

function applyToAttempt(
  step: Step,
  attempt: Attempt,
  command: Extract<Command, { attemptId: string }>,
): Step {
  switch (command.type) {
    case 'claim_start':
      return claimStart(step, attempt, command);
    case 'report_callback':
      return reportCallback(step, attempt);
    case 'accept_attempt':
      return acceptAttempt(step, attempt, command);
    case 'resolve_attempt':
      return resolveAttempt(step, attempt, command);
    case 'resolve_manually':
      return resolveManually(step, attempt, command);
    case 'report_receipt_conflict':
      return reportReceiptConflict(step, command);
    case 'claim_receipt':
      return claimReceipt(step, attempt, command);
    case 'abandon_attempt':
      return abandonAttempt(step, attempt);
  }
}

/** The attempt that an accepted start stores. */
function startedAttempt(plan: NewAttempt, nowMs: number): Attempt {
  return {
    ...plan,
    checkAtMs: notAfterWindow(plan.checkAtMs, plan, nowMs),
    status: 'processing',
    startClaimId: null,
    redirectUrl: null,
    railReference: null,
    providerCode: null,
    proposal: null,
    manualResolutionId: null,
    receipt: null,
    issuerReceipt: null,
    isProved: false,
    failureReason: null,
    checks: 0,
    queriedAtMs: null,
    startedAtMs: nowMs,
    updatedAtMs: nowMs,
  };
}

function startAttempt(
  step: Step,
  { attempt: plan, expectedAttempts }: Extract<Command, { type: 'start_attempt' }>,
): Step {
  const { intent } = step;
  if (find(intent, plan.id) !== null) {
    // A retry of a command whose first answer was lost.
    return step;
  }
  if (intent.status === 'processing' || isHeldOpen(step)) {
    return reject(step, 'attempt_in_flight');
  }
  if (intent.status !== 'open' || countedAttempts(intent.attempts) >= ATTEMPTS_MAX) {
    return reject(step, 'not_open');
  }
  // A form that is sent twice must start one attempt, even when that attempt fails at once.
  if (expectedAttempts !== undefined && expectedAttempts !== intent.attempts.length) {
    return reject(step, 'stale_form');
  }
  if (!intent.terms.methods.some((entry) => entry.method === plan.method)) {
    return reject(step, 'method_not_allowed');
  }
  const attempt = startedAttempt(plan, step.nowMs);
  const attempts = [...intent.attempts, attempt];
  return withStatus({ ...step, intent: { ...intent, attempts } }, 'processing');
}

/**
 * An attempt gets at most one claim ever, and none when the customer has paid or can no longer pay.
 */
function claimStart(
  step: Step,
  attempt: Attempt,
  { claimId, deadlineAtMs, checkAtMs }: Extract<Command, { type: 'claim_start' }>,
): Step {
  if (attempt.startClaimId === claimId) {
    // A retry of a command whose first answer was lost.
    return step;
  }
  const isClaimable =
    attempt.startClaim === 'free' &&
    attemptInFlight(step.intent)?.id === attempt.id &&
    step.nowMs < Math.min(attempt.deadlineAtMs, step.intent.terms.expiresAtMs);
  return isClaimable
    ? withAttempt(step, {
        ...attempt,
        startClaim: 'taken',
        startClaimId: claimId,
        deadlineAtMs,
        checkAtMs: checkAtMs ?? null,
      })
    : reject(step, 'start_not_claimable');
}

/**
 * Queries the provider of the newest attempts now, and restarts their back-off. Anyone with the link
 * can return repeatedly, so one that was just queried waits, and one that is due soon stays as it is.
 */
function customerReturned(step: Step): Step {
  return step.intent.attempts
    .filter((attempt) => attempt.flow === 'redirect' && isPending(attempt))
    .slice(-RETURN_ATTEMPTS_MAX)
    .reduce((next, attempt) => {
      const checkAtMs = checkAfterReturn(attempt, step.nowMs);
      return checkAtMs === attempt.checkAtMs
        ? next
        : withAttempt(next, { ...attempt, checks: 0, checkAtMs });
    }, step);
}

/**
 * When to query the provider after the customer returned at `nowMs`. A query in progress may have
 * been answered before the customer paid, so another one follows soon.
 */
function checkAfterReturn(attempt: Attempt, nowMs: number): number | null {
  const { checkAtMs, deadlineAtMs, queriedAtMs } = attempt;
  if (checkAtMs === null || (checkAtMs <= nowMs && nowMs >= deadlineAtMs)) {
    return checkAtMs;
  }
  if (queriedAtMs !== null && nowMs - queriedAtMs < RETURN_QUERY_WAIT_MS) {
    // The query is delayed, not dropped: the current one may precede the payment, and the next may
    // be hours away.
    const soonestMs = queriedAtMs + RETURN_QUERY_WAIT_MS;
    return checkAtMs <= soonestMs ? checkAtMs : notAfterWindow(soonestMs, attempt, nowMs);
  }
  const soonMs = nowMs + CHECK_WAIT_MS_MIN;
  if (checkAtMs <= nowMs) {
    return notAfterWindow(soonMs, attempt, nowMs);
  }
  return checkAtMs <= soonMs ? checkAtMs : nowMs;
}

/** The anomaly is recorded once per attempt, so forged callbacks cannot cause unbounded writes. */
function reportCallback(step: Step, attempt: Attempt): Step {
  return hasAnomaly(step, 'refused_callback', attempt)
    ? step
    : withAnomaly(step, { kind: 'refused_callback', attemptId: attempt.id });
}

/** Recorded once, so a repeated report changes nothing. Only a paid payment can be one too many. */
function reportSurplus(step: Step): Step {
  const { paidAttemptId: attemptId, anomalies } = step.intent;
  return attemptId === null || anomalies.some(({ kind }) => kind === 'surplus_payment')
    ? step
    : withAnomaly(step, { kind: 'surplus_payment', attemptId });
}

/** Only excess refunds and restored payments need the review; a repeated one changes nothing. */
function reviewAnomalies(
  step: Step,
  { count, operator, note }: Extract<Command, { type: 'review_anomalies' }>,
): Step {
  if (!isWellFormedNote(operator, note, null)) {
    return reject(step, 'malformed_resolution');
  }
  const isReviewed = ({ reviewedAtMs }: Anomaly, index: number) =>
    index < count && reviewedAtMs === null;
  const { anomalies } = step.intent;
  if (!anomalies.some(isReviewed)) {
    return step;
  }
  const reviewed = anomalies.map((anomaly, index) =>
    isReviewed(anomaly, index) ? { ...anomaly, reviewedAtMs: step.nowMs } : anomaly,
  );
  // A restored payment whose time is over expires with its review.
  return applyTime(withAnomalies(step, reviewed));
}

function acceptAttempt(
  step: Step,
  attempt: Attempt,
  command: Extract<Command, { type: 'accept_attempt' }>,
): Step {
  const redirectUrl = attempt.redirectUrl ?? command.redirectUrl;
  const railReference = attempt.railReference ?? command.railReference;
  // Keeps a newer code from a callback that overtook this answer.
  const providerCode = attempt.providerCode ?? printableCode(command.providerCode);
  const isSame = redirectUrl === attempt.redirectUrl && railReference === attempt.railReference;
  if (isSame && providerCode === attempt.providerCode) {
    return step;
  }
  // The answer may come after the callback: then the time of the attempt's end stays.
  const updatedAtMs = isSame || !isPending(attempt) ? attempt.updatedAtMs : step.nowMs;
  return withAttempt(step, { ...attempt, redirectUrl, railReference, providerCode, updatedAtMs });
}

function abandonAttempt(step: Step, attempt: Attempt): Step {
  if (attemptInFlight(step.intent)?.id !== attempt.id) {
    return reject(step, 'attempt_not_in_flight');
  }
  if (attempt.flow !== 'redirect' || step.intent.terms.kind !== 'hosted') {
    return reject(step, 'not_abandonable');
  }
  return reopenOrFail(withAttempt(step, abandoned(attempt, step.nowMs)), 'abandoned');
}

/**
 * Only an open payment can be canceled (docs/decisions.md#25). A repeated cancel is not an error.
 */
function cancel(step: Step): Step {
  switch (step.intent.status) {
    case 'open':
      return isHeldOpen(step) ? reject(step, 'attempt_in_flight') : end(step, 'canceled');
    case 'canceled':
      return step;
    case 'processing':
      return reject(step, 'attempt_in_flight');
    default:
      return reject(step, 'not_open');
  }
}

/** The customer leaves without paying: a failure, not a cancel (docs/decisions.md#25). */
function abandonPayment(step: Step): Step {
  if (step.intent.terms.kind !== 'hosted') {
    return reject(step, 'not_abandonable');
  }
  const attempt = attemptInFlight(step.intent);
  if (attempt !== null) {
    if (attempt.flow !== 'redirect') {
      return reject(step, 'attempt_in_flight');
    }
    return end(withAttempt(step, abandoned(attempt, step.nowMs)), 'failed', 'abandoned');
  }
  if (isHeldOpen(step)) {
    return reject(step, 'attempt_in_flight');
  }
  return step.intent.status === 'open'
    ? end(step, 'failed', 'abandoned')
    : reject(step, 'not_open');
}

/** The backup knows of no attempt in flight, but the customer may have paid after it. */
function isHeldOpen({ intent, nowMs }: Step): boolean {
  return intent.status === 'open' && isHeld(intent, nowMs);
}

/**
 * The attempt is unresolved, because the customer may still pay on the provider's page. Queries
 * continue.
 */
function abandoned(attempt: Attempt, nowMs: number): Attempt {
  return { ...attempt, status: 'unresolved', failureReason: 'abandoned', updatedAtMs: nowMs };
}
