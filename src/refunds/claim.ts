import { businessDay, businessDayStartMs } from '../domain/ethiopian-time.ts';
import type { Attempt, IntentTerms, Tenant } from '../domain/intent.ts';
import { prepare, readInTime, type SqlStatement } from '../platform/database.ts';

/**
 * A refund's id is unique among all payments of a tenant, and a merchant may have a daily limit. A
 * payment's object knows only its own refunds, so a request claims id and amount in D1 before the
 * object decides.
 */

export interface Claim {
  readonly terms: IntentTerms;
  readonly attempt: Attempt;
  readonly refundUniqueId: string;
  readonly amountMinor: number;
  readonly nowMs: number;
}

export type ClaimResult =
  /** `isOnly`: no other request has made the same claim. */
  | { readonly type: 'claimed'; readonly isOnly: boolean }
  /** The id belongs to another payment of the tenant. */
  | { readonly type: 'taken'; readonly uniqueId: string }
  | { readonly type: 'too_old'; readonly daysMax: number }
  | { readonly type: 'daily_limit'; readonly maxMinor: number; readonly leftMinor: number };

/** The sum of the day's other refunds and claims, in minor units. */
const DAY_MINOR = `(SELECT COALESCE(SUM(amount_minor), 0) FROM refunds INDEXED BY refunds_by_status
  WHERE merchant_id = ?2 AND environment = ?1 AND created_at_ms >= ?5 AND currency = ?6
    AND shown_status IN ('claimed', 'pending', 'processing', 'requires_action', 'succeeded')
    AND refund_unique_id <> ?3)`;

/** One statement, so that concurrent requests cannot exceed the limit together. */
const CLAIM = `
  INSERT INTO refunds (environment, merchant_id, refund_unique_id, unique_id, payment_uuid, status,
    requests, version, amount_minor, commission_returned_minor, returned_minor, currency, method,
    transaction_id, late, created_at_ms, updated_at_ms)
  SELECT ?1, ?2, ?3, ?4, ?7, 'claimed', 1, 0, ?8, 0, 0, ?6, ?9, ?10, 0, ?11, ?11
  FROM merchants
  WHERE id = ?2 AND ?11 - ?12 <= refund_age_days_max * 86400000
    AND (refund_daily_max_minor IS NULL OR ${DAY_MINOR} + ?8 <= refund_daily_max_minor)
  ON CONFLICT DO UPDATE SET requests = requests + 1, created_at_ms = excluded.created_at_ms,
    amount_minor = MAX(amount_minor, excluded.amount_minor)
  WHERE unique_id = excluded.unique_id AND status = 'claimed'
  RETURNING requests`;

/** Why a claim failed. An earlier claim of the same payment is not the reason; then a limit is. */
const REFUSAL = `
  SELECT refunds.unique_id AS uniqueId, refund_age_days_max AS daysMax,
    refund_daily_max_minor AS maxMinor, ${DAY_MINOR} AS dayMinor
  FROM merchants LEFT JOIN refunds
    ON environment = ?1 AND merchant_id = merchants.id AND refund_unique_id = ?3
    AND NOT (refunds.status = 'claimed' AND unique_id = ?4)
  WHERE merchants.id = ?2`;

interface Refusal {
  /** The payment that has the refund, or another payment that has the claim; null: none. */
  readonly uniqueId: string | null;
  readonly daysMax: number;
  readonly maxMinor: number | null;
  readonly dayMinor: number;
}

/**
 * Claims the id and the amount. A second claim for the same payment succeeds too, because the first
 * request may have died. Throws DatabaseUnavailable: the claim may exist then, and the caller may
 * repeat the request.
 */
export async function claimRefund(db: D1Database, claim: Claim): Promise<ClaimResult> {
  const { terms, attempt, refundUniqueId, amountMinor, nowMs } = claim;
  const dayStartMs = businessDayStartMs(businessDay(nowMs));
  const { environment, merchantId, uniqueId, currency } = terms;
  const id = [environment, merchantId, refundUniqueId, uniqueId, dayStartMs, currency];
  const details = [terms.uuid, amountMinor, attempt.method, attempt.reference];
  const times = [nowMs, attempt.updatedAtMs];
  const claimed = await first<{ requests: number }>(db, CLAIM, [...id, ...details, ...times]);
  if (claimed !== null) {
    return { type: 'claimed', isOnly: claimed.requests === 1 };
  }
  const refusal = await first<Refusal>(db, REFUSAL, id);
  if (refusal === null) {
    throw new Error('A payment without its merchant');
  }
  const { maxMinor, dayMinor, daysMax } = refusal;
  if (refusal.uniqueId !== null) {
    return refusal.uniqueId === uniqueId
      ? { type: 'claimed', isOnly: false }
      : { type: 'taken', uniqueId: refusal.uniqueId };
  }
  return maxMinor !== null && dayMinor + amountMinor > maxMinor
    ? { type: 'daily_limit', maxMinor, leftMinor: Math.max(0, maxMinor - dayMinor) }
    : { type: 'too_old', daysMax };
}

/**
 * Deletes the claim of a refund that the object has rejected, unless a second request has made the
 * same claim: the object may accept that request later.
 */
export function releaseStatement(tenant: Tenant, refundUniqueId: string): SqlStatement {
  return {
    sql: `DELETE FROM refunds WHERE environment = ? AND merchant_id = ? AND refund_unique_id = ?
      AND status = 'claimed' AND requests = 1`,
    params: [tenant.environment, tenant.merchantId, refundUniqueId],
  };
}

function first<Row>(
  db: D1Database,
  sql: string,
  params: readonly (string | number)[],
): Promise<Row | null> {
  return readInTime(() => prepare(db, { sql, params }).first<Row>());
}
