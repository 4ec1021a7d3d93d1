import { recordAct } from '../audit/log.ts';
import type { Tenant } from '../domain/intent.ts';
import { ENVIRONMENTS, type Environment } from '../domain/method.ts';
import { type Cursor, type Page, readPage } from '../platform/paging.ts';
import { type EventFilter, type EventRow, eventsOf } from '../read-model/events-list.ts';
import type { PaymentRow } from '../read-model/payment-row.ts';
import {
  type ExportPage,
  exportPayments,
  listPayments,
  type PaymentFilter,
} from '../read-model/payments-list.ts';
import { type RefundFilter, type RefundRow, refundsOf } from '../read-model/refunds-list.ts';
import { SEARCH_ROWS_MAX, searchPayments } from '../read-model/search.ts';
import {
  type AttemptTotal,
  attemptTotals,
  type DayRange,
  type DayTotal,
  type Total,
  totalsByPeriod,
  totalsOf,
} from '../read-model/totals.ts';
import { type EndpointEntry, listEndpoints } from '../webhooks/endpoint-store.ts';
import { type FailingEndpoint, listFailing } from '../webhooks/failing-endpoints.ts';
import { byMember } from './member.ts';
import { onDatabase, type Plane } from './plane.ts';

/** A merchant's lists, newest first, and the totals over them. They may lag the objects by seconds. */

/** One page of a merchant's payments. */
export const payments = onDatabase(listPayments);

export interface PaymentsWithTotals {
  readonly page: Page<PaymentRow>;
  /** Of all statuses and currencies; null when the totals do not know the filter. */
  readonly totals: readonly Total[] | null;
  /** Where merchants call the API; null: where the page is. */
  readonly apiOrigin: string | null;
}

/** One page, and the totals over all payments of the filter's days and method. */
export async function paymentsWithTotals(
  plane: Plane,
  tenant: Tenant,
  filter: PaymentFilter,
  cursor: Cursor | null,
  limit: number,
): Promise<PaymentsWithTotals> {
  const [page, totals] = await Promise.all([
    payments(plane, tenant, filter, cursor, limit),
    totalsOf(plane.env.DB, tenant, filter),
  ]);
  return { page, totals, apiOrigin: plane.config.publicBaseUrl };
}

export interface FoundPayments {
  readonly rows: readonly PaymentRow[];
  /** There may be more: these are the newest. */
  readonly isFull: boolean;
}

/** The payments that an id, the start of one, a phone number, an address or a name finds. */
export async function search({ env }: Plane, tenant: Tenant, text: string): Promise<FoundPayments> {
  const rows = await searchPayments(env, tenant, text);
  return { rows, isFull: rows.length === SEARCH_ROWS_MAX };
}

/** Records who exports which payments. Call it before the first page of the file. */
export const beginExport = byMember((by, detail: Readonly<Record<string, string>>) =>
  recordAct(by, { action: 'payments.exported', target: null, detail }),
);

/** One page of a file of the merchant's payments. */
export function exported(
  { env }: Plane,
  tenant: Tenant,
  filter: PaymentFilter,
  cursor: Cursor | null,
): Promise<ExportPage> {
  return exportPayments(env, tenant, filter, cursor);
}

/** One page of a merchant's refunds. */
export function refunds(
  { env }: Plane,
  tenant: Tenant,
  filter: RefundFilter,
  cursor: Cursor | null,
  limit: number,
): Promise<Page<RefundRow>> {
  return readPage(env.DB, refundsOf(tenant, filter), cursor, limit);
}

export interface EventsPage {
  readonly page: Page<EventRow>;
  /** To choose from. */
  readonly endpoints: readonly EndpointEntry[];
}

/** One page of the deliveries of a merchant's events. */
export async function events(
  { env }: Plane,
  tenant: Tenant,
  filter: EventFilter,
  cursor: Cursor | null,
  limit: number,
): Promise<EventsPage> {
  const [page, endpoints] = await Promise.all([
    readPage(env.DB, eventsOf(tenant, filter), cursor, limit),
    listEndpoints(env.DB, tenant),
  ]);
  return { page, endpoints };
}

export interface Overview {
  /** Of both environments. */
  readonly failing: readonly {
    readonly environment: Environment;
    readonly endpoints: readonly FailingEndpoint[];
  }[];
  readonly hasPayments: boolean;
  readonly totals: readonly DayTotal[];
  readonly attempts: readonly AttemptTotal[];
  /** Where merchants call the API; null: where the page is. */
  readonly apiOrigin: string | null;
}

/** What the first page shows: failing endpoints, and the totals of days, `daysEach` together. */
export async function overview(
  plane: Plane,
  tenant: Tenant,
  days: DayRange | null,
  daysEach: number,
): Promise<Overview> {
  const { DB: db } = plane.env;
  const [failing, newest, totals, attempts] = await Promise.all([
    Promise.all(
      ENVIRONMENTS.map(async (environment) => ({
        environment,
        endpoints: await listFailing(db, { ...tenant, environment }),
      })),
    ),
    payments(plane, tenant, {}, null, 1),
    days === null ? [] : totalsByPeriod(db, tenant, days, daysEach),
    days === null ? [] : attemptTotals(db, tenant, days),
  ]);
  const apiOrigin = plane.config.publicBaseUrl;
  return { failing, hasPayments: newest.rows.length > 0, totals, attempts, apiOrigin };
}
