import { batch, DATABASE_BYTES_MAX, isNearlyFull } from '../database.ts';
import { EXPIRIES } from '../dead-letters/store.ts';
import { RETENTION_MS } from '../domain/schedule.ts';
import { log } from '../log.ts';
import { EACH_TENANT } from '../read-model/search-all.ts';

/**
 * Deletes personal data from D1 once it is as old as a payment's object keeps it
 * (docs/decisions.md#24). Runs daily. Each object deletes its own data by its alarm.
 */

/** Payments, each with some search keys, or other rows: D1 takes far less than its limit of 30 s. */
const ROWS_PER_STATEMENT = 2_000;
/** 300,000 rows of each kind in a run, which may make 1,000 queries. The next run does the rest. */
const BATCHES_MAX = 150;

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
  // With the address and browser of a sign-in.
  sessions: [
    `DELETE FROM sessions WHERE digest IN (
      SELECT digest FROM sessions WHERE expires_at_ms <= ?1 LIMIT ?2)`,
  ],
  auditAddresses: [
    `UPDATE audit_log SET address = NULL WHERE id IN (
      SELECT id FROM audit_log INDEXED BY audit_log_with_address
      WHERE at_ms <= ?1 AND address IS NOT NULL LIMIT ?2)`,
  ],
  deadLetters: [
    `DELETE FROM dead_letters WHERE id IN (
      SELECT id FROM dead_letters WHERE status <> 'waiting' AND handled_at_ms <= ?1 LIMIT ?2)`,
  ],
} as const;

/**
 * Purges what is older than RETENTION_MS, expires dead letters, and warns in the log when D1 fills
 * up.
 */
export async function purgeExpired(env: Env, nowMs: number): Promise<void> {
  const purged: Record<string, number> = {};
  let sizeBytes = 0;
  for (const [kind, statements] of Object.entries(PURGES)) {
    const done = await repeated(env, statements, nowMs - RETENTION_MS);
    purged[kind] = done.rows;
    sizeBytes = done.sizeBytes;
  }
  log('info', 'data_purged', { ...purged, sizeBytes });
  for (const { kind, waitsMs, sql } of EXPIRIES) {
    const { rows: letters } = await repeated(env, [sql], nowMs - waitsMs);
    if (letters > 0) {
      log('warn', 'dead_letters_expired', { kind, letters });
    }
  }
  if (isNearlyFull(sizeBytes)) {
    log('error', 'database_nearly_full', { sizeBytes, sizeBytesMax: DATABASE_BYTES_MAX });
  }
}

/** Runs the statements until the last one changes fewer rows than it may. */
async function repeated(
  env: Env,
  statements: readonly string[],
  untilMs: number,
): Promise<{ readonly rows: number; readonly sizeBytes: number }> {
  const params = [untilMs, ROWS_PER_STATEMENT];
  let rows = 0;
  for (let batches = 1; ; batches++) {
    const results = await batch(
      env.DB,
      statements.map((sql) => ({ sql, params })),
    );
    const { changes = 0, size_after: sizeBytes = 0 } = results.at(-1)?.meta ?? {};
    rows += changes;
    if (changes < ROWS_PER_STATEMENT || batches === BATCHES_MAX) {
      return { rows, sizeBytes };
    }
  }
}
