import { prepare, type SqlStatement } from '../../kit/platform/database.ts';

/** Objects delete payments 400 days after their end. Also a constraint of the table. */
export const REFUND_AGE_DAYS_MAX = 400;

/**
 * A new merchant's daily limit, 100,000.00, until the operator sets another one. More than most shops
 * return in a day, and what the thief of a key or a dishonest cashier can return at most.
 */
export const REFUND_DAILY_MAX_MINOR_DEFAULT = 10_000_000;

/** The operator's limits for a merchant's refunds (docs/refunds.md#limits). */
export interface RefundLimits {
  /** How old a payment may be. */
  readonly refundAgeDaysMax: number;
  /** In a day of Addis Ababa, in each environment and currency; null: any amount. */
  readonly refundDailyMaxMinor: number | null;
}

const COLUMNS =
  'refund_age_days_max AS refundAgeDaysMax, refund_daily_max_minor AS refundDailyMaxMinor';

/** Null for an unknown merchant. */
export function refundLimitsOf(db: D1Database, merchantId: string): Promise<RefundLimits | null> {
  const sql = `SELECT ${COLUMNS} FROM merchants WHERE id = ?1`;
  return prepare(db, { sql, params: [merchantId] }).first<RefundLimits>();
}

/** The limits of a new refund. `mode`: of the gateway, which takes none during maintenance. */
export function newRefundLimits(db: D1Database, merchantId: string) {
  const sql = `SELECT ${COLUMNS}, (SELECT mode FROM gateway_settings) AS mode
    FROM merchants WHERE id = ?1`;
  return prepare(db, { sql, params: [merchantId] }).first<
    RefundLimits & { readonly mode: 'normal' | 'maintenance' }
  >();
}

/** Holds for the next refund. */
export function setRefundLimits(merchantId: string, limits: RefundLimits): SqlStatement {
  return {
    sql: `UPDATE merchants SET refund_age_days_max = ?2, refund_daily_max_minor = ?3
      WHERE id = ?1 AND (refund_age_days_max, refund_daily_max_minor) IS NOT (?2, ?3)`,
    params: [merchantId, limits.refundAgeDaysMax, limits.refundDailyMaxMinor],
  };
}
