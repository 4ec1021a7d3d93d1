import { recordAct } from '../audit/log.ts';
import { daysOf } from '../book/list-days.ts';
import { SEARCH_ROWS_MAX } from '../book/queries/search.ts';
import { type ExportPage, readerOf } from '../book/reader.ts';
import type {
  AttemptTotal,
  DayRange,
  DayTotal,
  EventFilter,
  EventRow,
  PaymentFilter,
  PaymentRow,
  RefundFilter,
  RefundRow,
  Total,
} from '../book/rows.ts';
import type { Tenant } from '../domain/intent.ts';
import { ENVIRONMENTS, type Environment } from '../domain/method.ts';
import type { Cursor, Page } from '../platform/paging.ts';
import { type EndpointEntry, listEndpoints } from '../webhooks/endpoint-store.ts';
import { type FailingEndpoint, listFailing } from '../webhooks/failing-endpoints.ts';
import { byMember } from './member.ts';
import type { Plane } from './plane.ts';

/** A merchant's lists, newest first, and the totals over them. They may lag the objects by seconds. */

/** One page of a merchant's payments. */
export async function payments(
  { env }: Plane,
  tenant: Tenant,
  filter: PaymentFilter,
  cursor: Cursor | null,
  limit: number,
): Promise<Page<PaymentRow>> {
  return (await readerOf(env, tenant)).payments(filter, cursor, limit);
}

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
  const reader = await readerOf(plane.env, tenant);
  const days = daysOf(filter);
  const [page, totals] = await Promise.all([
    reader.payments(filter, cursor, limit),
    days === null ? null : reader.totals(days),
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
  const rows = await (await readerOf(env, tenant)).search(text);
  return { rows, isFull: rows.length === SEARCH_ROWS_MAX };
}

/** Records who exports which payments. Call it before the first page of the file. */
export const beginExport = byMember((by, detail: Readonly<Record<string, string>>) =>
  recordAct(by, { action: 'payments.exported', target: null, detail }),
);

/** One page of a file of the merchant's payments. */
export async function exported(
  { env }: Plane,
  tenant: Tenant,
  filter: PaymentFilter,
  cursor: Cursor | null,
): Promise<ExportPage> {
  return (await readerOf(env, tenant)).exported(filter, cursor);
}

/** One page of a merchant's refunds. */
export async function refunds(
  { env }: Plane,
  tenant: Tenant,
  filter: RefundFilter,
  cursor: Cursor | null,
  limit: number,
): Promise<Page<RefundRow>> {
  return (await readerOf(env, tenant)).refunds(filter, cursor, limit);
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
  const reader = await readerOf(env, tenant);
  const [page, endpoints] = await Promise.all([
    reader.events(filter, cursor, limit),
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
  const reader = await readerOf(plane.env, tenant);
  const [failing, newest, totals, attempts] = await Promise.all([
    Promise.all(
      ENVIRONMENTS.map(async (environment) => ({
        environment,
        endpoints: await listFailing(plane.env.DB, { ...tenant, environment }),
      })),
    ),
    reader.payments({}, null, 1),
    days === null ? [] : reader.totalsByPeriod(days, daysEach),
    days === null ? [] : reader.attemptTotals(days),
  ]);
  const apiOrigin = plane.config.publicBaseUrl;
  return { failing, hasPayments: newest.rows.length > 0, totals, attempts, apiOrigin };
}
