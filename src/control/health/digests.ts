import type { FailureReason } from '../../engine/domain/attempt.ts';
import type { Method } from '../../engine/domain/method.ts';
import { batch, prepare, type SqlStatement } from '../../kit/platform/database.ts';
import type { Environment, Tenant } from '../../kit/tenant.ts';
import type { TimeToPay } from '../../lists/book/digest.ts';
import type { EventRow } from '../../lists/book/rows.ts';

/** Sums of what the merchants' books say of themselves in D1 (src/lists/book/digest.ts). */

/** The outcomes of one method's payments, over all merchants. */
export interface RailOutcome {
  readonly method: Method | null;
  readonly status: 'succeeded' | 'failed' | 'expired';
  readonly failureReason: FailureReason | null;
  readonly payments: number;
}

/** When a payment by one method last ended one way, over all merchants. */
export interface LastOutcome {
  readonly environment: Environment;
  readonly method: Method;
  readonly status: 'succeeded' | 'failed';
  readonly atMs: number;
  readonly failureReason: FailureReason | null;
}

/** A merchant with more to look at than the list takes. */
export interface UnlistedItems extends Tenant {
  readonly items: number;
}

/** All books of an environment together. */
export interface EnvironmentDigest {
  /** When a book last reported a change; null without any. */
  readonly reportedAtMs: number | null;
  readonly eventsByStatus: Readonly<Record<string, number>>;
  readonly oldestUndelivered: EventRow | null;
}

export async function environmentDigest(
  db: D1Database,
  environment: Environment,
): Promise<EnvironmentDigest> {
  const [times, counts, oldest] = await batch<{ key: string; value: string | number | null }>(
    db,
    [
      "SELECT '' AS key, MAX(as_of_ms) AS value FROM book_digest WHERE environment = ?",
      `SELECT key, SUM(value) AS value
        FROM book_digest CROSS JOIN json_each(digest, '$.eventsByStatus')
        WHERE environment = ? GROUP BY key ORDER BY key`,
      `SELECT '' AS key, digest -> '$.oldestUndelivered' AS value FROM book_digest
        WHERE environment = ? AND digest ->> '$.oldestUndelivered' IS NOT NULL
        ORDER BY digest ->> '$.oldestUndelivered.createdAtMs' LIMIT 1`,
    ].map((sql) => ({ sql, params: [environment] })),
  );
  const reportedAtMs = times?.results[0]?.value ?? null;
  return {
    reportedAtMs: reportedAtMs === null ? null : Number(reportedAtMs),
    eventsByStatus: Object.fromEntries(
      (counts?.results ?? []).map(({ key, value }) => [key, Number(value)]),
    ),
    oldestUndelivered: JSON.parse(String(oldest?.results[0]?.value ?? null)),
  };
}

/** Payments that ended since a day, by method, status and reason. */
export async function endsSince(
  db: D1Database,
  environment: Environment,
  sinceDay: number,
): Promise<RailOutcome[]> {
  const statement: SqlStatement = {
    sql: `SELECT value ->> 'method' AS method, value ->> 'status' AS status,
        value ->> 'failureReason' AS failureReason, SUM(value ->> 'payments') AS payments
      FROM book_digest CROSS JOIN json_each(digest, '$.ends')
      WHERE environment = ? AND value ->> 'day' >= ? GROUP BY 1, 2, 3`,
    params: [environment, sinceDay],
  };
  return (await prepare(db, statement).all<RailOutcome>()).results;
}

/** The median time of each method's newest payments, over all merchants. */
export async function timesToPay(
  db: D1Database,
  environment: Environment,
): Promise<readonly TimeToPay[]> {
  // The median of the books' medians, each counted as often as it has payments.
  const sql = `SELECT method, MIN(medianMs) AS medianMs, total AS payments FROM (
      SELECT method, medianMs, SUM(payments) OVER (PARTITION BY method ORDER BY medianMs) AS upTo,
        SUM(payments) OVER (PARTITION BY method) AS total
      FROM (SELECT value ->> 'method' AS method, value ->> 'medianMs' AS medianMs,
          value ->> 'payments' AS payments
        FROM book_digest CROSS JOIN json_each(digest, '$.timesToPay') WHERE environment = ?))
    WHERE 2 * upTo >= total GROUP BY method`;
  return (await prepare(db, { sql, params: [environment] }).all<TimeToPay>()).results;
}

/** The last success and the last failure of each method that has one. */
export async function lastOutcomes(db: D1Database): Promise<readonly LastOutcome[]> {
  // SQLite takes the other columns from the row of the group that has the MAX.
  const sql = `SELECT environment, value ->> 'method' AS method, value ->> 'status' AS status,
      MAX(value ->> 'atMs') AS atMs, value ->> 'failureReason' AS failureReason
    FROM book_digest CROSS JOIN json_each(digest, '$.lastOutcomes') GROUP BY 1, 2, 3`;
  return (await prepare(db, { sql, params: [] }).all<LastOutcome>()).results;
}

/** Merchants with items that the attention list leaves out. */
export async function unlistedItems(db: D1Database): Promise<readonly UnlistedItems[]> {
  const sql = `SELECT environment, merchant_id AS merchantId, SUM(unlisted) AS items
    FROM book_digest WHERE unlisted > 0 GROUP BY 1, 2 ORDER BY 1, 3 DESC LIMIT 100`;
  return (await prepare(db, { sql, params: [] }).all<UnlistedItems>()).results;
}
