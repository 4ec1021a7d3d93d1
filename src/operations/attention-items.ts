import type { BookItem } from '../book/attention-items.ts';
import type { Environment } from '../domain/method.ts';
import type { List } from '../platform/paging.ts';

/** D1's list of what the operator must look at. The merchants' books write it (src/book/attention.ts). */

export interface StoredItem {
  /** A BookItem in JSON. */
  readonly item: string;
  readonly createdAtMs: number;
  readonly id: string;
}

/** The sections of the list: payments, refunds, and deliveries by their status. */
export type ItemSection =
  | Exclude<BookItem['type'], 'delivery'>
  | 'dead'
  | 'paused'
  | 'undeliverable';

/**
 * A reviewed payment is listed again when it has more to review than at its review. A proposal stays
 * listed until a second operator decides.
 */
export const IS_UNREVIEWED = `(item ->> '$.payment.proposedAttempts' > 0 OR NOT EXISTS (
  SELECT 1 FROM payment_reviews AS review WHERE review.uuid = attention_item.payment_uuid
    AND review.anomalies >= item ->> '$.payment.anomalies'
    AND review.unresolved_attempts >= item ->> '$.payment.unresolvedAttempts'
    AND review.late >= item ->> '$.payment.late'))`;

/** The items of one section, oldest first, so that the operator handles the longest-waiting one first. */
export function itemsOfSection(environment: Environment, section: ItemSection): List<StoredItem> {
  return {
    columns: 'item, created_at_ms AS createdAtMs, id',
    table: 'attention_item',
    index: 'sqlite_autoindex_attention_item_1',
    timeColumn: 'created_at_ms',
    idColumn: 'id',
    isOldestFirst: true,
    conditions: [
      { sql: 'environment = ? AND section = ?', params: [environment, section] },
      ...(section === 'payment' ? [{ sql: IS_UNREVIEWED, params: [] }] : []),
    ],
    placeOf: ({ createdAtMs, id }) => ({ atMs: createdAtMs, id }),
  };
}
