import { recordAct } from '../audit/log.ts';
import { daysOf } from '../book/list-days.ts';
import { SEARCH_ROWS_MAX } from '../book/queries/search.ts';
import { type BookReader, readerOf } from '../book/reader.ts';
import type {
  DayRange,
  EventFilter,
  PaymentFilter,
  RefundFilter,
  StatementPart,
} from '../book/rows.ts';
import { ENVIRONMENTS } from '../domain/method.ts';
import type { Tenant } from '../domain/terms.ts';
import type { Cursor } from '../platform/paging.ts';
import { listEndpoints } from '../webhooks/endpoint-store.ts';
import { listFailing } from '../webhooks/failing-endpoints.ts';
import { readByMember } from './member.ts';
import type { Plane } from './plane.ts';

/** A merchant's lists, newest first, and the totals over them. They may lag the objects by seconds. */

/** What a tenant's book answers, as the interface offers it. */
function ofBook<Arguments extends readonly unknown[], Result>(
  read: (reader: BookReader, ...args: Arguments) => Promise<Result>,
) {
  return async ({ env }: Plane, tenant: Tenant, ...args: Arguments): Promise<Result> =>
    read(await readerOf(env, tenant), ...args);
}

/**
 * One page, and the totals over all payments of the filter's days and method. Every member sees a
 * customer's name and phone on the payment's page; the list has the phone only masked.
 */
export async function paymentsWithTotals(
  plane: Plane,
  tenant: Tenant,
  filter: PaymentFilter,
  cursor: Cursor | null,
  limit: number,
) {
  const reader = await readerOf(plane.env, tenant);
  const days = daysOf(filter);
  const [page, totals] = await Promise.all([
    reader.listed(filter, cursor, limit),
    days === null ? null : reader.totals(days),
  ]);
  return {
    page,
    /** The totals of all statuses and currencies; null when they do not know the filter. */
    totals,
    /** Where merchants call the API; null: where the page is. */
    apiOrigin: plane.config.publicBaseUrl,
  };
}

/** The payments that an id, the start of one, a phone number, an address or a name finds. */
export const search = ofBook(async (reader, text: string) => {
  const rows = await reader.found(text);
  // If it is full, there may be more: these are the newest.
  return { rows, isFull: rows.length === SEARCH_ROWS_MAX };
});

/** Records who exports which payments. Call it before the first page of the file. */
export const beginExport = readByMember((by, detail: Readonly<Record<string, string>>) =>
  recordAct(by, { action: 'payments.exported', target: null, detail }),
);

/** One page of a file of the merchant's payments. */
export const exported = ofBook((reader, filter: PaymentFilter, cursor: Cursor | null) =>
  reader.exported(filter, cursor),
);

/** One page of the lines of a merchant's statement of these days. */
export const statement = ofBook(
  (reader, part: StatementPart, days: DayRange, cursor: Cursor | null) =>
    reader.statement(part, days, cursor),
);

/** One page of a merchant's refunds. */
export const refunds = ofBook(
  (reader, filter: RefundFilter, cursor: Cursor | null, limit: number) =>
    reader.refunds(filter, cursor, limit),
);

/** One page of the deliveries of a merchant's events, and the endpoints to choose from. */
export async function events(
  { env }: Plane,
  tenant: Tenant,
  filter: EventFilter,
  cursor: Cursor | null,
  limit: number,
) {
  const reader = await readerOf(env, tenant);
  const [page, endpoints] = await Promise.all([
    reader.events(filter, cursor, limit),
    listEndpoints(env.DB, tenant),
  ]);
  return { page, endpoints };
}

/**
 * What the first page shows: the failing endpoints of both environments, the attempts of days, and
 * the totals of `trend`, `daysEach` together.
 */
export async function overview(
  plane: Plane,
  tenant: Tenant,
  range: {
    readonly days: DayRange;
    readonly trend: DayRange;
    readonly daysEach: number;
  } | null,
) {
  const reader = await readerOf(plane.env, tenant);
  const [failing, newest, totals, attempts] = await Promise.all([
    Promise.all(
      ENVIRONMENTS.map(async (environment) => ({
        environment,
        endpoints: await listFailing(plane.env.DB, { ...tenant, environment }),
      })),
    ),
    reader.payments({}, null, 1),
    range === null ? [] : reader.totalsByPeriod(range.trend, range.daysEach),
    range === null ? [] : reader.attemptTotals(range.days),
  ]);
  return {
    failing,
    hasPayments: newest.rows.length > 0,
    totals,
    attempts,
    /** Where merchants call the API; null: where the page is. */
    apiOrigin: plane.config.publicBaseUrl,
  };
}

export type Overview = Awaited<ReturnType<typeof overview>>;
