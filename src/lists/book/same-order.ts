import { DAY_MS } from '../../engine/domain/schedule.ts';
import { digestSearchKey, idSearchKey } from '../../engine/domain/search-key.ts';
import { quotedTerm } from './search-terms.ts';
import { mayBeSameOrder, otherTriesOf } from './try-counter.ts';

/**
 * Pairs of paid payments that may be one order, paid twice: within a day, by one phone, with one
 * amount and ids that differ only in a try counter. The payment of a pair that the book learns of last
 * finds the other one, so the order of messages makes no difference.
 */

interface Payment {
  readonly unique_id: string;
  readonly amount_minor: number;
  readonly currency: string;
  readonly paid_at_ms: number | null;
  readonly search_keys: string;
}

/** Bounds the rows of a merchant whose payments all match. */
const OTHERS_MAX = 20;

const OTHERS = `SELECT payment.id, unique_id AS uniqueId
  FROM payment_search CROSS JOIN payment ON payment.id = payment_search.rowid
  WHERE payment_search MATCH ? AND payment.id <> ? AND amount_minor = ? AND currency = ?
    AND paid_at_ms BETWEEN ? AND ? LIMIT ${OTHERS_MAX}`;

/** Runs after the full-text index has the payment. Reads only rows with such an id and this phone. */
export function pairSameOrder(sql: SqlStorage, id: number, payment: Payment): void {
  const { unique_id: uniqueId, amount_minor: amountMinor, currency, paid_at_ms: atMs } = payment;
  const tries = otherTriesOf(uniqueId);
  const keys: readonly string[] = JSON.parse(payment.search_keys);
  const phones = keys.filter((key) => key.startsWith(digestSearchKey('phone', '')));
  if (atMs === null || tries === null || phones.length === 0) {
    return;
  }
  const ids = [
    ...tries.ids.map((one) => quotedTerm(idSearchKey(one))),
    ...tries.beginnings.map((one) => `${quotedTerm(idSearchKey(one))} *`),
  ];
  const found = sql.exec<{ id: number; uniqueId: string }>(
    OTHERS,
    [phones.map(quotedTerm), ids].map((any) => `(${any.join(' OR ')})`).join(' AND '),
    ...[id, amountMinor, currency, atMs - DAY_MS, atMs + DAY_MS],
  );
  for (const other of found.toArray()) {
    // The index folds case: ids may differ in it, digests of two phones never differ only in it.
    if (mayBeSameOrder(uniqueId, other.uniqueId)) {
      sql.exec('INSERT OR IGNORE INTO same_order VALUES (?1, ?2), (?2, ?1)', id, other.id);
    }
  }
}

/** A pair says that two payments have one phone, so it goes with the personal data of either. */
export function forgetSameOrder(sql: SqlStorage, id: number): void {
  sql.exec(
    `DELETE FROM same_order WHERE payment_id IN (
      SELECT other_id FROM same_order WHERE payment_id = ?1) AND other_id = ?1`,
    id,
  );
  sql.exec('DELETE FROM same_order WHERE payment_id = ?', id);
}
