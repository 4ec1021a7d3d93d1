import type * as v from 'valibot';
import { prepare } from '../../../src/database.ts';
import type { Intent, Tenant } from '../../../src/domain/intent.ts';
import { withoutPhoneNumbers } from '../../../src/domain/phone.ts';
import { needsReview } from '../../../src/domain/refund-amounts.ts';
import { successResponse } from '../../../src/http/envelope.ts';
import { problem } from '../../../src/http/problem.ts';
import { intentByUniqueId } from '../../../src/intent/client.ts';
import { changeAudited } from '../audited.ts';
import type { OperatorCall } from '../call.ts';
import { operatorProblem } from '../problems.ts';
import {
  body,
  environmentField,
  lineField,
  MERCHANT_ID,
  pathPart,
  patternField,
  readBody,
} from '../schema.ts';

/** Also a constraint of the table. */
export const NOTE_CHARACTERS_MAX = 500;
/** The longest unique id of a payment (docs/decisions.md#7), in UTF-16 units. */
const UNIQUE_ID_LENGTH_MAX = 510;

const merchantIdField = patternField(MERCHANT_ID, 'Must be the id of a merchant.');
const uniqueIdField = patternField(
  new RegExp(`^[^\\p{Cc}]{1,${UNIQUE_ID_LENGTH_MAX}}$`, 'u'),
  'Must be the id of a payment.',
);

/** What the operator noted about a payment that needed attention. */
export interface Review {
  readonly note: string;
  readonly reviewedBy: string;
  readonly reviewedAtMs: number;
}

/** The payment that the path names. Problem 404 for a malformed path. */
export function namedPayment({ params }: OperatorCall): {
  readonly tenant: Tenant;
  readonly uniqueId: string;
} {
  const environment = pathPart(environmentField, params.environment);
  const merchantId = pathPart(merchantIdField, params.merchantId);
  return {
    tenant: { environment, merchantId },
    uniqueId: pathPart(uniqueIdField, params.uniqueId),
  };
}

/** What about a payment needs attention. */
export interface Needs {
  readonly unresolvedAttempts: number;
  readonly anomalies: number;
  readonly proposedAttempts: number;
  readonly late: boolean;
}

export function needsOf({ attempts, anomalies, late }: Intent): Needs {
  return {
    unresolvedAttempts: attempts.filter(({ status }) => status === 'unresolved').length,
    anomalies: anomalies.length,
    proposedAttempts: attempts.filter(({ proposal }) => proposal !== null).length,
    late,
  };
}

/** Why the operator takes a payment off the list. */
export const reviewFields = body({ note: lineField(NOTE_CHARACTERS_MAX) });

/** POST …/payments/…/review */
export async function reviewPayment(call: OperatorCall): Promise<Response> {
  return successResponse(
    'Reviewed',
    await review(call, await readBody(call.request, reviewFields)),
  );
}

/**
 * Removes the payment that the path names from the attention list, until it needs more attention
 * than the operator has seen; `seen` is null for what it needs now. Its attempts then take refunds
 * again, if more was returned than paid. Problem 404 for a payment that the read model does not
 * have.
 */
export async function review(
  call: OperatorCall,
  { note: given }: v.InferOutput<typeof reviewFields>,
  seen: Omit<Needs, 'proposedAttempts'> | null = null,
): Promise<Review> {
  const { tenant, uniqueId } = namedPayment(call);
  const client = intentByUniqueId(call.env, tenant, uniqueId);
  const read = await client.read();
  if (read.type === 'not_found') {
    throw problem('not_found');
  }
  const { intent } = read;
  const needs = seen ?? needsOf(intent);
  const { environment, merchantId } = tenant;
  const { actor, isVerified, nowMs: atMs } = call;
  const note = withoutPhoneNumbers(given);
  const upsert = {
    sql: `INSERT INTO payment_reviews
        (uuid, anomalies, unresolved_attempts, late, note, reviewed_by, reviewed_at_ms)
      SELECT uuid, min(anomalies, ?7), min(unresolved_attempts, ?8), min(late, ?9), ?4, ?5, ?6
      FROM payment INDEXED BY payment_unique_id
      WHERE merchant_id = ?1 AND environment = ?2 AND unique_id = ?3
      ON CONFLICT (uuid) DO UPDATE SET anomalies = excluded.anomalies,
        unresolved_attempts = excluded.unresolved_attempts, late = excluded.late,
        note = excluded.note, reviewed_by = excluded.reviewed_by,
        reviewed_at_ms = excluded.reviewed_at_ms`,
    params: [
      ...[merchantId, environment, uniqueId, note, actor.name, atMs],
      ...[needs.anomalies, needs.unresolvedAttempts, needs.late ? 1 : 0],
    ],
  };
  const entry = {
    ...tenant,
    action: 'payment.reviewed',
    target: uniqueId,
    detail: { note },
  } as const;
  if (!(await changeAudited(call, upsert, entry))) {
    // Includes a payment of the last seconds, which the read model does not have yet.
    throw problem('not_found');
  }
  if (intent.attempts.some((attempt) => needsReview(intent, attempt))) {
    const { anomalies: count } = needs;
    const result = await client.execute([
      { type: 'review_anomalies', count, operator: actor.name, isVerified, note },
    ]);
    if (result.type === 'done' && result.rejection !== null) {
      throw operatorProblem('resolution_invalid');
    }
  }
  return { note, reviewedBy: actor.name, reviewedAtMs: atMs };
}

/** The last review of a payment, or null. */
export function readReview(db: D1Database, uuid: string): Promise<Review | null> {
  const sql = `SELECT note, reviewed_by AS reviewedBy, reviewed_at_ms AS reviewedAtMs
    FROM payment_reviews WHERE uuid = ?1`;
  return prepare(db, { sql, params: [uuid] }).first<Review>();
}
