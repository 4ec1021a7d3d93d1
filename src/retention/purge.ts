import { PURGE_ADDRESSES } from '../audit/log.ts';
import { EXPIRIES } from '../dead-letters/store.ts';
import { RETENTION_MS } from '../domain/schedule.ts';
import { log } from '../platform/log.ts';
import { purgeUntil, repeatedly } from '../platform/purge-database.ts';

/**
 * Deletes personal data from D1 once it is as old as a payment's object keeps it
 * (docs/decisions.md#24). Runs daily. Payments' objects and books delete their own data by their
 * alarms.
 */

/** Statements that purge up to ?2 rows older than RETENTION_MS, before ?1, in one batch. */
const PURGES = {
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
 * up. Returns how many rows of each kind it has purged.
 */
export async function purgeExpired(env: Env, nowMs: number) {
  const purged = await purgeUntil(env.DB, PURGES, nowMs - RETENTION_MS);
  await repeatedly(env.DB, [PURGE_RESOLVED], nowMs - RESOLVED_KEPT_MS);
  for (const { kind, waitsMs, sql } of EXPIRIES) {
    const { rows: letters } = await repeatedly(env.DB, [sql], nowMs - waitsMs);
    if (letters > 0) {
      log('warn', 'dead_letters_expired', { kind, letters });
    }
  }
  return purged;
}
