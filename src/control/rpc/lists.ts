import { listEndpoints } from '../../engine/webhooks/endpoint-store.ts';
import { listFailing } from '../../engine/webhooks/failing-endpoints.ts';
import { type AuditDetail, recordAct } from '../../kit/audit/log.ts';
import { businessDay, dayText } from '../../kit/ethiopian-time.ts';
import { majorText } from '../../kit/money.ts';
import { type Cursor, parseCursor } from '../../kit/platform/paging.ts';
import type { Tenant } from '../../kit/tenant.ts';
import { ENVIRONMENTS } from '../../kit/tenant.ts';
import { bookOf } from '../../lists/book/client.ts';
import { daysOf } from '../../lists/book/list-days.ts';
import { SEARCH_ROWS_MAX } from '../../lists/book/queries/search.ts';
import { type BookReader, readerOf } from '../../lists/book/reader.ts';
import {
  type DayRange,
  type EventFilter,
  type PaymentFilter,
  type RefundFilter,
  STATEMENT_PARTS,
} from '../../lists/book/rows.ts';
import { beginPage, sealPlace } from '../audit/readings.ts';
import { notWorkingFor } from '../health/outages.ts';
import { withMaskedPhone } from '../merchants/masked-phone.ts';
import { type DidPay, findPaid } from '../payments/did-pay.ts';
import { type MemberCall, readByMember } from './member.ts';
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

/** The answer to a seller whose customer says that they have paid. */
export const didPay: (plane: Plane, tenant: Tenant, text: string) => Promise<DidPay> = findPaid;

/** Whether a file has whole phone numbers; else only their last digits. */
export type Phones = 'masked' | 'full';

/**
 * One page of a file of the merchant's payments. The first one writes the audit entry of the export;
 * `after` is the `nextCursor` of the page before.
 */
export const exported = readByMember(
  async (by, filter: PaymentFilter, phones: Phones, after: string | null) => {
    const detail = { ...filterDetail(filter), ...(phones === 'full' && { phones }) };
    const reading = readingOf(by, 'payments', filter, phones);
    const begun = await beginPage(reading, after, () => recordExport(by, detail));
    const reader = await readerOf(by.env, by.tenant);
    const page = await reader.exported(
      filter,
      begun.place === null ? null : parseCursor(begun.place),
    );
    const { nextCursor } = page;
    return {
      rows: phones === 'full' ? page.rows : page.rows.map(withMaskedPhone),
      nextCursor: nextCursor && (await sealPlace(reading, begun, nextCursor)),
    };
  },
);

function readingOf({ config, nowMs, tenant, actor }: MemberCall, ...what: readonly unknown[]) {
  return { config, nowMs, scope: [tenant.environment, tenant.merchantId, actor.id, ...what] };
}

function recordExport(by: MemberCall, detail: AuditDetail): Promise<void> {
  return recordAct(by, { action: 'payments.exported', target: null, detail });
}

/** In days of Addis Ababa and major units, as members choose them. */
function filterDetail(filter: PaymentFilter) {
  const { status, method, currency, refunds } = filter;
  const { createdFromMs: from, createdToMs: to, amountMinorMin, amountMinorMax } = filter;
  return {
    ...{ status, method, currency, refunds },
    since: from === undefined ? undefined : dayText(businessDay(from)),
    until: to === undefined ? undefined : dayText(businessDay(to - 1)),
    min: amountMinorMin === undefined ? undefined : majorText(amountMinorMin),
    max: amountMinorMax === undefined ? undefined : majorText(amountMinorMax),
  };
}

/** The most numerous lines come last, because a file that is too long ends early. */
const PARTS = STATEMENT_PARTS.toReversed();

/** One page of the lines of a merchant's statement of these days, recorded as an export is. */
export const statement = readByMember(async (by, days: DayRange, after: string | null) => {
  const { method, fromDay, toDay } = days;
  const detail = { file: 'statement', method, since: dayText(fromDay), until: dayText(toDay) };
  const reading = readingOf(by, 'statement', days);
  const begun = await beginPage(reading, after, () => recordExport(by, detail));
  const [named, cursor = ''] = begun.place?.split(' ') ?? [];
  const part = PARTS.find((one) => one === named) ?? PARTS[0] ?? 'paid';
  const reader = await readerOf(by.env, by.tenant);
  const { rows, nextCursor } = await reader.statement(part, days, parseCursor(cursor));
  const following = nextCursor === null ? PARTS[PARTS.indexOf(part) + 1] : part;
  const next = following && `${following} ${nextCursor ?? ''}`;
  return { rows, nextCursor: next ? await sealPlace(reading, begun, next) : null };
});

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

/** The last refused requests of the merchant's keys, newest first. Some of a flood are missing. */
export function refusedRequests({ env }: Plane, tenant: Tenant) {
  return bookOf(env, tenant, 0).refusedRequests();
}

/**
 * What the first page shows: the methods that do not work now, the failing endpoints of both
 * environments, the attempts of days, and the totals of `trend`, `daysEach` together.
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
  const [notWorking, failing, newest, totals, attempts] = await Promise.all([
    notWorkingFor(plane.env, tenant),
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
    notWorking,
    failing,
    hasPayments: newest.rows.length > 0,
    totals,
    attempts,
    /** Where merchants call the API; null: where the page is. */
    apiOrigin: plane.config.publicBaseUrl,
  };
}

export type Overview = Awaited<ReturnType<typeof overview>>;
