import type { LocalDatabase } from '../../scripts/dev/d1.ts';
import { businessDay } from '../../src/domain/ethiopian-time.ts';
import type { Tenant } from '../../src/domain/intent.ts';
import { idSearchKey } from '../../src/domain/search-key.ts';
import type { SqlStatement } from '../../src/platform/database.ts';
import { type Cursor, type ListQuery, pageStatement } from '../../src/platform/paging.ts';
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

/**
 * Queries of the read model by their names, with the statements of its own functions for run 0, 1,
 * 2 …: each run reads other rows if possible.
 */
export type MeasuredQueries = Readonly<Record<string, (run: number) => readonly SqlStatement[]>>;

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

/** Rare amounts are read by their places, which a first query finds; others by the list. */
const AMOUNTS: Readonly<Record<string, readonly [filter: PaymentFilter, isRare: boolean]>> = {
  'one in ten': [{ amountMinorMin: 3_300_000 }, false],
  'one in 400': [{ amountMinorMin: 4_950_000 }, false],
  'one in 500': [{ amountMinorMin: 4_960_000 }, true],
  'a handful of all': [{ amountMinorMin: 2_000_000, amountMinorMax: 2_000_100 }, true],
};

export async function measuredQueries(
  database: LocalDatabase,
  payments: number,
): Promise<MeasuredQueries> {
  const today = businessDay(NEWEST_MS);
  const month = { fromDay: today - 29, toDay: today };
  const year = { fromDay: today - 364, toDay: today };
  const first = (list: ListQuery) => () => [pageStatement(list, null, PAGE_ROWS)];
  const always = (statements: readonly SqlStatement[]) => () => statements;
  return {
    'nothing (`SELECT 1`)': always([{ sql: 'SELECT 1', params: [] }]),
    'payments, first page': first(paymentsOf(BIG, {})),
    'payments, first page, small merchant': first(paymentsOf(SMALL, {})),
    ...(await deepPages(database)),
    ...Object.fromEntries(
      Object.entries(FILTERS).map(([name, filter]) => [
        `payments ${name}`,
        first(paymentsOf(BIG, filter)),
      ]),
    ),
    'payments by their end': always(
      summaryLists(BIG, { endedToMs: NEWEST_MS - 365 * DAY_MS }, []).map((list) =>
        pageStatement(list, null, PAGE_ROWS),
      ),
    ),
    ...(await amounts(database)),
    ...searches(payments),
    'totals of 30 days': always(totalsStatements(BIG, month)),
    'totals of 365 days': always(totalsStatements(BIG, year)),
    'tabs of the list, all days': always(totalsStatements(BIG, EVERY_DAY)),
    'attempts of 365 days': always([attemptTotalsStatement(BIG, year)]),
    'chart of 30 days': always(totalsByPeriodStatements(BIG, month, 1)),
    'chart of 365 days by weeks': always(totalsByPeriodStatements(BIG, year, 7)),
    'events, first page': first(eventsOf(BIG, {})),
    'waiting events': first(eventsOf(BIG, { deliveryStatus: 'waiting' })),
    'failed events, first page': first(failedEventsOf(BIG, {})),
    'count of failed events of 30 days': always([
      countFailedEventsStatement(BIG, { fromMs: NEWEST_MS - 30 * DAY_MS }),
    ]),
  };
}

/** Searches for a payment of any merchant, a different one in each run. */
function searches(payments: number): MeasuredQueries {
  const rowOf = (index: number) => messageOf(index, payments).row;
  const search =
    (text: (index: number) => string, step = 1, keys?: (index: number) => readonly string[]) =>
    (run: number) => {
      const index = Math.floor((chance('search', run) * payments) / step) * step;
      const found = (keys?.(index) ?? [idSearchKey(text(index))]).map((key) => [key]);
      return searchStatements(rowOf(index), text(index), found);
    };
  return {
    'search by paymentIntentUniqueId': search((index) => rowOf(index).uniqueId),
    'search by the start of an id': search((index) => rowOf(index).uniqueId.slice(0, -2)),
    'search by uuid': search((index) => rowOf(index).uuid),
    'search by integer id': search((index) => String(rowOf(index).number)),
    'search by transactionId': search((index) => referenceOf(index, rowOf(index).createdAtMs)),
    'search by payment link': search(linkOf, 10),
    'search by event': search((index) => eventIdOf(index, rowOf(index).endedAtMs ?? 0)),
    'search by phone': search(
      () => '0911234567',
      5,
      (index) => [idSearchKey('0911234567'), phoneKeyOf(index)],
    ),
    'search by an unknown id': search((index) => `no-order-${index}`),
  };
}

/** Like the real function, looks for the places first: they decide how the list is read. */
async function amounts(database: LocalDatabase): Promise<MeasuredQueries> {
  const found: Record<string, () => readonly SqlStatement[]> = {};
  for (const [name, [filter, isRare]] of Object.entries(AMOUNTS)) {
    const search = placesOfAmountStatement(BIG, filter);
    const statement = database.prepare(search.sql).bind(...search.params);
    const { results } = await statement.all<AmountPlace>();
    const list = isRare ? paymentsAt(results, BIG, filter) : paymentsOf(BIG, filter);
    const statements = [search, pageStatement(list, null, PAGE_ROWS)];
    found[`payments by amount, ${name}`] = () => statements;
  }
  return found;
}

/** Pages deep in a list, if the list has that many. */
async function deepPages(database: LocalDatabase): Promise<MeasuredQueries> {
  const found: Record<string, () => readonly SqlStatement[]> = {};
  for (const depth of [1_000, 10_000]) {
    const cursor = await cursorAfter(database, (depth - 1) * PAGE_ROWS);
    if (cursor !== null) {
      const page = pageStatement(paymentsOf(BIG, {}), cursor, PAGE_ROWS);
      found[`payments, page ${depth.toLocaleString('en')}`] = () => [page];
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
