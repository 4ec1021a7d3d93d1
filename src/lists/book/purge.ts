import { isHeld, type LegalHold } from '../../engine/domain/retention.ts';
import { businessDay } from '../../kit/ethiopian-time.ts';
import { entryOf, hasPersonalData, moveTerms } from './apply.ts';
import { forgetSameOrder } from './same-order.ts';
import { IDS_PER_MS } from './schema.ts';

/**
 * Deletes personal data at the age at which a payment's object deletes it (docs/decisions.md#24).
 * The purge goes through the payments in the order of their creation and stores its place. It also
 * stores payments that ended or changed long after their creation, and returns to them later.
 */

export const PURGE_AGAIN_MS = 24 * 60 * 60 * 1_000;

/** Most payments end within this time of their creation, so the purge need not return to them. */
const ENDED_WITHIN_MS = 60 * 60 * 1_000;

/** A transaction of this size takes milliseconds, so requests do not wait. */
const BATCH_PAYMENTS = 500;

type Passed = {
  readonly id: number;
  readonly unique_id: string;
  readonly number: number;
  readonly search_keys: string;
  readonly sealed_details: string | null;
  readonly shares: string | null;
  readonly updated_at_ms: number;
  readonly ended_at_ms: number | null;
  readonly paid_at_ms: number | null;
};

const COLUMNS =
  'id, unique_id, number, search_keys, sealed_details, shares, updated_at_ms, ended_at_ms, paid_at_ms';

/**
 * Purges payments of `retentionMs` and more. Returns the time of the next purge, or null for never.
 * Runs in the caller's transaction.
 */
export function purgeBatch(sql: SqlStorage, retentionMs: number, nowMs: number): number | null {
  // A payment is purged after its last change, so each day of its shares has passed by then.
  sql.exec('DELETE FROM share_day WHERE day <= ?', businessDay(nowMs - retentionMs));
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
    purgeOrPostpone(sql, payment, retentionMs, nowMs);
  }
  const passed = sql
    .exec<Passed>(
      `SELECT ${COLUMNS} FROM payment
        WHERE id > (SELECT purged_to_id FROM book) AND id < ? ORDER BY id LIMIT ${BATCH_PAYMENTS}`,
      (nowMs - retentionMs - ENDED_WITHIN_MS) * IDS_PER_MS,
    )
    .toArray();
  for (const payment of passed) {
    purgeOrPostpone(sql, payment, retentionMs, nowMs);
  }
  const last = passed.at(-1);
  if (last !== undefined) {
    sql.exec('UPDATE book SET purged_to_id = ?', last.id);
  }
  const isFull = [later, passed].some(({ length }) => length === BATCH_PAYMENTS);
  return isFull ? nowMs : hasMore(sql) ? nowMs + PURGE_AGAIN_MS : null;
}

function purgeOrPostpone(
  sql: SqlStorage,
  payment: Passed,
  retentionMs: number,
  nowMs: number,
): void {
  const { id, updated_at_ms: updatedAtMs, ended_at_ms: endedAtMs } = payment;
  const dueAtMs = Math.max(updatedAtMs, endedAtMs ?? nowMs) + retentionMs;
  const isHeldNow = isHeld(holdOf(sql, id), nowMs);
  if (dueAtMs > nowMs || isHeldNow) {
    // An open payment lives a year at most, and an operator may release a hold on any day.
    const againAtMs = endedAtMs === null || isHeldNow ? nowMs + PURGE_AGAIN_MS : dueAtMs;
    sql.exec('INSERT OR IGNORE INTO purge_later VALUES (?, ?)', againAtMs, id);
    return;
  }
  purgePayment(sql, payment);
}

function holdOf(sql: SqlStorage, paymentId: number): Pick<LegalHold, 'untilMs'> | null {
  const query = 'SELECT until_ms AS untilMs FROM payment_hold WHERE payment_id = ?';
  return sql.exec<{ untilMs: number | null }>(query, paymentId).toArray()[0] ?? null;
}

/** Deletes a payment's personal data. */
function purgePayment(sql: SqlStorage, payment: Passed): void {
  if (!hasPersonalData(payment)) {
    return;
  }
  const { id } = payment;
  // A search still finds the payment by its unique id and number, and lists show it by its end.
  const createdAtMs = Math.floor(id / IDS_PER_MS);
  const purged = { ...payment, search_keys: '[]' };
  moveTerms(sql, id, entryOf(createdAtMs, payment), entryOf(createdAtMs, purged));
  sql.exec(
    "UPDATE payment SET sealed_details = NULL, shares = NULL, search_keys = '[]' WHERE id = ?",
    id,
  );
  forgetSameOrder(sql, id);
  sql.exec(
    `UPDATE refund SET rail_reference = NULL
      WHERE payment_id = ? AND rail_reference IS NOT NULL`,
    id,
  );
}

/** No message has a higher version, so a delayed one cannot bring erased data back. */
const ERASED_VERSION = Number.MAX_SAFE_INTEGER;

/**
 * Deletes a payment's personal data before its time, on its customer's request. Its object must be
 * deleted by then. No event of it can be sent any more. Repeating it changes nothing. A book that was
 * rebuilt since may have given the payment another row id of its millisecond. Returns that id, or null
 * when there is no such payment.
 */
export function erasePayment(sql: SqlStorage, knownId: number, uniqueId: string): number | null {
  const firstId = Math.floor(knownId / IDS_PER_MS) * IDS_PER_MS;
  const [payment] = sql
    .exec<Passed & { readonly event_times: string }>(
      `SELECT ${COLUMNS}, event_times FROM payment WHERE id BETWEEN ? AND ? AND unique_id = ?`,
      ...[firstId, firstId + IDS_PER_MS - 1, uniqueId],
    )
    .toArray();
  if (payment === undefined) {
    return null;
  }
  const { id } = payment;
  purgePayment(sql, payment);
  sql.exec('UPDATE payment SET version = ? WHERE id = ?', ERASED_VERSION, id);
  sql.exec('UPDATE refund SET version = ? WHERE payment_id = ?', ERASED_VERSION, id);
  sql.exec(
    `UPDATE delivery SET revision = ?1,
        delivery_status = iif(delivery_status = 'delivered', delivery_status, 'superseded')
      WHERE created_at_ms IN (SELECT value FROM json_each(?2)) AND payment_id = ?3`,
    ERASED_VERSION,
    payment.event_times,
    id,
  );
  return id;
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
