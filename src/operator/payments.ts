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
import { successResponse } from '../http/envelope.ts';
import { oneOf } from '../http/fields.ts';
import { type Problem, problem, validationProblem } from '../http/problem.ts';
import { type IntentClient, intentByUniqueId } from '../intent/client.ts';
import { namedPayment, readReview } from './attention/review.ts';
import type { OperatorCall } from './call.ts';
import { body, lineField, patternField, readBody } from './schema.ts';

/** GET …/payments/{environment}/{merchantId}/{uniqueId}, read from its object. */
export async function readPayment(call: OperatorCall): Promise<Response> {
  const { tenant, uniqueId } = namedPayment(call);
  const client = intentByUniqueId(call.env, tenant, uniqueId);
  const intent = await knownIntent(client);
  return successResponse('Payment', await paymentContent(call, client, intent));
}

const resolution = body({
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

/**
 * POST …/attempts/{attemptId}/resolve: a manual resolution. The audit entry is written before the
 * commit, and the payment's history in the commit. So the audit log contains every resolution, and
 * an entry without a counterpart in the history was not executed.
 */
export async function resolveAttempt(call: OperatorCall): Promise<Response> {
  const {
    resolutionId = crypto.randomUUID(),
    note,
    ...given
  } = await readBody(call.request, resolution);
  const outcome = outcomeOf(given);
  const { tenant, uniqueId } = namedPayment(call);
  const client = intentByUniqueId(call.env, tenant, uniqueId);
  const known = await knownIntent(client);
  const attempt = attemptOf(known, call.params.attemptId);
  if (attempt.manualResolutionId === resolutionId) {
    return successResponse('Already resolved', await paymentContent(call, client, known));
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
  return successResponse('Resolved', await paymentContent(call, client, result.intent));
}

function outcomeOf(given: {
  readonly outcome: 'succeeded' | 'failed';
  readonly receipt?: string | undefined;
  readonly reason?: FailureReason | undefined;
}): ManualOutcome {
  const { outcome, receipt, reason } = given;
  const errors = {
    ...(outcome === 'succeeded' && receipt === undefined && { receipt: 'This field is required.' }),
    ...(outcome === 'succeeded' &&
      reason !== undefined && { reason: 'Only for a failed outcome.' }),
    ...(outcome === 'failed' && reason === undefined && { reason: 'This field is required.' }),
    ...(outcome === 'failed' &&
      receipt !== undefined && { receipt: 'Only for a succeeded outcome.' }),
  };
  if (outcome === 'succeeded' && receipt !== undefined && reason === undefined) {
    return { type: 'succeeded', receipt };
  }
  if (outcome === 'failed' && reason !== undefined && receipt === undefined) {
    return { type: 'failed', reason };
  }
  throw validationProblem(errors);
}

function attemptOf(intent: Intent, named: string | undefined): Attempt {
  // The operator may use the reference that the provider and the merchant see.
  const attempt = intent.attempts.find(({ id, reference }) => id === named || reference === named);
  if (attempt === undefined) {
    throw problem('attempt_not_found');
  }
  return attempt;
}

function rejectedResolution(rejection: Rejection, { status, deadlineAtMs }: Attempt): Problem {
  switch (rejection) {
    case 'window_open':
      return problem('window_open', { deadline: new Date(deadlineAtMs).toISOString() });
    case 'query_due':
      return problem('query_due');
    case 'attempt_not_pending':
      return problem('attempt_not_pending', { status });
    case 'malformed_resolution':
      return problem('malformed_resolution');
    default:
      return problem('resolution_rejected', { rejection });
  }
}

async function knownIntent(client: IntentClient): Promise<Intent> {
  const read = await client.read();
  if (read.type === 'not_found') {
    throw problem('not_found');
  }
  return read.intent;
}

async function paymentContent(call: OperatorCall, client: IntentClient, intent: Intent) {
  const { terms } = intent;
  const [history, events, review] = await Promise.all([
    client.history(),
    client.events(),
    readReview(call.env.DB, terms.uuid),
  ]);
  return {
    objectId: client.objectId,
    environment: terms.environment,
    merchantId: terms.merchantId,
    merchantName: terms.merchantName,
    uniqueId: terms.uniqueId,
    uuid: terms.uuid,
    number: terms.number,
    kind: terms.kind,
    status: intent.status,
    failureReason: intent.failureReason,
    late: intent.late,
    amountMinor: terms.amountMinor,
    currency: terms.currency,
    createdAtMs: terms.createdAtMs,
    expiresAtMs: terms.expiresAtMs,
    endedAtMs: intent.endedAtMs,
    attempts: intent.attempts.map((attempt) => attemptContent(attempt, intent)),
    anomalies: intent.anomalies,
    history,
    events,
    review,
  };
}

/** Omits the customer's phone number and the customer's link to the provider's page. */
function attemptContent(attempt: Attempt, { paidAttemptId }: Intent) {
  const { phone: _phone, redirectUrl: _redirectUrl, startClaimId: _claim, ...rest } = attempt;
  return { ...rest, paid: attempt.id === paidAttemptId };
}
