import * as v from 'valibot';
import type { Intent } from '../domain/intent.ts';
import { MANUAL_RECEIPT_LENGTH_MAX, NOTE_LENGTH_MAX } from '../domain/manual-resolution.ts';
import { withoutPhoneNumbers } from '../domain/phone.ts';
import type { ManualRefundOutcome, Refund } from '../domain/refund.ts';
import { needsSecondOperator } from '../domain/refund-amounts.ts';
import { fieldError } from '../http/field-error.ts';
import { oneOf, REQUIRED } from '../http/fields.ts';
import { problem, validationProblem } from '../http/problem.ts';
import { body } from '../http/strict-body.ts';
import { type OperatorCall, recorder, type Target } from './call.ts';
import { decisionIdField, lineField, proofField } from './fields.ts';
import { commitDecision, type Decided, decided, knownPayment } from './payments.ts';
import { operationProblem } from './problems.ts';

export const refundResolutionFields = body({
  outcome: oneOf(['returned', 'not_returned']),
  /** For money that was returned: the provider's proof. */
  reference: v.optional(proofField(MANUAL_RECEIPT_LENGTH_MAX)),
  note: lineField(NOTE_LENGTH_MAX),
  resolutionId: decisionIdField,
});

/**
 * Records what became of the refund that the path names. Above the operator's limit, one operator
 * proposes and another one confirms. Problems: 400 for fields that do not belong together, 403 for
 * an operator without a proved name where two must agree, 404 for an unknown payment or refund, 409
 * when the payment rejects the decision.
 */
export async function resolveRefund(
  call: OperatorCall,
  target: Target,
  { resolutionId, note, ...given }: v.InferOutput<typeof refundResolutionFields>,
): Promise<Decided> {
  const outcome = outcomeOf(given);
  const payment = await knownPayment(call, target);
  const { tenant, uniqueId, intent: known } = payment;
  const refund = refundOf(known, target);
  const isProposedIn = ({ proposal }: Refund) => proposal?.resolutionId === resolutionId;
  if (refund.manualResolutionId === resolutionId || isProposedIn(refund)) {
    return decided(call, payment, { isProposed: isProposedIn(refund) });
  }
  const { secondOperatorAboveMinor } = call.config;
  const secondOperator = needsSecondOperator(known, refund, secondOperatorAboveMinor);
  const isVerified = call.actor.isProved === true;
  if (secondOperator && !isVerified) {
    throw operationProblem('operator_not_verified');
  }
  const record = recorder(call, {
    ...tenant,
    action: 'refund.decided',
    target: uniqueId,
    detail: { refund: withoutPhoneNumbers(refund.id), resolutionId },
  });
  const { type, ...finding } = outcome;
  await record({ outcome: type, ...finding, secondOperator, note: withoutPhoneNumbers(note) });
  const intent = await commitDecision(
    payment,
    record,
    {
      type: 'resolve_refund_manually',
      refundId: refund.id,
      resolutionId,
      outcome,
      operator: call.actor.name,
      note,
      // The sum counts at the commit: other refunds of the payment may be recorded meanwhile.
      secondOperatorAboveMinor,
      isVerified,
    },
    (after) => refundById(after, refund.id),
  );
  const isProposed = isProposedIn(refundById(intent, refund.id));
  if (isProposed && !secondOperator) {
    // Another refund by hand was recorded since the entry above.
    await record({ secondOperator: true });
  }
  return decided(call, payment, { intent, isProposed });
}

function outcomeOf(given: {
  readonly outcome: 'returned' | 'not_returned';
  readonly reference?: string | undefined;
}): ManualRefundOutcome {
  const { outcome, reference } = given;
  if (outcome === 'not_returned') {
    if (reference !== undefined) {
      throw validationProblem({
        reference: fieldError('mismatch', 'Only for money that was returned.'),
      });
    }
    return { type: 'failed' };
  }
  if (reference === undefined) {
    throw validationProblem({ reference: REQUIRED });
  }
  return { type: 'succeeded', railReference: reference };
}

/**
 * The refund that the path names: by `refundReference`, the number that the provider sees, or by
 * `refundId`, the merchant's id or that number. Problem 404 when there is none.
 */
export function refundOf({ refunds }: Intent, { refundId, refundReference }: Target): Refund {
  const byReference = (named: string | undefined) =>
    refunds.find(({ reference }) => reference === named);
  // The merchant's ids come first: a merchant could choose an id that equals the reference of
  // another refund.
  const refund =
    refundReference === undefined
      ? (refunds.find(({ id }) => id === refundId) ?? byReference(refundId))
      : byReference(refundReference);
  if (refund === undefined) {
    throw problem('refund_not_found');
  }
  return refund;
}

export function refundById(intent: Intent, refundId: string): Refund {
  return refundOf(intent, { refundId });
}
