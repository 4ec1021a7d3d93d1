import * as v from 'valibot';
import { auditEntry } from '../../src/audit/log.ts';
import { prepare } from '../../src/database.ts';
import type { Intent, Rejection } from '../../src/domain/intent.ts';
import { MANUAL_RECEIPT_LENGTH_MAX, NOTE_LENGTH_MAX } from '../../src/domain/manual-resolution.ts';
import { withoutPhoneNumbers } from '../../src/domain/phone.ts';
import type { ManualRefundOutcome, Refund } from '../../src/domain/refund.ts';
import { needsSecondOperator } from '../../src/domain/refund-amounts.ts';
import { fieldError } from '../../src/http/field-error.ts';
import { oneOf, REQUIRED } from '../../src/http/fields.ts';
import { type Problem, problem, validationProblem } from '../../src/http/problem.ts';
import { type IntentClient, intentByUniqueId } from '../../src/intent/client.ts';
import { namedPayment } from './attention/review.ts';
import type { OperatorCall } from './call.ts';
import { operatorProblem } from './problems.ts';
import { knownIntent } from './resolution.ts';
import { body, lineField, patternField } from './schema.ts';

/**
 * Manual resolution of refunds: the one implementation behind the API, the command line and the
 * desk. Above the operator's limit, one operator proposes and another one confirms.
 */

export const refundResolutionFields = body({
  outcome: oneOf(['returned', 'not_returned']),
  /** For money that was returned: the provider's proof. */
  reference: v.optional(
    patternField(
      new RegExp(`^[!-~]{1,${MANUAL_RECEIPT_LENGTH_MAX}}$`),
      `Must be 1 to ${MANUAL_RECEIPT_LENGTH_MAX} letters, digits and signs without spaces.`,
    ),
  ),
  note: lineField(NOTE_LENGTH_MAX),
  /** Identifies one decision: a repeated request has no further effect. */
  resolutionId: v.optional(patternField(/^[A-Za-z0-9-]{8,64}$/, 'Must be a UUID.')),
});

/** The payment after the decision. */
interface Decided {
  /** A proposal waits for a second operator. */
  readonly type: 'resolved' | 'proposed' | 'repeated';
  readonly client: IntentClient;
  readonly intent: Intent;
}

/**
 * Records the operator's decision about the refund that the path names. As for attempts, the audit
 * entry is written before the commit. Problems: 400 for fields that do not belong together, 403 for
 * an operator without a proved name where two must agree, 404 for an unknown payment or refund, 409
 * when the payment rejects the decision.
 */
export async function resolveRefund(
  call: OperatorCall,
  {
    resolutionId = crypto.randomUUID(),
    note,
    ...given
  }: v.InferOutput<typeof refundResolutionFields>,
): Promise<Decided> {
  const outcome = outcomeOf(given);
  const { tenant, uniqueId } = namedPayment(call);
  const client = intentByUniqueId(call.env, tenant, uniqueId);
  const known = await knownIntent(client);
  const refund = refundOf(known, call.params.refundId);
  if ([refund.manualResolutionId, refund.proposal?.resolutionId].includes(resolutionId)) {
    return { type: 'repeated', client, intent: known };
  }
  const { secondOperatorAboveMinor } = call.config;
  const secondOperator = needsSecondOperator(known, refund, secondOperatorAboveMinor);
  if (secondOperator && !call.isVerified) {
    throw operatorProblem('operator_not_verified');
  }
  const record = (detail: Readonly<Record<string, string | boolean | null>>) =>
    prepare(
      call.env.DB,
      auditEntry({
        actor: call.actor,
        ...tenant,
        action: 'refund.decided',
        target: uniqueId,
        detail: { refund: withoutPhoneNumbers(refund.id), resolutionId, ...detail },
        atMs: call.nowMs,
      }),
    ).run();
  const { type, ...finding } = outcome;
  await record({ outcome: type, ...finding, secondOperator, note: withoutPhoneNumbers(note) });
  const result = await client.execute([
    {
      type: 'resolve_refund_manually',
      refundId: refund.id,
      resolutionId,
      outcome,
      operator: call.actor.name,
      note,
      // The sum counts at the commit: other refunds of the payment may be recorded meanwhile.
      secondOperatorAboveMinor,
      isVerified: call.isVerified,
    },
  ]);
  if (result.type === 'not_found') {
    throw problem('not_found');
  }
  const decided = refundOf(result.intent, refund.id);
  if (result.rejection !== null) {
    await record({ refused: result.rejection });
    throw rejectedDecision(result.rejection, decided);
  }
  const isProposed = decided.proposal?.resolutionId === resolutionId;
  if (isProposed && !secondOperator) {
    // Another refund by hand was recorded since the entry above.
    await record({ secondOperator: true });
  }
  return { type: isProposed ? 'proposed' : 'resolved', client, intent: result.intent };
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

/** The refund of that id or reference. Problem 404 when there is none. */
export function refundOf(intent: Intent, named: string | undefined): Refund {
  // The operator may use the reference that the provider sees. The merchant's ids come first: a
  // merchant could choose an id that equals the reference of another refund.
  const refund =
    intent.refunds.find(({ id }) => id === named) ??
    intent.refunds.find(({ reference }) => reference === named);
  if (refund === undefined) {
    throw problem('refund_not_found');
  }
  return refund;
}

function rejectedDecision(rejection: Rejection, { status }: Refund): Problem {
  switch (rejection) {
    case 'refund_not_resolvable':
      return operatorProblem('refund_not_resolvable', { status });
    case 'operator_not_verified':
    case 'second_operator_needed':
      return operatorProblem(rejection);
    case 'malformed_resolution':
      return operatorProblem('resolution_invalid');
    default:
      return operatorProblem('resolution_rejected', { rejection });
  }
}
