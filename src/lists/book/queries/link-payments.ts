import type { KeyChoices, PaidSum } from '../rows.ts';
import { quotedTerm } from '../search-terms.ts';
import { hasKeys, quotedKeys } from './payment-source.ts';

/** What the pages of links name their payments: `LINK_PAYMENT_ID`. */
const OF_PAGE = `LINK-${'?'.repeat(16)}`;

/**
 * Sums what was paid at a link's page, over the newest `limit` payments with its key and an id before
 * `to`. `next` is the place to continue from, and null after the last payment.
 */
export function paidAtLink(
  sql: SqlStorage,
  keys: KeyChoices,
  to: number,
  limit: number,
): { readonly sums: readonly PaidSum[]; readonly next: number | null } {
  const isPaid = `(status = 'succeeded' AND unique_id GLOB '${OF_PAGE}' AND ${hasKeys('?3')})`;
  const parts = sql
    .exec<PaidSum & { readonly lowest: number; readonly read: number }>(
      // JavaScript's numbers are bound as REAL, which the full-text index ignores as a bound.
      `WITH part AS (SELECT rowid AS id FROM payment_search
          WHERE payment_search MATCH ?1 AND rowid < CAST(?2 AS INTEGER)
          ORDER BY rowid DESC LIMIT ?4),
        paid AS (SELECT payment.id, currency, amount_minor, refunded_minor, ${isPaid} AS is_paid
          FROM part CROSS JOIN payment ON payment.id = part.id)
      SELECT currency, SUM(is_paid) AS payments, SUM(is_paid * amount_minor) AS amountMinor,
          SUM(is_paid * refunded_minor) AS refundedMinor, MIN(id) AS lowest, COUNT(*) AS read
        FROM paid GROUP BY currency`,
      keys.map(quotedTerm).join(' OR '),
      to,
      JSON.stringify(quotedKeys([keys])),
      limit,
    )
    .toArray();
  const read = parts.reduce((sum, part) => sum + part.read, 0);
  return {
    sums: parts.map(({ lowest: _lowest, read: _read, ...sum }) => sum),
    next: read < limit ? null : Math.min(...parts.map(({ lowest }) => lowest)),
  };
}
