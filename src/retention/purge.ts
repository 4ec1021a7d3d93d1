import { PURGE_ADDRESSES } from '../audit/log.ts';
import { EXPIRIES } from '../dead-letters/store.ts';
import { ENVIRONMENTS } from '../domain/method.ts';
import { RETENTION_MS } from '../domain/schedule.ts';
import { log } from '../platform/log.ts';
import { purgeUntil, repeatedly } from '../platform/purge-database.ts';

/**
 * Deletes personal data from D1 once it is as old as a payment's object keeps it
 * (docs/decisions.md#24). Runs daily. Each object deletes its own data by its alarm.
 */

/** One look-up for each merchant and environment: the indexes begin with them. */
const EACH_TENANT = `merchants CROSS JOIN
  (SELECT value AS environment FROM json_each('${JSON.stringify(ENVIRONMENTS)}')) AS place`;

/**
 * Up to ?2 payments with details or search keys that ended, and last changed, at ?1 or before.
 * Materialized, so that all statements of a batch find the same ones.
 */
const OLD_PAYMENTS = `WITH old AS MATERIALIZED (
  SELECT payment.merchant_id, payment.environment, payment.created_at_ms, uuid, unique_id,
    search_keys
  FROM ${EACH_TENANT} CROSS JOIN payment INDEXED BY payment_by_end
    ON payment.merchant_id = merchants.id AND payment.environment = place.environment
  WHERE is_purgeable = 1 AND ended_at_ms IS NOT NULL AND ended_at_ms <= ?1 AND updated_at_ms <= ?1
  LIMIT ?2)`;

/** Statements that purge up to ?2 rows older than RETENTION_MS, before ?1, in one batch. */
const PURGES = {
  // A digest of a phone number, and ids that lead to a person at a provider.
  payments: [
    `${OLD_PAYMENTS} DELETE FROM payment_search_key
      WHERE (merchant_id, environment, key, created_at_ms, uuid) IN (
        SELECT merchant_id, environment, value, created_at_ms, uuid
        FROM old, json_each(old.search_keys))`,
    `${OLD_PAYMENTS} DELETE FROM receipts
      WHERE (environment, key, merchant_id, created_at_ms, uuid) IN (
        SELECT environment, value, merchant_id, created_at_ms, uuid
        FROM old, json_each(old.search_keys))`,
    `${OLD_PAYMENTS} UPDATE refunds INDEXED BY refunds_by_payment SET rail_reference = NULL
      WHERE rail_reference IS NOT NULL AND (merchant_id, environment, unique_id) IN (
        SELECT merchant_id, environment, unique_id FROM old)`,
    `${OLD_PAYMENTS} UPDATE payment SET sealed_details = NULL, search_keys = '[]'
      WHERE (merchant_id, environment, created_at_ms, uuid) IN (
        SELECT merchant_id, environment, created_at_ms, uuid FROM old)`,
  ],
  receipts: [
    `DELETE FROM manual_receipts WHERE (environment, key, merchant_id, unique_id) IN (
      SELECT environment, key, merchant_id, unique_id FROM manual_receipts
      WHERE recorded_at_ms <= ?1 LIMIT ?2)`,
  ],
  auditAddresses: [PURGE_ADDRESSES],
  deadLetters: [
    `DELETE FROM dead_letters WHERE id IN (
      SELECT id FROM dead_letters WHERE status <> 'waiting' AND handled_at_ms <= ?1 LIMIT ?2)`,
  ],
} as const;

/** A write of a book is delayed by seconds, so this keeps every older one out. */
const RESOLVED_KEPT_MS = 24 * 60 * 60 * 1_000;
const PURGE_RESOLVED = `DELETE FROM attention_item WHERE (environment, payment_uuid) IN (
  SELECT environment, payment_uuid FROM attention_item
  WHERE environment IN ('sandbox', 'production') AND section = 'resolved' AND created_at_ms <= ?1
  LIMIT ?2) AND section = 'resolved'`;

/**
 * Purges what is older than RETENTION_MS, expires dead letters, and warns in the log when D1 fills
 * up.
 */
export async function purgeExpired(env: Env, nowMs: number): Promise<void> {
  await purgeUntil(env.DB, PURGES, nowMs - RETENTION_MS);
  await repeatedly(env.DB, [PURGE_RESOLVED], nowMs - RESOLVED_KEPT_MS);
  for (const { kind, waitsMs, sql } of EXPIRIES) {
    const { rows: letters } = await repeatedly(env.DB, [sql], nowMs - waitsMs);
    if (letters > 0) {
      log('warn', 'dead_letters_expired', { kind, letters });
    }
  }
}
