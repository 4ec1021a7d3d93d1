import * as v from 'valibot';
import type { Intent } from '../../engine/domain/intent.ts';
import {
  MANUAL_RECEIPT_LENGTH_MAX,
  NOTE_LENGTH_MAX,
} from '../../engine/domain/manual-resolution.ts';
import { withoutPhoneNumbers } from '../../engine/domain/phone.ts';
import type { ManualRefundOutcome, Refund } from '../../engine/domain/refund.ts';
import { needsSecondOperator } from '../../engine/domain/refund-amounts.ts';
import { REFUND_WINDOW_MS } from '../../engine/domain/schedule.ts';
import { isRepeatable } from '../../engine/refunds/ask-rail.ts';
import { oneOf } from '../../kit/http/fields.ts';
import { problem } from '../../kit/http/problem.ts';
import { body } from '../../kit/http/strict-body.ts';
import { action, type Target } from '../operator/call.ts';
import { decisionIdField, lineField, proofField, requireBelonging } from '../operator/fields.ts';
import { operationProblem } from '../operator/problems.ts';
import { decide, resolutionIdsIn } from './decisions.ts';

const resolutionFields = body({
  outcome: oneOf(['returned', 'not_returned']),
  /** For money that was returned: the provider's proof. */
  reference: v.optional(proofField(MANUAL_RECEIPT_LENGTH_MAX)),
  note: lineField(NOTE_LENGTH_MAX),
  resolutionId: decisionIdField,
});

/**
 * Records the outcome of the refund that the path names. Above the operator's limit, one operator
 * proposes and another one confirms. Problems: 400 for fields that do not belong together, 403 for
 * an operator without a proved name where two must agree, 404 for an unknown payment or refund, 409
 * when the payment rejects the decision.
 */
export const resolveRefund = action(resolutionFields, (call, target, fields) => {
  const { resolutionId, note, ...given } = fields;
  requireBelonging(given, { reference: ['returned', 'Only for money that was returned.'] });
  const { reference } = given;
  const outcome: ManualRefundOutcome =
    reference === undefined ? { type: 'failed' } : { type: 'succeeded', railReference: reference };
  const { secondOperatorAboveMinor } = call.config;
  const subjectIn = (intent: Intent) => refundOf(intent, target);
  const decision = { id: resolutionId, note, idsIn: resolutionIdsIn };
  return decide(call, target, decision, subjectIn, ({ intent }, refund) => {
    const secondOperator = needsSecondOperator(intent, refund, secondOperatorAboveMinor);
    if (secondOperator && call.actor.isProved !== true) {
      throw operationProblem('operator_not_verified');
    }
    const { type, ...finding } = outcome;
    return {
      action: 'refund.decided',
      about: { refund: withoutPhoneNumbers(refund.id), resolutionId },
      finding: { outcome: type, ...finding, secondOperator },
      command: (said) => ({
        type: 'resolve_refund_manually',
        refundId: refund.id,
        resolutionId,
        outcome,
        ...said,
        // The sum counts at the commit: other refunds of the payment may be recorded meanwhile.
        secondOperatorAboveMinor,
      }),
    };
  });
});

const repeatFields = body({ note: lineField(NOTE_LENGTH_MAX), repeatId: decisionIdField });

/**
 * Has the alarm send the refund that the path names again, with the same number. Problems: 403 in
 * production for an operator without a proved name, 404 for an unknown payment or refund, 409 when
 * the provider does not recognize the refund, or the payment rejects the repeat.
 */
export const repeatRefund = action(repeatFields, (call, target, { note, repeatId }) => {
  const subjectIn = (intent: Intent) => refundOf(intent, target);
  const idsIn = ({ repeat }: Refund) => [repeat?.repeatId];
  const decision = { id: repeatId, note, idsIn };
  return decide(call, target, decision, subjectIn, async ({ intent }, refund) => {
    if (!(await isRepeatable(call.env, intent, refund))) {
      throw operationProblem('refund_repeat_not_offered');
    }
    return {
      action: 'refund.repeated',
      about: { refund: withoutPhoneNumbers(refund.id), repeatId },
      finding: {},
      command: (said) => ({
        type: 'repeat_refund',
        refundId: refund.id,
        repeatId,
        ...said,
        deadlineAtMs: call.nowMs + REFUND_WINDOW_MS,
      }),
    };
  });
});

/**
 * The refund that the path names: by `refundReference`, the number that the provider sees, or by
 * `refundId`, the merchant's id or that number. Problem 404 when there is none.
 */
function refundOf({ refunds }: Intent, { refundId, refundReference }: Target): Refund {
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
