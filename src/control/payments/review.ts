import * as v from 'valibot';
import type { Intent } from '../../engine/domain/intent.ts';
import { withoutPhoneNumbers } from '../../engine/domain/phone.ts';
import { runAudited } from '../../kit/audit/log.ts';
import { oneOf } from '../../kit/http/fields.ts';
import { body } from '../../kit/http/strict-body.ts';
import { errorText, log } from '../../kit/platform/log.ts';
import { IS_REVIEWED, PAYMENT_SECTIONS } from '../../lists/book/attention.ts';
import type { Needs } from '../../lists/book/attention-reasons.ts';
import { bookOf } from '../../lists/book/client.ts';
import { type ActionCall, action, type Target } from '../operator/call.ts';
import { lineField, NOTE_CHARACTERS_MAX, patternField } from '../operator/fields.ts';
import { operationProblem } from '../operator/problems.ts';
import { needsOf } from '../payments/needs.ts';
import { knownPayment, type Review } from './payments.ts';

const countField = v.pipe(patternField(/^\d{1,4}$/, 'Must be a count.'), v.transform(Number));

/**
 * What the list does not show yet was not reviewed: the payment may lose and regain an unresolved
 * attempt before D1 hears of the first.
 */
const NOT_LISTED = { anomalies: 0, unresolvedAttempts: 0, late: 0 };

/**
 * Removes the payment that the path names from the attention list, until it needs more attention
 * than the operator has seen, or than the list shows now. Its attempts then take refunds again, if
 * more was returned than paid, and a restored payment is no longer held.
 */
export async function review(
  call: ActionCall,
  target: Target,
  { note: given, ...seen }: { readonly note: string } & Partial<Needs>,
): Promise<Review> {
  const { actor, nowMs: atMs } = call;
  const { tenant, uniqueId, client, intent } = await knownPayment(call, target);
  const needs = { ...needsOf(intent, atMs), ...seen };
  const note = withoutPhoneNumbers(given);
  const upsert = {
    sql: `INSERT INTO payment_reviews
        (uuid, anomalies, unresolved_attempts, late, note, reviewed_by, reviewed_at_ms)
      SELECT ?1, min(listed ->> 'anomalies', ?5), min(listed ->> 'unresolvedAttempts', ?6),
        min(listed ->> 'late', ?7), ?2, ?3, ?4
      FROM (SELECT COALESCE(MAX(item -> '$.payment'), ?8) AS listed
        FROM attention_item INDEXED BY attention_item_by_payment
        WHERE payment_uuid = ?1 AND item ->> '$.type' = 'payment') WHERE true
      ON CONFLICT (uuid) DO UPDATE SET anomalies = excluded.anomalies,
        unresolved_attempts = excluded.unresolved_attempts, late = excluded.late,
        note = excluded.note, reviewed_by = excluded.reviewed_by,
        reviewed_at_ms = excluded.reviewed_at_ms`,
    params: [
      ...[intent.terms.uuid, note, actor.name, atMs],
      ...[needs.anomalies, needs.unresolvedAttempts, needs.late ? 1 : 0],
      JSON.stringify(NOT_LISTED),
    ],
  };
  const entry = {
    ...tenant,
    action: 'payment.reviewed',
    target: uniqueId,
    detail: { note },
  } as const;
  const hide = {
    sql: `UPDATE attention_item SET section = 'reviewed'
      WHERE payment_uuid = ?1 AND section IN (${PAYMENT_SECTIONS}) AND ${IS_REVIEWED}`,
    params: [intent.terms.uuid],
  };
  await runAudited(call.env.DB, [upsert], { ...entry, actor, atMs }, [hide]);
  await tellBook(call.env, intent);
  if (intent.anomalies.some(({ reviewedAtMs }) => reviewedAtMs === null)) {
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

/** So that the alert ends with the review. If this fails, it ends with the book's next report. */
async function tellBook(env: Env, { terms }: Intent): Promise<void> {
  await bookOf(env, terms, terms.bookVolume)
    .report()
    .catch((error: unknown) => {
      log('warn', 'book_not_told', { error: errorText(error) });
    });
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
