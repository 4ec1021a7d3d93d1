import {
  AHEAD_OF_UTC_MS,
  businessDay,
  businessDayStartMs,
  DAY_MS,
} from '../domain/ethiopian-time.ts';
import type { IntentStatus, Tenant } from '../domain/intent.ts';
import type { Currency, Method } from '../domain/method.ts';
import { batch, prepare, type SqlStatement } from '../platform/database.ts';
import { KNOWN_TO_TOTALS, type PaymentFilter } from './payments-list.ts';

/** Days of creation, from `businessDay`, both inclusive. */
export interface DayRange {
  readonly fromDay: number;
  readonly toDay: number;
  readonly method?: Method | undefined;
}

/** All days, within any date that a payment can have. */
export const EVERY_DAY: DayRange = { fromDay: 0, toDay: Number.MAX_SAFE_INTEGER };

export interface Total {
  /** Null: the customer chose none. */
  readonly method: Method | null;
  readonly currency: Currency;
  readonly status: IntentStatus;
  readonly payments: number;
  /** Without commission. */
  readonly amountMinor: number;
  readonly commissionMinor: number;
  /** Of these payments, without commission, whenever it was returned. */
  readonly refundedMinor: number;
}

export interface DayTotal extends Total {
  readonly day: number;
}

const SUMS = `SUM(payments) AS payments, SUM(amount_minor) AS amountMinor,
  SUM(commission_minor) AS commissionMinor, SUM(refunded_minor) AS refundedMinor`;

/** Count and sums of a tenant's payments by method, currency and current status. */
export function totals(db: D1Database, tenant: Tenant, range: DayRange): Promise<Total[]> {
  return allOf(db, totalsStatements(tenant, range));
}

/**
 * The totals of the days and the method of a list's filter, in every status and currency. Null when
 * the filter has a part that the totals do not know, such as a time within a day.
 */
export async function totalsOf(
  db: D1Database,
  tenant: Tenant,
  filter: PaymentFilter,
): Promise<readonly Total[] | null> {
  const names = Object.keys(KNOWN_TO_TOTALS) as (keyof PaymentFilter)[];
  const { createdFromMs = null, createdToMs = null, method } = filter;
  const fromDay = createdFromMs === null ? EVERY_DAY.fromDay : dayStartingAt(createdFromMs);
  const endDay = createdToMs === null ? EVERY_DAY.toDay : dayStartingAt(createdToMs);
  const isKnown = names.every((name) => KNOWN_TO_TOTALS[name] || filter[name] === undefined);
  return isKnown && fromDay !== null && endDay !== null
    ? totals(db, tenant, { fromDay, toDay: createdToMs === null ? endDay : endDay - 1, method })
    : null;
}

function dayStartingAt(atMs: number): number | null {
  const day = businessDay(atMs);
  return businessDayStartMs(day) === atMs ? day : null;
}

/**
 * The totals of each period of `days` days, from the range's first day on, in the order of time.
 * `day` is a period's first day.
 */
export async function totalsByPeriod(
  db: D1Database,
  tenant: Tenant,
  range: DayRange,
  days: number,
): Promise<DayTotal[]> {
  const found = await allOf<DayTotal>(db, totalsByPeriodStatements(tenant, range, days));
  return found.sort((one, other) => one.day - other.day);
}

/** The rows of statements that have none in common. */
async function allOf<Row>(db: D1Database, statements: readonly SqlStatement[]): Promise<Row[]> {
  const found = await batch<Row>(db, statements);
  return found.flatMap(({ results }) => results);
}

/**
 * Attempts that have ended, of payments that were created in the range, without those that paid:
 * each paid payment has one more, by its own method, which succeeded.
 */
export interface AttemptTotal {
  readonly method: Method;
  readonly currency: Currency;
  readonly ended: number;
  readonly succeeded: number;
}

/** A tenant's further attempts by their own method, which may differ from the payment's. */
export async function attemptTotals(
  db: D1Database,
  tenant: Tenant,
  range: DayRange,
): Promise<AttemptTotal[]> {
  const { results } = await prepare(db, attemptTotalsStatement(tenant, range)).all<AttemptTotal>();
  return results;
}

export function attemptTotalsStatement(
  { merchantId, environment }: Tenant,
  { fromDay, toDay }: DayRange,
): SqlStatement {
  return {
    sql: `SELECT method, currency, SUM(ended) AS ended, SUM(succeeded) AS succeeded
      FROM attempt_day
      WHERE merchant_id = ? AND environment = ? AND day BETWEEN ? AND ? AND ended > 0
      GROUP BY method, currency`,
    params: [merchantId, environment, fromDay, toDay],
  };
}

/** Of ended payments, and of those that are open. */
export function totalsStatements(tenant: Tenant, range: DayRange): readonly SqlStatement[] {
  return [sums(null, tenant, range), openSums(null, tenant, range)];
}

export function totalsByPeriodStatements(
  tenant: Tenant,
  range: DayRange,
  days: number,
): readonly SqlStatement[] {
  const { fromDay } = range;
  const periodOf = (day: string): SqlStatement => ({
    sql: `${day} - (${day} - CAST(? AS INTEGER)) % CAST(? AS INTEGER)`,
    params: [fromDay, days],
  });
  return [
    sums(periodOf('day'), tenant, range),
    openSums(periodOf(`((created_at_ms + ${AHEAD_OF_UTC_MS}) / ${DAY_MS})`), tenant, range),
  ];
}

/** `by`: the SQL of the day to group by; null: no grouping by day. */
function sums(by: SqlStatement | null, tenant: Tenant, range: DayRange): SqlStatement {
  const { fromDay, toDay, method } = range;
  // Without the plus, SQLite would treat the method as a constant, and sort.
  const ofMethod = method === undefined ? '' : ' AND +payment_day.method = ?';
  return {
    sql: `SELECT ${by === null ? '' : `${by.sql} AS day, `}NULLIF(method, '') AS method, currency,
        status, ${SUMS}
      FROM payment_day
      WHERE merchant_id = ? AND environment = ? AND day BETWEEN ? AND ?
        AND payments > 0${ofMethod}
      GROUP BY ${by === null ? '' : '1, '}payment_day.method, currency, status`,
    params: [
      ...(by?.params ?? []),
      tenant.merchantId,
      tenant.environment,
      fromDay,
      toDay,
      ...(method === undefined ? [] : [method]),
    ],
  };
}

/** The same of payments that have not ended, which are few. */
function openSums(by: SqlStatement | null, tenant: Tenant, range: DayRange): SqlStatement {
  const { fromDay, toDay, method } = range;
  const endMs = Math.min(businessDayStartMs(toDay + 1), Number.MAX_SAFE_INTEGER);
  return {
    sql: `SELECT ${by === null ? '' : `${by.sql} AS day, `}method, currency, status,
        COUNT(*) AS payments, SUM(amount_minor) AS amountMinor,
        SUM(commission_minor) AS commissionMinor, SUM(refunded_minor) AS refundedMinor
      FROM payment INDEXED BY payment_open
      WHERE merchant_id = ? AND environment = ? AND ended_at_ms IS NULL
        AND created_at_ms >= ? AND created_at_ms < ?${method === undefined ? '' : ' AND method = ?'}
      GROUP BY ${by === null ? '' : '1, '}method, currency, status`,
    params: [
      ...(by?.params ?? []),
      tenant.merchantId,
      tenant.environment,
      businessDayStartMs(fromDay),
      endMs,
      ...(method === undefined ? [] : [method]),
    ],
  };
}
