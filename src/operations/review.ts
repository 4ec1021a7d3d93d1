import * as v from 'valibot';
import { withoutPhoneNumbers } from '../domain/phone.ts';
import { needsReview } from '../domain/refund-amounts.ts';
import { oneOf } from '../http/fields.ts';
import { problem } from '../http/problem.ts';
import { body } from '../http/strict-body.ts';
import { action, changeAudited, type OperatorCall, type Target } from './call.ts';
import { lineField, NOTE_CHARACTERS_MAX, patternField } from './fields.ts';
import { type Needs, needsOf } from './needs.ts';
import { knownPayment, type Review } from './payments.ts';
import { operationProblem } from './problems.ts';

const countField = v.pipe(patternField(/^\d{1,4}$/, 'Must be a count.'), v.transform(Number));

/**
 * Removes the payment that the path names from the attention list, until it needs more attention
 * than the operator has seen, or than it needs now. Its attempts then take refunds again, if more
 * was returned than paid. Problem 404 for a payment that the read model does not have.
 */
async function review(
  call: OperatorCall,
  target: Target,
  { note: given, ...seen }: { readonly note: string } & Partial<Needs>,
): Promise<Review> {
  const { actor, nowMs: atMs } = call;
  const { tenant, uniqueId, client, intent } = await knownPayment(call, target);
  const needs = { ...needsOf(intent), ...seen };
  const { environment, merchantId } = tenant;
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
    const isVerified = actor.isProved === true;
    const { anomalies: count } = needs;
    const result = await client.execute([
      { type: 'review_anomalies', count, operator: actor.name, isVerified, note },
    ]);
    if (result.type === 'done' && result.rejection !== null) {
      throw operationProblem('resolution_invalid');
    }
  }
  return { note, reviewedBy: actor.name, reviewedAtMs: atMs };
}

export const reviewPayment = action(body({ note: lineField(NOTE_CHARACTERS_MAX) }), review);

/** A review of what a form showed: the form may stay open for hours. */
export const reviewSeenPayment = action(
  body({
    note: lineField(NOTE_CHARACTERS_MAX),
    anomalies: countField,
    unresolvedAttempts: countField,
    late: v.pipe(
      oneOf(['true', 'false']),
      v.transform((text) => text === 'true'),
    ),
  }),
  review,
);
