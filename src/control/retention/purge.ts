import { retentionOf } from '../../engine/config.ts';
import { PURGE_CONNECTIONS } from '../../engine/webhooks/people/connections.ts';
import { PURGE_ADDRESSES } from '../../kit/audit/log.ts';
import { runSteps, type Step } from '../../kit/platform/daily-runs.ts';
import { log } from '../../kit/platform/log.ts';
import { purgeAged, repeatedly } from '../../kit/platform/purge-database.ts';
import { expiries } from '../dead-letters/store.ts';

/**
 * Deletes personal data from D1 at the age that is set for its kind (docs/retention.md). Runs daily.
 * Payments' objects and books delete their own data by their alarms.
 */

const PURGE_RECEIPTS = `DELETE FROM manual_receipts
  WHERE (environment, key, merchant_id, unique_id) IN (
    SELECT environment, key, merchant_id, unique_id FROM manual_receipts
    WHERE recorded_at_ms <= ?1 LIMIT ?2)`;
const PURGE_LETTERS = `DELETE FROM dead_letters WHERE id IN (
  SELECT id FROM dead_letters WHERE status <> 'waiting' AND handled_at_ms <= ?1 LIMIT ?2)`;
const PURGE_ANSWERS = `DELETE FROM webhook_endpoint_answers
  WHERE (merchant_id, environment, key_digest) IN (
    SELECT merchant_id, environment, key_digest FROM webhook_endpoint_answers
    WHERE created_at_ms <= ?1 LIMIT ?2)`;

/** A write of a book is delayed by seconds, so this keeps every older one out. */
const RESOLVED_KEPT_MS = 24 * 60 * 60 * 1_000;
const PURGE_RESOLVED = `DELETE FROM attention_item WHERE (environment, payment_uuid) IN (
  SELECT environment, payment_uuid FROM attention_item
  WHERE environment IN ('sandbox', 'production') AND section = 'resolved' AND created_at_ms <= ?1
  LIMIT ?2) AND section = 'resolved'`;

/**
 * Purges what is past its retention, expires dead letters, and warns in the log when D1 fills up.
 * Returns the purged rows of each kind. Throws in the end if one has failed.
 */
export async function purgeExpired(env: Env, nowMs: number) {
  const { paymentMs, auditAddressMs, deadLetterMs, manualReceiptMs } = retentionOf(env);
  const purges = {
    receipts: { keptMs: manualReceiptMs, statements: [PURGE_RECEIPTS] },
    auditAddresses: { keptMs: auditAddressMs, statements: [PURGE_ADDRESSES] },
    deadLetters: { keptMs: deadLetterMs, statements: [PURGE_LETTERS] },
    // As long as a payment repeats its first answer.
    endpointAnswers: { keptMs: paymentMs, statements: [PURGE_ANSWERS] },
    resolvedItems: { keptMs: RESOLVED_KEPT_MS, statements: [PURGE_RESOLVED] },
    connections: { keptMs: 0, statements: [PURGE_CONNECTIONS] },
  };
  let purged = {};
  const purge = async () => {
    purged = await purgeAged(env.DB, purges, nowMs);
  };
  const expire = expiries(paymentMs).map(({ kind, waitsMs, sql }): Step => {
    const expireKind = async () => {
      const { rows: letters } = await repeatedly(env.DB, [sql], nowMs - waitsMs);
      if (letters > 0) {
        log('warn', 'dead_letters_expired', { kind, letters });
      }
    };
    return [`letters/${kind}`, expireKind];
  });
  await runSteps([['rows', purge], ...expire]);
  return purged;
}
