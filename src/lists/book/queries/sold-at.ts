import type { PaidSum } from '../rows.ts';
import { IDS_PER_MS } from '../schema.ts';
import { quotedTerm } from '../search-terms.ts';

export interface CreatedRange {
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
}

/**
 * The sums of the paid payments with a till's key that were created then: those that its list shows as
 * paid. The full-text index finds them, and a day has few.
 */
export function soldAt(sql: SqlStorage, key: string, { fromMs, toMs }: CreatedRange): PaidSum[] {
  return sql
    .exec<PaidSum & Record<string, SqlStorageValue>>(
      // JavaScript's numbers are bound as REAL, which the full-text index ignores as a bound.
      `SELECT currency, COUNT(*) AS payments, SUM(amount_minor) AS amountMinor,
          SUM(refunded_minor) AS refundedMinor
        FROM payment_search CROSS JOIN payment ON payment.id = payment_search.rowid
        WHERE payment_search MATCH ?1 AND payment_search.rowid >= CAST(?2 AS INTEGER)
          AND payment_search.rowid < CAST(?3 AS INTEGER)
          AND status = 'succeeded' AND instr(search_keys, ?4)
        GROUP BY currency`,
      quotedTerm(key),
      fromMs * IDS_PER_MS,
      toMs * IDS_PER_MS,
      JSON.stringify(key),
    )
    .toArray();
}
