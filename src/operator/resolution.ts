import * as v from 'valibot';
import { auditEntry } from '../audit/log.ts';
import { prepare } from '../database.ts';
import {
  type Attempt,
  FAILURE_REASONS,
  type FailureReason,
  type Intent,
  type ManualOutcome,
  type Rejection,
} from '../domain/intent.ts';
import { MANUAL_RECEIPT_LENGTH_MAX, NOTE_LENGTH_MAX } from '../domain/manual-resolution.ts';
import { withoutPhoneNumbers } from '../domain/phone.ts';
import { fieldError } from '../http/field-error.ts';
import { oneOf, REQUIRED } from '../http/fields.ts';
import { type Problem, problem, validationProblem } from '../http/problem.ts';
import { type IntentClient, intentByUniqueId } from '../intent/client.ts';
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
  /** The same decision had been recorded before, so nothing changed. */
  readonly isRepeated: boolean;
  readonly client: IntentClient;
  readonly intent: Intent;
}

/**
 * Resolves the attempt that the path names. The audit entry is written before the commit, and the
 * payment's history in the commit. So the audit log contains every resolution, and an entry without
 * a counterpart in the history was not executed. Problems: 400 for fields that do not belong
 * together, 404 for an unknown payment or attempt, 409 when the payment rejects the resolution.
 */
export async function resolve(
  call: OperatorCall,
  { resolutionId = crypto.randomUUID(), note, ...given }: v.InferOutput<typeof resolutionFields>,
): Promise<Resolved> {
  const outcome = outcomeOf(given);
  const { tenant, uniqueId } = namedPayment(call);
  const client = intentByUniqueId(call.env, tenant, uniqueId);
  const known = await knownIntent(client);
  const attempt = attemptOf(known, call.params.attemptId);
  if (attempt.manualResolutionId === resolutionId) {
    return { isRepeated: true, client, intent: known };
  }
  const record = (detail: Readonly<Record<string, string | null>>) =>
    prepare(
      call.env.DB,
      auditEntry({
        actor: call.actor,
        ...tenant,
        action: 'attempt.resolved',
        target: uniqueId,
        detail: { reference: attempt.reference, resolutionId, ...detail },
        atMs: call.nowMs,
      }),
    ).run();
  const { type, ...finding } = outcome;
  await record({ outcome: type, ...finding, note: withoutPhoneNumbers(note) });
  const result = await client.execute([
    {
      type: 'resolve_manually',
      attemptId: attempt.id,
      resolutionId,
      outcome,
      operator: call.actor.name,
      note,
    },
  ]);
  if (result.type === 'not_found') {
    throw problem('not_found');
  }
  if (result.rejection !== null) {
    await record({ refused: result.rejection });
    throw rejectedResolution(result.rejection, attemptOf(result.intent, attempt.id));
  }
  return { isRepeated: false, client, intent: result.intent };
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

function rejectedResolution(rejection: Rejection, { status, deadlineAtMs }: Attempt): Problem {
  switch (rejection) {
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
