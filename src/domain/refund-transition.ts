import { type Attempt, chargedMinor, type Intent, type IntentTerms } from './intent.ts';
import { isWellFormedNote } from './manual-resolution.ts';
import { isWholeMajor } from './money.ts';
import { printableCode } from './provider-code.ts';
import {
  hasRefundEnded,
  holdsMoney,
  isInFlight,
  type Refund,
  type RefundActionReason,
  type RefundAmounts,
  type RefundCapability,
  type RefundCommand,
  type RefundOutcome,
} from './refund.ts';
import { fits, REFUNDS_MAX, refundAmounts, refundableMinor, refundsOf } from './refund-amounts.ts';
import { find, reject, type Step, withAnomaly } from './step.ts';

/** Applies a command about a refund to its payment. */
export function applyRefundCommand(step: Step, command: RefundCommand, nowMs: number): Step {
  if (command.type === 'request_refund') {
    return requestRefund(step, command, nowMs);
  }
  const refund = step.intent.refunds.find(({ id }) => id === command.refundId);
  if (refund === undefined) {
    return reject(step, 'refund_not_found');
  }
  switch (command.type) {
    case 'claim_refund':
      return claimRefund(step, refund, command, nowMs);
    case 'resolve_refund':
      return resolveRefund(step, refund, command, nowMs);
    case 'resolve_refund_manually':
      return resolveRefundManually(step, refund, command, nowMs);
    case 'cancel_refund':
      return cancelRefund(step, refund, nowMs);
  }
}

/** Reserves the amount. */
function requestRefund(
  step: Step,
  command: Extract<RefundCommand, { type: 'request_refund' }>,
  nowMs: number,
): Step {
  const { intent } = step;
  const { refund: request, capability, keepsCommission, startsAfterMs } = command;
  const known = intent.refunds.find(({ id }) => id === request.id);
  if (known !== undefined) {
    // The same request id is a retry of a command whose first answer was lost.
    return known.requestId === request.requestId ? step : reject(step, 'refund_exists');
  }
  const attempt = find(intent, request.attemptId);
  if (attempt === null) {
    return reject(step, 'attempt_not_found');
  }
  if (attempt.status !== 'succeeded') {
    return reject(step, 'not_paid');
  }
  if (intent.refunds.length >= REFUNDS_MAX) {
    return reject(step, 'too_many_refunds');
  }
  const amountMinor = request.amountMinor ?? refundableMinor(intent, attempt);
  const amounts = refundAmounts(intent, attempt, amountMinor, keepsCommission);
  if (!isPositive(amountMinor) || !fits(intent, attempt, amounts)) {
    return reject(step, 'refund_too_large');
  }
  const obstacle = obstacleTo(capability, intent.terms, attempt, amounts, nowMs);
  const status = obstacle === null ? 'pending' : 'requires_action';
  const refund: Refund = {
    ...request,
    ...amounts,
    status,
    requestedStatus: status,
    requestedActionReason: obstacle,
    failureReason: null,
    actionReason: obstacle,
    startAtMs: nowMs + startsAfterMs,
    claimId: null,
    deadlineAtMs: null,
    checkAtMs: null,
    checks: 0,
    railReference: null,
    providerCode: null,
    late: false,
    proposal: null,
    manualResolutionId: null,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
  return { ...step, intent: { ...intent, refunds: [...intent.refunds, refund] } };
}

/** Why the provider cannot return these amounts now by API; null when it can. */
function obstacleTo(
  capability: RefundCapability | null,
  terms: IntentTerms,
  attempt: Attempt,
  { returnedMinor }: RefundAmounts,
  nowMs: number,
): RefundActionReason | null {
  if (capability === null) {
    return 'not_supported';
  }
  const { takesParts, wholeAmountsOnly, windowMs } = capability;
  if (windowMs !== null && nowMs - attempt.updatedAtMs > windowMs) {
    return 'too_late';
  }
  if (!takesParts && returnedMinor !== chargedMinor(terms, attempt.method)) {
    return 'part_not_supported';
  }
  return wholeAmountsOnly && !isWholeMajor(returnedMinor) ? 'whole_amounts_only' : null;
}

function isPositive(amountMinor: number): boolean {
  return Number.isSafeInteger(amountMinor) && amountMinor > 0;
}

/**
 * Grants at most one claim for each refund, and to one refund of an attempt at a time: while an
 * earlier one has no outcome, a provider's answer about the order could belong to either.
 */
function claimRefund(
  step: Step,
  refund: Refund,
  { claimId, deadlineAtMs }: Extract<RefundCommand, { type: 'claim_refund' }>,
  nowMs: number,
): Step {
  if (refund.claimId === claimId) {
    // A retry of a command whose first answer was lost.
    return step;
  }
  if (!isStartable(step.intent, refund) || nowMs < refund.startAtMs) {
    return reject(step, 'refund_not_claimable');
  }
  return withRefund(step, {
    ...refund,
    status: 'processing',
    claimId,
    deadlineAtMs,
    checkAtMs: deadlineAtMs,
    updatedAtMs: nowMs,
  });
}

function isStartable(intent: Intent, refund: Refund): boolean {
  return refund.status === 'pending' && !refundsOf(intent, refund.attemptId).some(isInFlight);
}

/** Refunds to request from the provider now. */
export function refundsToStart(intent: Intent, nowMs: number): readonly Refund[] {
  return intent.refunds.filter(
    (refund) => isStartable(intent, refund) && refund.startAtMs <= nowMs,
  );
}

/** Refunds whose provider query is due. */
export function refundsToCheck(intent: Intent, nowMs: number): readonly Refund[] {
  return intent.refunds.filter(({ checkAtMs }) => checkAtMs !== null && checkAtMs <= nowMs);
}

/** When refunds need the alarm. A refund that waits for another refund or a person has no time. */
export function refundTimes(intent: Intent): readonly number[] {
  return intent.refunds.flatMap((refund) => {
    const { status, startAtMs, checkAtMs, deadlineAtMs } = refund;
    const closesAtMs = status === 'processing' ? deadlineAtMs : null;
    const startsAtMs = isStartable(intent, refund) ? startAtMs : null;
    return [startsAtMs, checkAtMs, closesAtMs].filter((timeMs) => timeMs !== null);
  });
}

function resolveRefund(
  step: Step,
  refund: Refund,
  command: Extract<RefundCommand, { type: 'resolve_refund' }>,
  nowMs: number,
): Step {
  const { outcome } = command;
  switch (outcome.type) {
    case 'succeeded':
      return recordRefunded(step, refund, outcome, nowMs);
    case 'failed':
      return recordNotRefunded(step, refund, outcome, nowMs);
    case 'requires_action':
      return refund.status === 'processing' || refund.status === 'unresolved'
        ? withRefund(step, {
            ...refund,
            status: 'requires_action',
            actionReason: outcome.reason,
            checkAtMs: outcome.checkAtMs ?? null,
            providerCode: lastCode(refund, outcome),
            updatedAtMs: nowMs,
          })
        : step;
    case 'unknown':
      // The window may close now that its last query has ended.
      return applyRefundTime(recordUnknown(step, refund, outcome, command.answersCheckAtMs), nowMs);
  }
}

/**
 * Records that money was returned, whatever the state after the provider's call. If the refund had
 * failed, another one may have taken its amount since; then it records only an anomaly.
 */
function recordRefunded(
  step: Step,
  refund: Refund,
  outcome: Extract<RefundOutcome, { type: 'succeeded' }>,
  nowMs: number,
): Step {
  if (refund.status === 'succeeded') {
    return isReturnedTwice(refund, outcome) ? withRefundAnomaly(step, refund, nowMs) : step;
  }
  const wasNeverAsked = refund.status === 'pending' || refund.status === 'canceled';
  const wasReleased = !holdsMoney(refund);
  if (wasNeverAsked || (wasReleased && !fits(step.intent, attemptOf(step, refund), refund))) {
    return withRefundAnomaly(step, refund, nowMs);
  }
  const refunded = withRefund(step, {
    ...refund,
    status: 'succeeded',
    failureReason: null,
    actionReason: null,
    checkAtMs: null,
    proposal: null,
    railReference: outcome.railReference ?? refund.railReference,
    providerCode: lastCode(refund, outcome),
    late: wasReleased,
    updatedAtMs: nowMs,
  });
  return announce(refunded, 'refund_succeeded');
}

/** Whether the provider reports a second reference for what an operator returned by hand. */
function isReturnedTwice(
  { manualResolutionId, railReference: known }: Refund,
  { railReference }: Extract<RefundOutcome, { type: 'succeeded' }>,
): boolean {
  return manualResolutionId !== null && railReference !== null && railReference !== known;
}

/** Records that no money was returned. For refunds that wait for a person, the operator decides. */
function recordNotRefunded(
  step: Step,
  refund: Refund,
  outcome: Extract<RefundOutcome, { type: 'failed' }>,
  nowMs: number,
): Step {
  if (refund.status === 'succeeded') {
    return withRefundAnomaly(step, refund, nowMs);
  }
  if (refund.status !== 'processing' && refund.status !== 'unresolved') {
    return step;
  }
  return failRefund(step, refund, outcome, nowMs);
}

function failRefund(
  step: Step,
  refund: Refund,
  outcome: Extract<RefundOutcome, { type: 'failed' }>,
  nowMs: number,
): Step {
  const failed = withRefund(step, {
    ...refund,
    status: 'failed',
    failureReason: outcome.reason,
    actionReason: null,
    checkAtMs: null,
    proposal: null,
    providerCode: lastCode(refund, outcome),
    updatedAtMs: nowMs,
  });
  return announce(failed, 'refund_failed');
}

/** Schedules the next query. */
function recordUnknown(
  step: Step,
  refund: Refund,
  outcome: Extract<RefundOutcome, { type: 'unknown' }>,
  answersCheckAtMs: number | null | undefined,
): Step {
  if (refund.status === 'pending' || hasRefundEnded(refund)) {
    return step;
  }
  const isOutdated = answersCheckAtMs !== undefined && answersCheckAtMs !== refund.checkAtMs;
  return withRefund(step, {
    ...refund,
    checks: isOutdated ? refund.checks : refund.checks + 1,
    checkAtMs: isOutdated ? refund.checkAtMs : outcome.checkAtMs,
    railReference: refund.railReference ?? outcome.railReference ?? null,
    providerCode: lastCode(refund, outcome),
  });
}

/**
 * Records what the operator did or found at the provider. Rejected while the alarm may still call
 * the provider, or the provider may still answer.
 */
function resolveRefundManually(
  step: Step,
  refund: Refund,
  command: Extract<RefundCommand, { type: 'resolve_refund_manually' }>,
  nowMs: number,
): Step {
  const { resolutionId, operator, note, outcome, needsSecondOperator } = command;
  const { proposal } = refund;
  if (refund.manualResolutionId === resolutionId || proposal?.resolutionId === resolutionId) {
    // A retry of a command whose first answer was lost.
    return step;
  }
  const reference = outcome.type === 'succeeded' ? outcome.railReference : null;
  if (!isWellFormedNote(operator, note, reference)) {
    return reject(step, 'malformed_resolution');
  }
  if (refund.status !== 'requires_action' && refund.status !== 'unresolved') {
    return reject(step, 'refund_not_resolvable');
  }
  const isConfirmed = proposal !== null && isSame(proposal.outcome, outcome);
  if (needsSecondOperator && isConfirmed && proposal.operator === operator) {
    return reject(step, 'second_operator_needed');
  }
  if (needsSecondOperator && !isConfirmed) {
    const proposed = { resolutionId, operator, note, outcome, atMs: nowMs };
    return withRefund(step, { ...refund, proposal: proposed, updatedAtMs: nowMs });
  }
  const resolved = { ...refund, manualResolutionId: resolutionId };
  return outcome.type === 'succeeded'
    ? recordRefunded(step, resolved, outcome, nowMs)
    : failRefund(step, resolved, { type: 'failed', reason: 'rejected_by_operator' }, nowMs);
}

function isSame(
  one: { readonly type: string; readonly railReference?: string },
  other: { readonly type: string; readonly railReference?: string },
): boolean {
  return one.type === other.type && one.railReference === other.railReference;
}

function cancelRefund(step: Step, refund: Refund, nowMs: number): Step {
  if (refund.status === 'canceled') {
    return step;
  }
  return refund.status === 'pending'
    ? withRefund(step, { ...refund, status: 'canceled', checkAtMs: null, updatedAtMs: nowMs })
    : reject(step, 'refund_not_pending');
}

/** Makes refunds `unresolved` whose window closed without an outcome. A due query runs first. */
export function applyRefundTime(step: Step, nowMs: number): Step {
  return step.intent.refunds.reduce((next, refund) => {
    const { status, deadlineAtMs, checkAtMs } = refund;
    const isOver = status === 'processing' && deadlineAtMs !== null && nowMs >= deadlineAtMs;
    return isOver && !(checkAtMs !== null && checkAtMs <= nowMs)
      ? withRefund(next, { ...refund, status: 'unresolved', updatedAtMs: nowMs })
      : next;
  }, step);
}

function announce(step: Step, event: 'refund_succeeded' | 'refund_failed'): Step {
  return { ...step, events: [...step.events, event] };
}

function withRefund(step: Step, changed: Refund): Step {
  const refunds = step.intent.refunds.map((refund) =>
    refund.id === changed.id ? changed : refund,
  );
  return { ...step, intent: { ...step.intent, refunds } };
}

/** Recorded once per refund, so that repeated reports cannot cause unbounded writes. */
function withRefundAnomaly(step: Step, { attemptId, id: refundId }: Refund, atMs: number): Step {
  const { anomalies } = step.intent;
  const kind = 'contradicting_refund';
  return anomalies.some((known) => known.kind === kind && known.refundId === refundId)
    ? step
    : withAnomaly(step, { kind, attemptId, refundId, atMs });
}

function attemptOf({ intent }: Step, { attemptId }: Refund): Attempt {
  const attempt = find(intent, attemptId);
  if (attempt === null) {
    throw new Error('A refund without its attempt');
  }
  return attempt;
}

function lastCode(refund: Refund, { providerCode }: RefundOutcome): string | null {
  return printableCode(providerCode) ?? refund.providerCode;
}
