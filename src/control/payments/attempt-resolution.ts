import * as v from 'valibot';
import {
  type Attempt,
  FAILURE_REASONS,
  type FailureReason,
  type ManualOutcome,
} from '../../engine/domain/attempt.ts';
import type { Intent } from '../../engine/domain/intent.ts';
import {
  MANUAL_RECEIPT_LENGTH_MAX,
  NOTE_LENGTH_MAX,
  paidNeedsSecondOperator,
} from '../../engine/domain/manual-resolution.ts';
import { railOf } from '../../engine/rails/registry.ts';
import { oneOf } from '../../kit/http/fields.ts';
import { body } from '../../kit/http/strict-body.ts';
import { errorText, log } from '../../kit/platform/log.ts';
import { action } from '../operator/call.ts';
import { decisionIdField, lineField, proofField, requireBelonging } from '../operator/fields.ts';
import { operationProblem } from '../operator/problems.ts';
import { decide, resolutionIdsIn } from './decisions.ts';
import { compareReceipts, otherPaymentWithReceipt } from './receipts.ts';

const resolutionFields = body({
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
export const resolveAttempt = action(resolutionFields, async (call, target, fields) => {
  const { resolutionId, note, ...given } = fields;
  const outcome = outcomeOf(given);
  const { env, config, actor, nowMs } = call;
  const isPaid = outcome.type === 'succeeded';
  const { secondOperatorAboveMinor } = config;
  const subjectIn = (intent: Intent) => attemptOf(intent, target.attemptId);
  const done = await decide(
    call,
    target,
    { id: resolutionId, note, idsIn: resolutionIdsIn },
    subjectIn,
    async ({ tenant, intent }, attempt) => {
      if (isPaid && tenant.environment === 'production' && actor.isProved !== true) {
        throw operationProblem('operator_not_verified');
      }
      const { type, ...finding } = outcome;
      const secondOperator =
        isPaid && paidNeedsSecondOperator(intent, attempt, secondOperatorAboveMinor);
      const other = isPaid
        ? await otherPaymentWithReceipt(env, intent.terms, outcome.receipt, nowMs)
        : null;
      return {
        action: 'attempt.resolved',
        about: { reference: attempt.reference, resolutionId },
        finding: { outcome: type, ...finding, secondOperator },
        refused: other && operationProblem('receipt_used', { ...other }),
        command: (said) => ({
          type: 'resolve_manually',
          attemptId: attempt.id,
          resolutionId,
          outcome,
          ...said,
          secondOperatorAboveMinor,
          checkAtMs: railOf(env, intent.terms, attempt)?.query === undefined ? null : nowMs,
        }),
      };
    },
  );
  if (isPaid && !done.isRepeated && !done.isProposed) {
    await compareAgain(env, done.payment.intent);
  }
  return done;
});

/**
 * After the commit: another payment may have got the same receipt since the look-up before it. If
 * this fails, the daily run repeats it.
 */
async function compareAgain(env: Env, intent: Intent): Promise<void> {
  try {
    await compareReceipts(env, intent);
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
  requireBelonging(given, {
    receipt: ['succeeded', 'Only for a succeeded outcome.'],
    reason: ['failed', 'Only for a failed outcome.'],
  });
  const { receipt = '', reason } = given;
  return reason === undefined ? { type: 'succeeded', receipt } : { type: 'failed', reason };
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
