import * as v from 'valibot';
import {
  type Attempt,
  FAILURE_REASONS,
  type FailureReason,
  type Intent,
  type ManualOutcome,
} from '../domain/intent.ts';
import {
  MANUAL_RECEIPT_LENGTH_MAX,
  NOTE_LENGTH_MAX,
  paidNeedsSecondOperator,
} from '../domain/manual-resolution.ts';
import { withoutPhoneNumbers } from '../domain/phone.ts';
import { fieldError } from '../http/field-error.ts';
import { oneOf, REQUIRED } from '../http/fields.ts';
import { validationProblem } from '../http/problem.ts';
import { body } from '../http/strict-body.ts';
import { errorText, log } from '../platform/log.ts';
import { railOf } from '../rails/registry.ts';
import {
  otherPaymentWithReceipt,
  storeAndCompareReceipts,
} from '../read-model/receipt-conflicts.ts';
import { type OperatorCall, recorder, type Target } from './call.ts';
import { decisionIdField, lineField, proofField } from './fields.ts';
import { commitDecision, type Decided, decided, knownPayment } from './payments.ts';
import { operationProblem } from './problems.ts';

export const resolutionFields = body({
  outcome: oneOf(['succeeded', 'failed']),
  /** For success: the provider's proof. */
  receipt: v.optional(proofField(MANUAL_RECEIPT_LENGTH_MAX)),
  /** For failure. */
  reason: v.optional(oneOf(FAILURE_REASONS)),
  note: lineField(NOTE_LENGTH_MAX),
  resolutionId: decisionIdField,
});

/**
 * Records the outcome of the attempt that the path names. Problems: 400 for fields that do not belong
 * together, 403 for an operator without a proved name who records a production payment, 404 for an
 * unknown payment or attempt, 409 when the payment rejects the resolution or another payment has
 * the receipt. Throws Unavailable, and changes nothing, while D1 cannot look for the receipt.
 */
export async function resolveAttempt(
  call: OperatorCall,
  target: Target,
  { resolutionId, note, ...given }: v.InferOutput<typeof resolutionFields>,
): Promise<Decided> {
  const outcome = outcomeOf(given);
  const { env, config, actor, nowMs } = call;
  const payment = await knownPayment(call, target);
  const { tenant, uniqueId, intent: known } = payment;
  const attempt = attemptOf(known, target.attemptId);
  const isProposed = ({ proposal }: Attempt) => proposal?.resolutionId === resolutionId;
  if (attempt.manualResolutionId === resolutionId || isProposed(attempt)) {
    return decided(call, payment, { isProposed: isProposed(attempt) });
  }
  const isPaid = outcome.type === 'succeeded';
  const isVerified = actor.isProved === true;
  if (isPaid && tenant.environment === 'production' && !isVerified) {
    throw operationProblem('operator_not_verified');
  }
  const record = recorder(call, {
    ...tenant,
    action: 'attempt.resolved',
    target: uniqueId,
    detail: { reference: attempt.reference, resolutionId },
  });
  const { type, ...finding } = outcome;
  const { secondOperatorAboveMinor } = config;
  const secondOperator =
    isPaid && paidNeedsSecondOperator(known, attempt, secondOperatorAboveMinor);
  const decision = { outcome: type, ...finding, secondOperator, note: withoutPhoneNumbers(note) };
  const other = isPaid ? await otherPayment(env, known, outcome.receipt) : null;
  if (other !== null) {
    await record({ ...decision, refused: 'receipt_used' });
    throw operationProblem('receipt_used', { ...other });
  }
  await record(decision);
  const intent = await commitDecision(
    payment,
    record,
    {
      type: 'resolve_manually',
      attemptId: attempt.id,
      resolutionId,
      outcome,
      operator: actor.name,
      isVerified,
      note,
      secondOperatorAboveMinor,
      checkAtMs: railOf(env, known.terms, attempt)?.query === undefined ? null : nowMs,
    },
    (after) => attemptOf(after, attempt.id),
  );
  if (isProposed(attemptOf(intent, attempt.id))) {
    return decided(call, payment, { intent, isProposed: true });
  }
  if (isPaid) {
    await compareReceipts(env, intent);
  }
  return decided(call, payment, { intent });
}

function otherPayment(env: Env, { terms }: Intent, receipt: string) {
  return otherPaymentWithReceipt(env, terms.environment, receipt, terms.uuid);
}

/**
 * After the commit: another payment may have got the same receipt since the look-up before it. If
 * this fails, the payment's message to the read model repeats it.
 */
async function compareReceipts(env: Env, intent: Intent): Promise<void> {
  try {
    await storeAndCompareReceipts(env, intent);
  } catch (error) {
    const { uuid } = intent.terms;
    log('warn', 'receipts_not_compared', { uuid, error: errorText(error) });
  }
}

function outcomeOf(given: {
  readonly outcome: 'succeeded' | 'failed';
  readonly receipt?: string | undefined;
  readonly reason?: FailureReason | undefined;
}): ManualOutcome {
  const { outcome, receipt, reason } = given;
  const errors = {
    ...(outcome === 'succeeded' && receipt === undefined && { receipt: REQUIRED }),
    ...(outcome === 'succeeded' &&
      reason !== undefined && {
        reason: fieldError('mismatch', 'Only for a failed outcome.'),
      }),
    ...(outcome === 'failed' && reason === undefined && { reason: REQUIRED }),
    ...(outcome === 'failed' &&
      receipt !== undefined && {
        receipt: fieldError('mismatch', 'Only for a succeeded outcome.'),
      }),
  };
  if (outcome === 'succeeded' && receipt !== undefined && reason === undefined) {
    return { type: 'succeeded', receipt };
  }
  if (outcome === 'failed' && reason !== undefined && receipt === undefined) {
    return { type: 'failed', reason };
  }
  throw validationProblem(errors);
}

/** The attempt of that id or reference. Problem 404 when there is none. */
function attemptOf(intent: Intent, named: string | undefined): Attempt {
  // The operator may use the reference that the provider and the merchant see.
  const attempt = intent.attempts.find(({ id, reference }) => id === named || reference === named);
  if (attempt === undefined) {
    throw operationProblem('attempt_not_found');
  }
  return attempt;
}
