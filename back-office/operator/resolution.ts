import * as v from 'valibot';
import { type AuditEntry, auditEntry } from '../../src/audit/log.ts';
import { DatabaseUnavailable, prepare } from '../../src/database.ts';
import {
  type Attempt,
  FAILURE_REASONS,
  type FailureReason,
  type Intent,
  type ManualOutcome,
  type Rejection,
} from '../../src/domain/intent.ts';
import {
  MANUAL_RECEIPT_LENGTH_MAX,
  NOTE_LENGTH_MAX,
  paidNeedsSecondOperator,
} from '../../src/domain/manual-resolution.ts';
import { withoutPhoneNumbers } from '../../src/domain/phone.ts';
import { fieldError } from '../../src/http/field-error.ts';
import { oneOf, REQUIRED } from '../../src/http/fields.ts';
import { type Problem, problem, validationProblem } from '../../src/http/problem.ts';
import { type IntentClient, intentByUniqueId } from '../../src/intent/client.ts';
import { errorText, log } from '../../src/log.ts';
import { railOf } from '../../src/rails/registry.ts';
import {
  otherPaymentWithReceipt,
  storeAndCompareReceipts,
} from '../../src/read-model/receipt-conflicts.ts';
import { namedPayment } from './attention/review.ts';
import type { OperatorCall } from './call.ts';
import { operatorProblem } from './problems.ts';
import { body, lineField, patternField } from './schema.ts';

/** Manual resolution: the one implementation behind the API, the command line and the desk. */

export const resolutionFields = body({
  outcome: oneOf(['succeeded', 'failed']),
  /** For success: the provider's proof. */
  receipt: v.optional(
    patternField(
      new RegExp(`^[!-~]{1,${MANUAL_RECEIPT_LENGTH_MAX}}$`),
      `Must be 1 to ${MANUAL_RECEIPT_LENGTH_MAX} letters, digits and signs without spaces.`,
    ),
  ),
  /** For failure. */
  reason: v.optional(oneOf(FAILURE_REASONS)),
  note: lineField(NOTE_LENGTH_MAX),
  /** Identifies one decision: a repeated request has no further effect. */
  resolutionId: v.optional(patternField(/^[A-Za-z0-9-]{8,64}$/, 'Must be a UUID.')),
});

/** The payment after the resolution. */
interface Resolved {
  /** A proposal waits for a second operator. Repeated: the same decision was recorded before. */
  readonly type: 'resolved' | 'proposed' | 'repeated';
  readonly client: IntentClient;
  readonly intent: Intent;
}

/**
 * Resolves the attempt that the path names. The audit entry is written before the commit, and the
 * payment's history in the commit. So the audit log contains every resolution, and an entry without
 * a counterpart in the history was not executed. Problems: 400 for fields that do not belong
 * together, 403 for an operator without a proved name who records a production payment, 404 for an
 * unknown payment or attempt, 409 when the payment rejects the resolution or another payment has
 * the receipt. Throws Unavailable, and changes nothing, while D1 cannot look for the receipt.
 */
export async function resolve(
  call: OperatorCall,
  { resolutionId = crypto.randomUUID(), note, ...given }: v.InferOutput<typeof resolutionFields>,
): Promise<Resolved> {
  const outcome = outcomeOf(given);
  const { env, config, isVerified, nowMs } = call;
  const { tenant, uniqueId } = namedPayment(call);
  const client = intentByUniqueId(env, tenant, uniqueId);
  const known = await knownIntent(client);
  const attempt = attemptOf(known, call.params.attemptId);
  if ([attempt.manualResolutionId, attempt.proposal?.resolutionId].includes(resolutionId)) {
    return { type: 'repeated', client, intent: known };
  }
  const isPaid = outcome.type === 'succeeded';
  if (isPaid && tenant.environment === 'production' && !isVerified) {
    throw operatorProblem('operator_not_verified');
  }
  const record = (detail: Readonly<Record<string, string | boolean | null>>) =>
    recordEntry(env, {
      actor: call.actor,
      ...tenant,
      action: 'attempt.resolved',
      target: uniqueId,
      detail: { reference: attempt.reference, resolutionId, ...detail },
      atMs: nowMs,
    });
  const { type, ...finding } = outcome;
  const { secondOperatorAboveMinor } = config;
  const secondOperator =
    isPaid && paidNeedsSecondOperator(known, attempt, secondOperatorAboveMinor);
  const decision = { outcome: type, ...finding, secondOperator, note: withoutPhoneNumbers(note) };
  const other = isPaid ? await otherPayment(env, known, outcome.receipt) : null;
  if (other !== null) {
    await record({ ...decision, refused: 'receipt_used' });
    throw operatorProblem('receipt_used', { ...other });
  }
  await record(decision);
  const result = await client.execute([
    {
      type: 'resolve_manually',
      attemptId: attempt.id,
      resolutionId,
      outcome,
      operator: call.actor.name,
      isVerified,
      note,
      secondOperatorAboveMinor,
      checkAtMs: railOf(env, known.terms, attempt)?.query === undefined ? null : nowMs,
    },
  ]);
  if (result.type === 'not_found') {
    throw problem('not_found');
  }
  const resolved = attemptOf(result.intent, attempt.id);
  if (result.rejection !== null) {
    await record({ refused: result.rejection });
    throw rejectedResolution(result.rejection, resolved, tenant.merchantId, uniqueId);
  }
  if (resolved.proposal?.resolutionId === resolutionId) {
    return { type: 'proposed', client, intent: result.intent };
  }
  if (isPaid) {
    await compareReceipts(env, result.intent);
  }
  return { type: 'resolved', client, intent: result.intent };
}

/** Throws Unavailable when D1 does not answer: without its entry, nothing is done. */
async function recordEntry(env: Env, entry: AuditEntry): Promise<void> {
  try {
    await prepare(env.DB, auditEntry(entry)).run();
  } catch (error) {
    throw new DatabaseUnavailable(errorText(error));
  }
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
export function attemptOf(intent: Intent, named: string | undefined): Attempt {
  // The operator may use the reference that the provider and the merchant see.
  const attempt = intent.attempts.find(({ id, reference }) => id === named || reference === named);
  if (attempt === undefined) {
    throw operatorProblem('attempt_not_found');
  }
  return attempt;
}

function rejectedResolution(
  rejection: Rejection,
  { status, deadlineAtMs }: Attempt,
  merchantId: string,
  uniqueId: string,
): Problem {
  switch (rejection) {
    case 'receipt_used':
      return operatorProblem('receipt_used', { merchantId, uniqueId });
    case 'operator_not_verified':
    case 'second_operator_needed':
      return operatorProblem(rejection);
    case 'window_open':
      return operatorProblem('window_open', { deadline: new Date(deadlineAtMs).toISOString() });
    case 'query_due':
      return operatorProblem('query_due');
    case 'attempt_not_pending':
      return operatorProblem('attempt_not_pending', { status });
    case 'malformed_resolution':
      return operatorProblem('resolution_invalid');
    default:
      return operatorProblem('resolution_rejected', { rejection });
  }
}

/** The payment as its object has it. Problem 404 when there is none. */
export async function knownIntent(client: IntentClient): Promise<Intent> {
  const read = await client.read();
  if (read.type === 'not_found') {
    throw problem('not_found');
  }
  return read.intent;
}
