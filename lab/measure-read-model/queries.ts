import type { LocalDatabase } from '../../scripts/dev/d1.ts';
import { businessDay } from '../../src/domain/ethiopian-time.ts';
import type { Tenant } from '../../src/domain/intent.ts';
import { idSearchKey } from '../../src/domain/search-key.ts';
import type { SqlStatement } from '../../src/platform/database.ts';
import { type Cursor, pageStatement } from '../../src/platform/paging.ts';
import {
  countEventsStatement,
  oldestStatement,
  paymentsNeedingAttention,
} from '../../src/read-model/attention.ts';
import {
  countFailedEventsStatement,
  eventsOf,
  failedEventsOf,
} from '../../src/read-model/events-list.ts';
import { PAYMENTS_BY_TIME } from '../../src/read-model/payment-row.ts';
import { summaryLists } from '../../src/read-model/payment-summaries.ts';
import {
  type AmountPlace,
  type PaymentFilter,
  paymentsAt,
  paymentsOf,
  placesOfAmountStatement,
} from '../../src/read-model/payments-list.ts';
import { searchStatements } from '../../src/read-model/search.ts';
import {
  attemptTotalsStatement,
  EVERY_DAY,
  failuresPerRailStatement,
  totalsByPeriodStatements,
  totalsStatements,
} from '../../src/read-model/totals.ts';
import {
  chance,
  eventIdOf,
  linkOf,
  MERCHANTS,
  merchantName,
  messageOf,
  NEWEST_MS,
  phoneKeyOf,
  referenceOf,
} from './seed.ts';

/** A query of the read model, with the statements of its own functions. */
export interface MeasuredQuery {
  readonly name: string;
  /** The statements of run 0, 1, 2 …: each run reads other rows if possible. */
  statements(run: number): readonly SqlStatement[];
}

const PAGE_ROWS = 20;
const DAY_MS = 86_400_000;

/** The merchant with the most payments, which is the worst case. */
const BIG: Tenant = { environment: 'production', merchantId: merchantName(0) };
const SMALL: Tenant = { environment: 'production', merchantId: merchantName(MERCHANTS - 1) };

const FILTERS: Readonly<Record<string, PaymentFilter>> = {
  'by status': { status: 'failed' },
  'by method': { method: 'CBE' },
  'by status and method': { status: 'failed', method: 'E_BIRR' },
  'by currency': { currency: 'USD' },
  'by status and currency': { status: 'failed', currency: 'USD' },
  'by date, a year ago': { createdToMs: NEWEST_MS - 365 * DAY_MS },
};

const AMOUNTS: Readonly<Record<string, { filter: PaymentFilter; isRare: boolean }>> = {
  'one in ten': { filter: { amountMinorMin: 3_300_000 }, isRare: false },
  'one in 400': { filter: { amountMinorMin: 4_950_000 }, isRare: false },
  'one in 500': { filter: { amountMinorMin: 4_960_000 }, isRare: true },
  'a handful of all': {
    filter: { amountMinorMin: 2_000_000, amountMinorMax: 2_000_100 },
    isRare: true,
  },
};

export async function measuredQueries(
  database: LocalDatabase,
  payments: number,
): Promise<readonly MeasuredQuery[]> {
  const today = businessDay(NEWEST_MS);
  const month = { fromDay: today - 29, toDay: today };
  const year = { fromDay: today - 364, toDay: today };
  const page = (filter: PaymentFilter, cursor: Cursor | null, tenant = BIG) => [
    pageStatement(paymentsOf(tenant, filter), cursor, PAGE_ROWS),
  ];
  const listed = Object.entries(FILTERS).map(([name, filter]) =>
    always(`payments ${name}`, page(filter, null)),
  );
  return [
    { name: 'nothing (`SELECT 1`)', statements: () => [{ sql: 'SELECT 1', params: [] }] },
    always('payments, first page', page({}, null)),
    always('payments, first page, small merchant', page({}, null, SMALL)),
    ...(await deepPages(database)),
    ...listed,
    always(
      'payments by their end',
      summaryLists(BIG, { endedToMs: NEWEST_MS - 365 * DAY_MS }, []).map((list) =>
        pageStatement(list, null, PAGE_ROWS),
      ),
    ),
    ...(await amounts(database)),
    ...searches(payments),
    always('totals of 30 days', totalsStatements(BIG, month)),
    always('totals of 365 days', totalsStatements(BIG, year)),
    always('tabs of the list, all days', totalsStatements(BIG, EVERY_DAY)),
    always('attempts of 365 days', [attemptTotalsStatement(BIG, year)]),
    always('chart of 30 days', totalsByPeriodStatements(BIG, month, 1)),
    always('chart of 365 days by weeks', totalsByPeriodStatements(BIG, year, 7)),
    always('events, first page', [pageStatement(eventsOf(BIG, {}), null, PAGE_ROWS)]),
    always('waiting events', [
      pageStatement(eventsOf(BIG, { deliveryStatus: 'waiting' }), null, PAGE_ROWS),
    ]),
    always('failed events, first page', [pageStatement(failedEventsOf(BIG, {}), null, PAGE_ROWS)]),
    always('count of failed events of 30 days', [
      countFailedEventsStatement(BIG, { fromMs: NEWEST_MS - 30 * DAY_MS }),
    ]),
    always('operator: payments that need attention', [
      pageStatement(paymentsNeedingAttention('production'), null, PAGE_ROWS),
    ]),
    always('operator: oldest waiting event', [oldestStatement('production', 'waiting')]),
    always('operator: events by status', [countEventsStatement('production')]),
    always('operator: failures per rail, 7 days', [
      failuresPerRailStatement('production', today - 6),
    ]),
  ];
}

function always(name: string, statements: readonly SqlStatement[]): MeasuredQuery {
  return { name, statements: () => statements };
}

/** Searches for a payment of any merchant, a different one in each run. */
function searches(payments: number): readonly MeasuredQuery[] {
  const search = (
    name: string,
    text: (index: number) => string,
    keys?: (index: number) => readonly string[],
    step = 1,
  ): MeasuredQuery => ({
    name: `search by ${name}`,
    statements: (run) => {
      const index = Math.floor((chance('search', run) * payments) / step) * step;
      const { row } = messageOf(index, payments);
      const found = (keys?.(index) ?? [idSearchKey(text(index))]).map((key) => [key]);
      return searchStatements(row, text(index), found);
    },
  });
  const rowOf = (index: number) => messageOf(index, payments).row;
  return [
    search('paymentIntentUniqueId', (index) => rowOf(index).uniqueId),
    search('the start of an id', (index) => rowOf(index).uniqueId.slice(0, -2)),
    search('uuid', (index) => rowOf(index).uuid),
    search('integer id', (index) => String(rowOf(index).number)),
    search('transactionId', (index) => referenceOf(index, rowOf(index).createdAtMs)),
    search('payment link', linkOf, undefined, 10),
    search('event', (index) => eventIdOf(index, rowOf(index).endedAtMs ?? 0)),
    search(
      'phone',
      () => '0911234567',
      (index) => [idSearchKey('0911234567'), phoneKeyOf(index)],
      5,
    ),
    search('an unknown id', (index) => `no-order-${index}`),
  ];
}

/** Like the real function, looks for the places first: they decide how the list is read. */
async function amounts(database: LocalDatabase): Promise<readonly MeasuredQuery[]> {
  const found: MeasuredQuery[] = [];
  for (const [name, { filter, isRare }] of Object.entries(AMOUNTS)) {
    const search = placesOfAmountStatement(BIG, filter);
    const { results } = await database
      .prepare(search.sql)
      .bind(...search.params)
      .all<AmountPlace>();
    const list = isRare ? paymentsAt(results, BIG, filter) : paymentsOf(BIG, filter);
    found.push(
      always(`payments by amount, ${name}`, [search, pageStatement(list, null, PAGE_ROWS)]),
    );
  }
  return found;
}

/** Pages deep in a list, if the list has that many. */
async function deepPages(database: LocalDatabase): Promise<readonly MeasuredQuery[]> {
  const found: MeasuredQuery[] = [];
  for (const depth of [1_000, 10_000]) {
    const cursor = await cursorAfter(database, (depth - 1) * PAGE_ROWS);
    if (cursor !== null) {
      const name = `payments, page ${depth.toLocaleString('en')}`;
      found.push(always(name, [pageStatement(paymentsOf(BIG, {}), cursor, PAGE_ROWS)]));
    }
  }
  return found;
}

/** The cursor after `payments` payments of the big merchant; null when it has fewer. */
async function cursorAfter(database: LocalDatabase, payments: number): Promise<Cursor | null> {
  const { results } = await database
    .prepare(
      `SELECT created_at_ms AS createdAtMs, uuid FROM payment INDEXED BY ${PAYMENTS_BY_TIME}
       WHERE merchant_id = ? AND environment = ? ORDER BY created_at_ms DESC, uuid DESC
       LIMIT 1 OFFSET ?`,
    )
    .bind(BIG.merchantId, BIG.environment, payments - 1)
    .all<{ createdAtMs: number; uuid: string }>();
  const [row] = results;
  return row === undefined ? null : { direction: 'older', atMs: row.createdAtMs, id: row.uuid };
}
