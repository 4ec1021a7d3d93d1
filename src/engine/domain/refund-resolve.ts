import type { Attempt } from './attempt.ts';
import { isWellFormedNote } from './manual-resolution.ts';
import { isSameOperator, proofOf } from './operator-name.ts';
import { printableCode } from './provider-code.ts';
import {
  hasRefundEnded,
  holdsMoney,
  type Refund,
  type RefundCommand,
  type RefundOutcome,
} from './refund.ts';
import { commissionLeftMinor, excessMinor, needsSecondOperator } from './refund-amounts.ts';
import { applyRefundTime } from './refund-time.ts';
import { announce, find, reject, type Step, withAnomaly, withRefund } from './step.ts';

/** The outcomes of a refund, as the provider reports or the operator records them. */

type Success = Extract<RefundOutcome, { type: 'succeeded' }>;
type Failure = Extract<RefundOutcome, { type: 'failed' }>;

/** What the provider reports about a refund. */
export function resolveRefund(
  step: Step,
  refund: Refund,
  command: Extract<RefundCommand, { type: 'resolve_refund' }>,
): Step {
  const { outcome } = command;
  switch (outcome.type) {
    case 'succeeded':
      return recordRefunded(step, refund, outcome);
    case 'failed':
      return recordNotRefunded(step, refund, outcome);
    case 'requires_action':
      return recordActionRequired(step, refund, outcome);
    case 'unknown':
      // The window may close now that its last query has ended.
      return applyRefundTime(recordUnknown(step, refund, outcome, command.answersCheckAtMs));
  }
}

/** Records that a person must return the money. */
function recordActionRequired(
  step: Step,
  refund: Refund,
  outcome: Extract<RefundOutcome, { type: 'requires_action' }>,
): Step {
  const checkAtMs = outcome.checkAtMs ?? null;
  if (refund.status === 'requires_action') {
    // The report answers a query. A query that stays due would run without end.
    return withRefund(step, { ...refund, checkAtMs });
  }
  const isAtProvider = refund.status === 'processing' || refund.status === 'unresolved';
  if (!isAtProvider) {
    return step;
  }
  const waiting = withRefund(step, {
    ...refund,
    status: 'requires_action',
    actionReason: outcome.reason,
    checkAtMs,
    providerCode: lastCode(refund, outcome),
    updatedAtMs: step.nowMs,
  });
  return announce(waiting, 'refund_requires_action');
}

/**
 * Records that money was returned, in any state after the provider's call, even if more goes back
 * than the customer paid: the refund may have failed, and another may have taken its amount.
 */
function recordRefunded(step: Step, refund: Refund, outcome: Success): Step {
  if (refund.status === 'succeeded') {
    return isReturnedTwice(refund, outcome) ? withRefundAnomaly(step, refund) : step;
  }
  if (refund.status === 'pending' || refund.status === 'canceled') {
    // Kefel never asked for it.
    return withRefundAnomaly(step, refund);
  }
  const wasReleased = !holdsMoney(refund);
  const attempt = attemptOf(step, refund);
  const refunded = withRefund(step, {
    ...refund,
    status: 'succeeded',
    // Other refunds may have returned this part of the commission since.
    commissionReturnedMinor: wasReleased
      ? Math.min(refund.commissionReturnedMinor, commissionLeftMinor(step.intent, attempt))
      : refund.commissionReturnedMinor,
    failureReason: null,
    actionReason: null,
    checkAtMs: null,
    proposal: null,
    railReference: outcome.railReference ?? refund.railReference,
    providerCode: lastCode(refund, outcome),
    late: wasReleased,
    updatedAtMs: step.nowMs,
  });
  return announce(withExcess(refunded, attempt, refund), 'refund_succeeded');
}

/** Each refund that returns more than was paid is an anomaly, which blocks the attempt's refunds. */
function withExcess(step: Step, attempt: Attempt, { id: refundId }: Refund): Step {
  const excess = excessMinor(step.intent, attempt);
  const { id: attemptId } = attempt;
  const details = { attemptId, refundId, excessMinor: excess, reviewedAtMs: null };
  return excess === 0 ? step : withAnomaly(step, { kind: 'excess_refund', ...details });
}

/** Whether the provider reports a second reference for what an operator returned by hand. */
function isReturnedTwice(
  { manualResolutionId, railReference: known }: Refund,
  { railReference }: Success,
): boolean {
  return manualResolutionId !== null && railReference !== null && railReference !== known;
}

/** Records that no money was returned. For refunds that wait for a person, the operator decides. */
function recordNotRefunded(step: Step, refund: Refund, outcome: Failure): Step {
  switch (refund.status) {
    case 'succeeded':
      return withRefundAnomaly(step, refund);
    case 'requires_action':
      // The report answers a query. A query that stays due would run without end.
      return withRefund(step, { ...refund, checkAtMs: null });
    case 'processing':
    case 'unresolved':
      return failRefund(step, refund, outcome);
    default:
      return step;
  }
}

function failRefund(step: Step, refund: Refund, outcome: Failure): Step {
  const failed = withRefund(step, {
    ...refund,
    status: 'failed',
    failureReason: outcome.reason,
    actionReason: null,
    checkAtMs: null,
    proposal: null,
    providerCode: lastCode(refund, outcome),
    updatedAtMs: step.nowMs,
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
export function resolveRefundManually(
  step: Step,
  refund: Refund,
  command: Extract<RefundCommand, { type: 'resolve_refund_manually' }>,
): Step {
  const { resolutionId, operator, note, outcome } = command;
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
  const mustAgree = needsSecondOperator(step.intent, refund, command.secondOperatorAboveMinor);
  if (mustAgree && !command.isVerified) {
    return reject(step, 'operator_not_verified');
  }
  if (mustAgree && isConfirmed && isSameOperator(operator, proposal.operator)) {
    return reject(step, 'second_operator_needed');
  }
  if (mustAgree && !isConfirmed) {
    const said = { resolutionId, operator, note, ...proofOf(command) };
    const proposed = { ...said, outcome, atMs: step.nowMs };
    return withRefund(step, { ...refund, proposal: proposed, updatedAtMs: step.nowMs });
  }
  const resolved = { ...refund, manualResolutionId: resolutionId };
  return outcome.type === 'succeeded'
    ? recordRefunded(step, resolved, outcome)
    : failRefund(step, resolved, { type: 'failed', reason: 'rejected_by_operator' });
}

function isSame(
  one: { readonly type: string; readonly railReference?: string },
  other: { readonly type: string; readonly railReference?: string },
): boolean {
  return one.type === other.type && one.railReference === other.railReference;
}

/** The anomaly is recorded once per refund, so repeated reports cannot cause unbounded writes. */
function withRefundAnomaly(step: Step, { attemptId, id: refundId }: Refund): Step {
  const { anomalies } = step.intent;
  const kind = 'contradicting_refund';
  return anomalies.some((known) => known.kind === kind && known.refundId === refundId)
    ? step
    : withAnomaly(step, { kind, attemptId, refundId });
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
