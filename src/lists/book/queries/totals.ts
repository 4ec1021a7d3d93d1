import { ENDED_STATUSES } from '../../../engine/domain/intent.ts';
import { METHODS, type Method } from '../../../engine/domain/method.ts';
import { businessDay, businessDayStartMs } from '../../../kit/ethiopian-time.ts';
import { CURRENCIES } from '../../../kit/money.ts';
import type {
  AttemptTotal,
  BeneficiaryTotal,
  DayRange,
  DayTotal,
  PaidSum,
  ShareTotal,
  Total,
} from '../rows.ts';
import { IDS_PER_MS } from '../schema.ts';
import { IS_OPEN } from './payment-source.ts';

/** Sums of payments, refunds and attempts by day. */

/** Later than any payment. */
const LAST_DAY = 1_000_000;

type Sums<Row> = Row & Record<string, SqlStorageValue>;

type EndedSums = Omit<DayTotal, 'method' | 'currency' | 'status'>;

/**
 * The sums of one method, currency and status. A HAVING that names `payments` would mean that
 * column of any one day, and drop periods with a day whose count went back to zero.
 */
const ENDED = `SELECT day - (day - ?1) % ?2 AS day, SUM(payments) AS payments,
    SUM(amount_minor) AS amountMinor, SUM(commission_minor) AS commissionMinor,
    SUM(borne_commission_minor) AS borneCommissionMinor, SUM(refunded_minor) AS refundedMinor,
    SUM(returned_commission_minor) AS returnedCommissionMinor
  FROM payment_day
  WHERE method = ?4 AND currency = ?5 AND status = ?6 AND day BETWEEN ?1 AND ?3
  GROUP BY 1 HAVING SUM(payments) <> 0 OR SUM(refunded_minor) <> 0`;

/**
 * Counts and sums by period of `period` days, method, currency and status, in the order of time.
 * The row of succeeded payments has a day's refunds, even when no payment succeeded.
 */
export function totals(sql: SqlStorage, range: DayRange, period: number): DayTotal[] {
  const { fromDay } = range;
  const daysEach = Math.min(period, LAST_DAY);
  const toDay = Math.min(range.toDay, LAST_DAY);
  const methods = range.method === undefined ? [...METHODS, null] : [range.method];
  const ended = methods.flatMap((method) =>
    CURRENCIES.flatMap((currency) =>
      ENDED_STATUSES.flatMap((status) => {
        const key = [method ?? '', currency, status];
        const found = sql.exec<Sums<EndedSums>>(ENDED, fromDay, daysEach, toDay, ...key).toArray();
        return found.map(({ day, ...sums }) => ({ day, method, currency, status, ...sums }));
      }),
    ),
  );
  return [...ended, ...openTotals(sql, { ...range, toDay }, daysEach)].sort(
    (one, other) => one.day - other.day,
  );
}

/** Open payments count on the day of their creation. No table sums them, because they are few. */
function openTotals(sql: SqlStorage, range: DayRange, daysEach: number): DayTotal[] {
  const { fromDay, toDay } = range;
  const found = sql.exec<Sums<Omit<DayTotal, 'day'>> & { createdAtMs: number }>(
    `SELECT id / ${IDS_PER_MS} AS createdAtMs, method, currency, status, 1 AS payments,
        amount_minor AS amountMinor, commission_minor AS commissionMinor,
        commission_minor * (1 - commission_paid_by_customer) AS borneCommissionMinor,
        0 AS refundedMinor, 0 AS returnedCommissionMinor
      FROM payment INDEXED BY payment_by_state
      WHERE ${IS_OPEN} AND id >= ? AND id < ? AND (?3 IS NULL OR method = ?3)`,
    Math.max(0, businessDayStartMs(fromDay)) * IDS_PER_MS,
    businessDayStartMs(toDay + 1) * IDS_PER_MS,
    range.method ?? null,
  );
  const rows = [...found].map(({ createdAtMs, ...row }) => {
    const day = businessDay(createdAtMs);
    return { day: day - ((day - fromDay) % daysEach), ...row };
  });
  return addedUp(rows, ({ day, method, currency, status }) => [day, method, currency, status]);
}

/** All ended attempts but those that paid, by their own method, which may not be the payment's. */
export function attempts(sql: SqlStorage, { fromDay, toDay }: DayRange): AttemptTotal[] {
  return sql
    .exec<Sums<AttemptTotal & { method: Method }>>(
      `SELECT method, currency, SUM(ended) AS ended, SUM(succeeded) AS succeeded
        FROM attempt_day WHERE day BETWEEN ? AND ?
        GROUP BY method, currency HAVING SUM(ended) > 0`,
      fromDay,
      Math.min(toDay, LAST_DAY),
    )
    .toArray();
}

/** More would not fit into the memory of an isolate that reads several books. */
const BENEFICIARIES_MAX = 10_000;

/** What is to be paid out for these days. `shares` is null when they have too many beneficiaries. */
export function paidOut(sql: SqlStorage, range: DayRange) {
  const shares = sql
    .exec<Sums<ShareTotal>>(
      `SELECT currency, beneficiary, SUM(share_minor) AS shareMinor
        FROM share_day WHERE day BETWEEN ? AND ?
        GROUP BY currency, beneficiary HAVING SUM(share_minor) <> 0 LIMIT ?`,
      ...[range.fromDay, range.toDay, BENEFICIARIES_MAX + 1],
    )
    .toArray();
  return {
    totals: totals(sql, range, LAST_DAY),
    shares: shares.length > BENEFICIARIES_MAX ? null : shares,
  };
}

const SUMMED = [
  'payments',
  'amountMinor',
  'commissionMinor',
  'borneCommissionMinor',
  'refundedMinor',
  'returnedCommissionMinor',
  'ended',
  'succeeded',
  'shareMinor',
] as const;

/** One row for each key, with the sums of its rows. */
export function addedUp<Row extends Total | DayTotal | AttemptTotal | PaidSum | BeneficiaryTotal>(
  rows: readonly Row[],
  keyOf: (row: Row) => readonly unknown[],
): Row[] {
  const sums = new Map<string, Row>();
  for (const row of rows) {
    const key = JSON.stringify(keyOf(row));
    const known = sums.get(key) as Partial<Record<string, number>> | undefined;
    const added = SUMMED.filter((name) => name in row).map((name) => [
      name,
      (known?.[name] ?? 0) + Number(row[name as keyof Row]),
    ]);
    sums.set(key, { ...row, ...Object.fromEntries(added) });
  }
  return [...sums.values()];
}
