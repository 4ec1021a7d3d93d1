import { DATABASE_BYTES_MAX, isNearlyFull, prepare } from '../database.ts';
import { RETENTION_MS } from '../domain/schedule.ts';
import { log } from '../log.ts';

/**
 * Deletes personal data from D1 once it is as old as a payment's object keeps it
 * (docs/decisions.md#24). Runs daily. Each object deletes its own data by its alarm.
 */

/** A statement of this many rows takes D1 far less than its limit of 30 s. */
const ROWS_PER_STATEMENT = 2_000;
/** 300,000 rows of each kind in a run, which may make 1,000 queries. The next run does the rest. */
const STATEMENTS_MAX = 150;

/** Statements that purge up to ?2 rows older than ?1, by what they purge. */
const PURGES = {
  // Before the search keys, by which it finds them.
  paymentDetails: `UPDATE payment SET sealed_details = NULL WHERE uuid IN (
      SELECT DISTINCT keys.uuid
      FROM payment_search_key AS keys INDEXED BY payment_search_key_by_time
        CROSS JOIN payment AS old INDEXED BY payment_by_uuid ON old.uuid = keys.uuid
      WHERE keys.created_at_ms <= ?1 AND old.sealed_details IS NOT NULL
        AND old.ended_at_ms IS NOT NULL AND old.updated_at_ms <= ?1
      LIMIT ?2)`,
  // All keys of a payment go: a digest of a phone number, and ids that lead to a person at a provider.
  searchKeys: `DELETE FROM payment_search_key
    WHERE (merchant_id, environment, key, created_at_ms, uuid) IN (
      SELECT keys.merchant_id, keys.environment, keys.key, keys.created_at_ms, keys.uuid
      FROM payment_search_key AS keys INDEXED BY payment_search_key_by_time
      LEFT JOIN payment INDEXED BY payment_by_uuid ON payment.uuid = keys.uuid
      WHERE keys.created_at_ms <= ?1 AND (payment.uuid IS NULL
        OR (payment.sealed_details IS NULL AND payment.ended_at_ms IS NOT NULL
          AND payment.updated_at_ms <= ?1))
      LIMIT ?2)`,
  // With the address and browser of a sign-in.
  sessions: `DELETE FROM sessions WHERE digest IN (
      SELECT digest FROM sessions WHERE expires_at_ms <= ?1 LIMIT ?2)`,
  auditAddresses: `UPDATE audit_log SET address = NULL WHERE id IN (
      SELECT id FROM audit_log INDEXED BY audit_log_with_address
      WHERE at_ms <= ?1 AND address IS NOT NULL LIMIT ?2)`,
  // A provider's answer may hold personal data. A waiting one may be the only copy of a proof.
  deadLetters: `DELETE FROM dead_letters WHERE id IN (
      SELECT id FROM dead_letters WHERE status <> 'waiting' AND handled_at_ms <= ?1 LIMIT ?2)`,
} as const;

/** Purges what is older than RETENTION_MS, and warns in the log when D1 fills up. */
export async function purgeExpired(env: Env, nowMs: number): Promise<void> {
  const purged: Record<string, number> = {};
  let sizeBytes = 0;
  for (const [kind, sql] of Object.entries(PURGES)) {
    const params = [nowMs - RETENTION_MS, ROWS_PER_STATEMENT];
    let rows = 0;
    for (let statements = 0; statements < STATEMENTS_MAX; statements++) {
      const { meta } = await prepare(env.DB, { sql, params }).run();
      sizeBytes = meta.size_after;
      rows += meta.changes;
      if (meta.changes < ROWS_PER_STATEMENT) {
        break;
      }
    }
    purged[kind] = rows;
  }
  log('info', 'data_purged', { ...purged, sizeBytes });
  if (isNearlyFull(sizeBytes)) {
    log('error', 'database_nearly_full', { sizeBytes, sizeBytesMax: DATABASE_BYTES_MAX });
  }
}
