import type { Attempt } from './attempt.ts';
import type { Command } from './command.ts';
import type { Intent } from './intent.ts';
import { isSameOperator, OPERATOR_LENGTH_MAX, proofOf } from './operator-name.ts';
import { hasSameReceipt, isSameReceipt } from './receipt.ts';
import { recordFailure, recordPaid } from './resolve.ts';
import { reject, type Step, withAttempt } from './step.ts';
import { chargedMinor } from './terms.ts';
import { awaitsProof, isPending } from './time.ts';

/** Manual resolution: the operator records the outcome that no provider query has proved. */

/** A note has room for some sentences. The history stores it for the payment's lifetime. */
export const NOTE_LENGTH_MAX = 500;
/** The longest receipt that a rail's documentation allows has 50 characters. */
export const MANUAL_RECEIPT_LENGTH_MAX = 64;

const NOTE = new RegExp(`^[^\\p{Cc}]{1,${NOTE_LENGTH_MAX}}$`, 'u');
const OPERATOR = new RegExp(`^[^\\p{Cc}]{1,${OPERATOR_LENGTH_MAX}}$`, 'u');
const RECEIPT = new RegExp(`^[!-~]{1,${MANUAL_RECEIPT_LENGTH_MAX}}$`);

type ResolveManually = Extract<Command, { type: 'resolve_manually' }>;

/**
 * Success is accepted at any time, like proof from the provider. Failure is accepted only for an
 * unresolved attempt whose window has closed: before that, the customer may still pay.
 */
export function resolveManually(step: Step, attempt: Attempt, command: ResolveManually): Step {
  const { outcome, resolutionId } = command;
  if ([attempt.manualResolutionId, attempt.proposal?.resolutionId].includes(resolutionId)) {
    // A retry of a command whose first answer was lost.
    return step;
  }
  if (!isWellFormed(command)) {
    return reject(step, 'malformed_resolution');
  }
  if (outcome.type === 'succeeded') {
    return resolveAsPaid(step, attempt, command, outcome.receipt);
  }
  if (!isPending(attempt)) {
    return reject(step, 'attempt_not_pending');
  }
  // This includes an attempt that the customer abandoned: its provider's page may still be open.
  if (step.nowMs < attempt.deadlineAtMs) {
    return reject(step, 'window_open');
  }
  const resolved: Attempt = { ...attempt, manualResolutionId: resolutionId };
  return attempt.status === 'processing'
    ? reject(step, 'query_due')
    : recordFailure(withAttempt(step, resolved), resolved, outcome);
}

/**
 * "Paid" makes the merchant deliver, and could make a payment of nothing: in production only people
 * with a proved name record it, each receipt once, and large sums by two of them.
 */
function resolveAsPaid(
  step: Step,
  attempt: Attempt,
  command: ResolveManually,
  receipt: string,
): Step {
  const { intent } = step;
  const { resolutionId, operator, note, isVerified } = command;
  const { proposal } = attempt;
  if (attempt.status === 'succeeded') {
    return reject(step, 'attempt_not_pending');
  }
  if (intent.terms.environment === 'production' && !isVerified) {
    return reject(step, 'operator_not_verified');
  }
  if (hasSameReceipt(intent, { id: attempt.id, receipt, issuerReceipt: null })) {
    return reject(step, 'receipt_used');
  }
  if (paidNeedsSecondOperator(intent, attempt, command.secondOperatorAboveMinor)) {
    if (proposal === null || !isSameReceipt(receipt, proposal.receipt)) {
      const said = { resolutionId, operator, note, ...proofOf(command) };
      const proposed = { ...said, receipt, atMs: step.nowMs };
      return withAttempt(step, { ...attempt, proposal: proposed });
    }
    if (isSameOperator(operator, proposal.operator)) {
      return reject(step, 'second_operator_needed');
    }
  }
  const resolved: Attempt = {
    ...attempt,
    manualResolutionId: resolutionId,
    // Without a call to the provider, there is nothing to query.
    checkAtMs: attempt.startClaim === 'free' ? null : command.checkAtMs,
    checks: 0,
  };
  return recordPaid(withAttempt(step, resolved), resolved, { type: 'succeeded', receipt });
}

/**
 * Whether two operators must agree that an attempt was paid: in production, for more than
 * `aboveMinor`, with the payment's other attempts that only operators say were paid
 * (docs/decisions.md#41). Null: there is no limit.
 */
export function paidNeedsSecondOperator(
  { terms, attempts }: Intent,
  attempt: Attempt,
  aboveMinor: number | null,
): boolean {
  const others = attempts.filter((other) => other.id !== attempt.id && awaitsProof(other));
  const sumMinor = [attempt, ...others].reduce(
    (sum, { method }) => sum + chargedMinor(terms, method),
    0,
  );
  return terms.environment === 'production' && aboveMinor !== null && sumMinor > aboveMinor;
}

function isWellFormed({ operator, note, outcome }: ResolveManually): boolean {
  return isWellFormedNote(operator, note, outcome.type === 'succeeded' ? outcome.receipt : null);
}

/** Whether an operator's name, reason and the provider's receipt or reference can be stored. */
export function isWellFormedNote(operator: string, note: string, receipt: string | null): boolean {
  return (
    isText(operator, OPERATOR) && isText(note, NOTE) && (receipt === null || RECEIPT.test(receipt))
  );
}

function isText(text: string, form: RegExp): boolean {
  return form.test(text) && text.trim() !== '';
}
