import { prepare, type SqlStatement } from '../database.ts';
import type { IntentStatus, Tenant } from '../domain/intent.ts';
import type { Currency, Method } from '../domain/method.ts';
import { type Condition, type Cursor, keysetStatement, type Page, pageOf } from './page.ts';
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
  const statement = paymentsStatement(tenant, filter, cursor, limit);
  const { results } = await prepare(db, statement).all<StoredPayment>();
  return pageOf(results.map(paymentRow), cursor, limit, ({ uuid }) => uuid);
}

/** The one statement behind a page. */
export function paymentsStatement(
  tenant: Tenant,
  filter: PaymentFilter,
  cursor: Cursor | null,
  limit: number,
): SqlStatement {
  const query = {
    columns: PAYMENT_COLUMNS,
    table: 'payment',
    index: indexFor(filter),
    idColumn: 'uuid',
    conditions: conditionsOf(tenant, filter),
    range: { fromMs: filter.createdFromMs, toMs: filter.createdToMs },
  } as const;
  return keysetStatement(query, cursor, limit);
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
