import { RETENTION_MS } from '../domain/schedule.ts';
import { entryOf, hasPersonalData, moveTerms } from './apply.ts';
import { IDS_PER_MS } from './schema.ts';

/**
 * Deletes personal data at the age at which a payment's object deletes it (docs/decisions.md#24).
 * The purge goes through the payments in the order of their creation and stores its place. It also
 * stores payments that ended or changed long after their creation, and returns to them later.
 */

export const PURGE_AGAIN_MS = 24 * 60 * 60 * 1_000;

/** Most payments end within this time of their creation, so the purge need not return to them. */
const PASSED_AFTER_MS = RETENTION_MS + 60 * 60 * 1_000;

/** A transaction of this size takes milliseconds, so requests do not wait. */
const BATCH_PAYMENTS = 500;

type Passed = {
  readonly id: number;
  readonly unique_id: string;
  readonly number: number;
  readonly search_keys: string;
  readonly sealed_details: string | null;
  readonly updated_at_ms: number;
  readonly ended_at_ms: number | null;
};

const COLUMNS = 'id, unique_id, number, search_keys, sealed_details, updated_at_ms, ended_at_ms';

/** Returns the time of the next purge, or null for never. Runs in the caller's transaction. */
export function purgeBatch(sql: SqlStorage, nowMs: number): number | null {
  const later = sql
    .exec<Passed & { readonly due_at_ms: number }>(
      `SELECT due_at_ms, ${COLUMNS} FROM purge_later CROSS JOIN payment ON payment.id = payment_id
        WHERE due_at_ms <= ? ORDER BY due_at_ms LIMIT ${BATCH_PAYMENTS}`,
      nowMs,
    )
    .toArray();
  for (const payment of later) {
    sql.exec(
      'DELETE FROM purge_later WHERE due_at_ms = ? AND payment_id = ?',
      payment.due_at_ms,
      payment.id,
    );
    purgeOrPostpone(sql, payment, nowMs);
  }
  const passed = sql
    .exec<Passed>(
      `SELECT ${COLUMNS} FROM payment
        WHERE id > (SELECT purged_to_id FROM book) AND id < ? ORDER BY id LIMIT ${BATCH_PAYMENTS}`,
      (nowMs - PASSED_AFTER_MS) * IDS_PER_MS,
    )
    .toArray();
  for (const payment of passed) {
    purgeOrPostpone(sql, payment, nowMs);
  }
  const last = passed.at(-1);
  if (last !== undefined) {
    sql.exec('UPDATE book SET purged_to_id = ?', last.id);
  }
  const isFull = [later, passed].some(({ length }) => length === BATCH_PAYMENTS);
  return isFull ? nowMs : hasMore(sql) ? nowMs + PURGE_AGAIN_MS : null;
}

function purgeOrPostpone(sql: SqlStorage, payment: Passed, nowMs: number): void {
  const { id, updated_at_ms: updatedAtMs, ended_at_ms: endedAtMs } = payment;
  const dueAtMs = Math.max(updatedAtMs, endedAtMs ?? nowMs) + RETENTION_MS;
  if (dueAtMs > nowMs) {
    // An open payment lives a year at most.
    const againAtMs = endedAtMs === null ? nowMs + PURGE_AGAIN_MS : dueAtMs;
    sql.exec('INSERT OR IGNORE INTO purge_later VALUES (?, ?)', againAtMs, id);
    return;
  }
  if (!hasPersonalData(payment)) {
    return;
  }
  // A search still finds the payment by its unique id and number, and lists show it by its end.
  const createdAtMs = Math.floor(id / IDS_PER_MS);
  const purged = { ...payment, search_keys: '[]' };
  moveTerms(sql, id, entryOf(createdAtMs, payment), entryOf(createdAtMs, purged));
  sql.exec("UPDATE payment SET sealed_details = NULL, search_keys = '[]' WHERE id = ?", id);
  sql.exec(
    `UPDATE refund SET rail_reference = NULL
      WHERE payment_id = ? AND rail_reference IS NOT NULL`,
    id,
  );
}

/** Whether the purge must still pass a payment, or return to one. */
function hasMore(sql: SqlStorage): boolean {
  const { more } = sql
    .exec<{ more: number }>(
      `SELECT EXISTS (SELECT 1 FROM payment WHERE id > (SELECT purged_to_id FROM book))
        OR EXISTS (SELECT 1 FROM purge_later) AS more`,
    )
    .one();
  return more === 1;
}
