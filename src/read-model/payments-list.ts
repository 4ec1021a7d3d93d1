import { prepare, type SqlStatement } from '../database.ts';
import type { IntentStatus, Tenant } from '../domain/intent.ts';
import type { Currency, Method } from '../domain/method.ts';
import {
  type Condition,
  type Cursor,
  type KeysetQuery,
  keysetStatement,
  type Page,
  pageOf,
} from '../paging.ts';
import { PAYMENT_COLUMNS, type PaymentRow, paymentRow, type StoredPayment } from './payment-row.ts';

/** What is left out does not restrict. */
export interface PaymentFilter {
  readonly status?: IntentStatus | undefined;
  readonly method?: Method | undefined;
  readonly currency?: Currency | undefined;
  /** Belongs to the range. */
  readonly createdFromMs?: number | undefined;
  /** Does not belong to the range. */
  readonly createdToMs?: number | undefined;
  /** Both belong to the range. Without commission, in minor units. */
  readonly amountMinorMin?: number | undefined;
  readonly amountMinorMax?: number | undefined;
}

/** A tenant's payments, newest first. `limit`: 1 … PAGE_ROWS_MAX rows. */
export async function listPayments(
  db: D1Database,
  tenant: Tenant,
  filter: PaymentFilter,
  cursor: Cursor | null,
  limit: number,
): Promise<Page<PaymentRow>> {
  const statement = (await isOfRareAmount(db, tenant, filter))
    ? rareAmountStatement(tenant, filter, cursor, limit)
    : paymentsStatement(tenant, filter, cursor, limit);
  const { results } = await prepare(db, statement).all<StoredPayment>();
  return pageOf(results.map(paymentRow), cursor, limit, ({ uuid }) => uuid);
}

/** A page by the order of time. Payments of other amounts and currencies are stepped over. */
export function paymentsStatement(
  tenant: Tenant,
  filter: PaymentFilter,
  cursor: Cursor | null,
  limit: number,
): SqlStatement {
  return keysetStatement(queryOf(tenant, filter, indexFor(filter)), cursor, limit);
}

/**
 * The same page by the order of amounts: everything of these amounts is read and put in order. For
 * no more than RARE_PAYMENTS_MAX.
 */
export function rareAmountStatement(
  tenant: Tenant,
  filter: PaymentFilter,
  cursor: Cursor | null,
  limit: number,
): SqlStatement {
  return keysetStatement(queryOf(tenant, filter, 'payment_by_amount'), cursor, limit);
}

/**
 * So few payments are quickly put in order. If there are more, one in every so many of a merchant's
 * payments is wanted, and a page is found by stepping over some thousands within an index.
 */
const RARE_PAYMENTS_MAX = 500;

async function isOfRareAmount(
  db: D1Database,
  tenant: Tenant,
  filter: PaymentFilter,
): Promise<boolean> {
  if (filter.amountMinorMin === undefined && filter.amountMinorMax === undefined) {
    return false;
  }
  const counted = await prepare(db, countOfAmountStatement(tenant, filter)).first<number>(
    'payments',
  );
  return counted !== null && counted <= RARE_PAYMENTS_MAX;
}

/** Counts no further than it matters. */
export function countOfAmountStatement(
  { merchantId, environment }: Tenant,
  { amountMinorMin = 0, amountMinorMax = Number.MAX_SAFE_INTEGER }: PaymentFilter,
): SqlStatement {
  return {
    sql: `SELECT COUNT(*) AS payments FROM (
        SELECT 1 FROM payment INDEXED BY payment_by_amount
        WHERE merchant_id = ? AND environment = ? AND amount_minor BETWEEN ? AND ?
        LIMIT ${RARE_PAYMENTS_MAX + 1})`,
    params: [merchantId, environment, amountMinorMin, amountMinorMax],
  };
}

function queryOf(tenant: Tenant, filter: PaymentFilter, index: string): KeysetQuery {
  return {
    columns: PAYMENT_COLUMNS,
    table: 'payment',
    index,
    idColumn: 'uuid',
    conditions: conditionsOf(tenant, filter),
    range: { fromMs: filter.createdFromMs, toMs: filter.createdToMs },
  };
}

/** The index in which exactly the wanted rows lie next to each other, but for amount and currency. */
function indexFor({ status, method }: PaymentFilter): string {
  if (status !== undefined) {
    return method === undefined ? 'payment_by_status' : 'payment_by_status_and_method';
  }
  return method === undefined ? 'payment_by_time' : 'payment_by_method';
}

function conditionsOf(tenant: Tenant, filter: PaymentFilter): Condition[] {
  const conditions: Condition[] = [
    { sql: 'merchant_id = ? AND environment = ?', params: [tenant.merchantId, tenant.environment] },
  ];
  const add = (sql: string, value: string | number | undefined): void => {
    if (value !== undefined) {
      conditions.push({ sql, params: [value] });
    }
  };
  add('status = ?', filter.status);
  add('method = ?', filter.method);
  add('currency = ?', filter.currency);
  add('amount_minor >= ?', filter.amountMinorMin);
  add('amount_minor <= ?', filter.amountMinorMax);
  return conditions;
}

/** Rows of one query of an export: few enough for a Worker's memory, enough for few queries. */
const EXPORT_PAGE_ROWS = 500;

/**
 * Every payment that the filter lets through, newest first, page by page for as long as somebody
 * reads on. What is created meanwhile is not in it.
 */
export async function* exportPayments(
  db: D1Database,
  tenant: Tenant,
  filter: PaymentFilter,
): AsyncGenerator<readonly PaymentRow[], void, void> {
  let cursor: Cursor | null = null;
  for (;;) {
    const { rows }: Page<PaymentRow> = await listPayments(
      db,
      tenant,
      filter,
      cursor,
      EXPORT_PAGE_ROWS,
    );
    const last = rows.at(-1);
    if (last === undefined) {
      return;
    }
    yield rows;
    if (rows.length < EXPORT_PAGE_ROWS) {
      return;
    }
    cursor = { direction: 'older', createdAtMs: last.createdAtMs, id: last.uuid };
  }
}
