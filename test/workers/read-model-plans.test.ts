import { env } from 'cloudflare:workers';
import { describe, expect, test } from 'vitest';
import { METADATA_ENTRIES_MAX } from '../../src/api/schema/metadata.ts';
import { ENDED_STATUSES } from '../../src/domain/intent.ts';
import { METHODS } from '../../src/domain/method.ts';
import { batch, type SqlStatement } from '../../src/platform/database.ts';
import { type Cursor, pageStatement } from '../../src/platform/paging.ts';
import {
  countFailedEventsStatement,
  deliveriesStatement,
  distinctEventsOf,
  type EventFilter,
  eventsOf,
  failedEventsOf,
  missedEventsOf,
} from '../../src/read-model/events-list.ts';
import {
  type KeyChoices,
  type SummaryFilter,
  summaryLists,
} from '../../src/read-model/payment-summaries.ts';
import {
  type PaymentFilter,
  paymentsAt,
  paymentsOf,
  placesOfAmountStatement,
} from '../../src/read-model/payments-list.ts';
import { findUniqueIdStatement } from '../../src/read-model/queries.ts';
import { othersStatement } from '../../src/read-model/receipts.ts';
import { type RefundFilter, refundsOf } from '../../src/read-model/refunds-list.ts';
import {
  findSandboxEventStatement,
  newestSandboxEventStatement,
  sandboxEventsAfterStatement,
} from '../../src/read-model/sandbox-events.ts';
import { searchStatements } from '../../src/read-model/search.ts';
import {
  attemptTotalsStatement,
  totalsByPeriodStatements,
  totalsStatements,
} from '../../src/read-model/totals.ts';
import { ALPHA, consumeAll, createHosted, payHosted, tenantOf, useGateway } from './support.ts';

/**
 * Goal: every query of the read model finds its rows by an index and reads them in order, for every
 * filter and even with misleading statistics. Method: EXPLAIN QUERY PLAN of the statements that the
 * functions run, on an empty database and on one whose statistics mislead.
 */

const caught = useGateway();

const TENANT = tenantOf(ALPHA);
const UUID = '019b7d80-7c55-7d5e-9a55-2f1f6f0a0001';

const CURSORS: Readonly<Record<string, Cursor | null>> = {
  'first page': null,
  'older page': { direction: 'older', atMs: 5_000, id: UUID },
  'newer page': { direction: 'newer', atMs: 5_000, id: UUID },
};

/** Every subset of the parts of a filter. */
function combinations<Filter extends object>(parts: readonly Filter[]): Filter[] {
  const [part, ...others] = parts;
  if (part === undefined) {
    return [{} as Filter];
  }
  return combinations(others).flatMap((filter) => [filter, { ...part, ...filter }]);
}

const PAYMENT_FILTERS = combinations<PaymentFilter>([
  { status: 'succeeded' },
  { method: 'CBE' },
  { currency: 'USD' },
  { createdFromMs: 1_000 },
  { createdToMs: 9_000 },
  { amountMinorMin: 100, amountMinorMax: 200 },
  { refunds: 'any' },
]);

const SUMMARY_FILTERS = combinations<SummaryFilter>([
  { status: 'succeeded' },
  { method: 'CBE' },
  { createdFromMs: 1_000 },
  { createdToMs: 9_000 },
  { endedFromMs: 1_000 },
  { endedToMs: 9_000 },
]);
/** What a phone and an entry of metadata lead to, with one data key and while two rotate. */
const KEY_CHOICES: readonly (readonly KeyChoices[])[] = [
  [],
  [['phone:a']],
  [['phone:a', 'phone:b']],
  [
    ['phone:a', 'phone:b'],
    ['meta:a', 'meta:b'],
    ['meta:c', 'meta:d'],
  ],
];

/** A phone and all entries of metadata, with data keys that were rotated five times. */
const MOST_KEY_CHOICES: readonly (readonly string[])[] = Array.from(
  { length: 1 + METADATA_ENTRIES_MAX },
  (_, entry) => Array.from({ length: 6 }, (_key, key) => `meta:${entry}.${key}`),
);

const RANGES = combinations<{ fromMs?: number; toMs?: number }>([
  { fromMs: 1_000 },
  { toMs: 9_000 },
]);
const EVENT_FILTERS = combinations<EventFilter>([
  { deliveryStatus: 'dead' },
  { endpointId: 'we_1' },
  { type: 'payment_failed' },
  ...RANGES,
]);

const REFUND_FILTERS = combinations<RefundFilter>([
  { status: 'processing' },
  { uniqueId: 'order-1' },
  ...RANGES,
]);

interface Named {
  readonly name: string;
  readonly statement: SqlStatement;
}

function atEveryCursor(name: string, build: (cursor: Cursor | null) => SqlStatement): Named[] {
  return Object.entries(CURSORS).map(([place, cursor]) => ({
    name: `${name}, ${place}`,
    statement: build(cursor),
  }));
}

function named(name: string, ...statements: readonly SqlStatement[]): Named[] {
  return statements.map((statement, index) => ({ name: `${name} ${index}`, statement }));
}

const STATEMENTS: readonly Named[] = [
  ...REFUND_FILTERS.flatMap((filter) =>
    atEveryCursor(`refunds ${JSON.stringify(filter)}`, (cursor) =>
      pageStatement(refundsOf(TENANT, filter), cursor, 50),
    ),
  ),
  ...PAYMENT_FILTERS.flatMap((filter) =>
    atEveryCursor(`payments ${JSON.stringify(filter)}`, (cursor) =>
      pageStatement(paymentsOf(TENANT, filter), cursor, 50),
    ),
  ),
  ...EVENT_FILTERS.flatMap((filter) =>
    atEveryCursor(`events ${JSON.stringify(filter)}`, (cursor) =>
      pageStatement(eventsOf(TENANT, filter), cursor, 50),
    ),
  ),
  ...SUMMARY_FILTERS.flatMap((filter) =>
    KEY_CHOICES.flatMap((keys) =>
      summaryLists(TENANT, filter, keys).flatMap((list) =>
        atEveryCursor(`summaries ${JSON.stringify(filter)} ${JSON.stringify(keys)}`, (cursor) =>
          pageStatement(list, cursor, 50),
        ),
      ),
    ),
  ),
  // D1 takes 100 parameters in a statement.
  ...[{}, { endedFromMs: 1_000, endedToMs: 9_000 }].flatMap((range) =>
    summaryLists(
      TENANT,
      { status: 'succeeded', method: 'CBE', createdFromMs: 1, createdToMs: 9, ...range },
      MOST_KEY_CHOICES,
    ).flatMap((list) =>
      atEveryCursor(`summaries by most keys ${JSON.stringify(range)}`, (cursor) =>
        pageStatement(list, cursor, 50),
      ),
    ),
  ),
  ...RANGES.flatMap((range) =>
    atEveryCursor(`missed events ${JSON.stringify(range)}`, (cursor) =>
      pageStatement(missedEventsOf(TENANT, range), cursor, 50),
    ),
  ),
  ...named('deliveries of events', deliveriesStatement(TENANT, [`evt_${'0'.repeat(32)}`])),
  ...EVENT_FILTERS.filter(({ endpointId }) => endpointId === undefined).flatMap((filter) =>
    atEveryCursor(`distinct events ${JSON.stringify(filter)}`, (cursor) =>
      pageStatement(distinctEventsOf(TENANT, filter), cursor, 50),
    ),
  ),
  ...RANGES.flatMap((range) =>
    atEveryCursor(`failed events ${JSON.stringify(range)}`, (cursor) =>
      pageStatement(failedEventsOf(TENANT, range), cursor, 50),
    ),
  ),
  ...RANGES.flatMap((range) => named('count failed', countFailedEventsStatement(TENANT, range))),
  ...[{ method: undefined }, { method: 'CBE' } as const].flatMap((method) => [
    ...named(
      `totals ${method.method}`,
      ...totalsStatements(TENANT, { fromDay: 1, toDay: 9, ...method }),
    ),
  ]),
  ...named('totals of attempts', attemptTotalsStatement(TENANT, { fromDay: 1, toDay: 9 })),
  ...named('totals by week', ...totalsByPeriodStatements(TENANT, { fromDay: 1, toDay: 365 }, 7)),
  ...named(
    'search',
    ...searchStatements(
      TENANT,
      'order-1',
      [['id:order-1'], ['name:abc', 'name:def', 'name:ghi']],
      ['receipt:ORDER1'],
    ),
  ),
  ...named('search by uuid', ...searchStatements(TENANT, UUID, [[`id:${UUID}`]])),
  ...named('search by number', ...searchStatements(TENANT, '4242', [['id:4242']])),
  ...named('search by transactionId', ...searchStatements(TENANT, 'F'.repeat(20), [])),
  ...named('search by event', ...searchStatements(TENANT, `evt_${'0'.repeat(32)}`, [])),
  ...[UUID, '4242'].flatMap((id) => {
    const statement = findUniqueIdStatement(TENANT, id);
    return statement === null ? [] : named(`unique id by ${id}`, statement);
  }),
  ...named(
    'events of the sandbox',
    sandboxEventsAfterStatement(TENANT.merchantId, 4_242, 20),
    newestSandboxEventStatement(TENANT.merchantId),
    findSandboxEventStatement(TENANT.merchantId, `evt_${'0'.repeat(32)}`),
  ),
];

async function planOf(statement: SqlStatement): Promise<string[]> {
  const [plan = []] = await plansOf([statement]);
  return plan;
}

/** The plan of each statement. */
async function plansOf(statements: readonly SqlStatement[]): Promise<string[][]> {
  const explained = statements.map(({ sql, params }) => ({
    sql: `EXPLAIN QUERY PLAN ${sql}`,
    params,
  }));
  const results = await batch<{ detail: string }>(env.DB, explained);
  return results.map((result) => result.results.map(({ detail }) => detail));
}

/**
 * Grouping sums, merging parts that are in order, and scanning the result of an inner query. The steps
 * of a part or a subquery follow its title and are checked like all others. `json_each` reads the
 * ids of one page, or the keys of one payment.
 */
const HARMLESS =
  /^(?:SEARCH .*|MERGE \(UNION ALL\)|LEFT|RIGHT|USE TEMP B-TREE FOR GROUP BY|(?:CO-ROUTINE|SCAN) \(subquery-\d+\)|(?:CORRELATED )?SCALAR SUBQUERY \d+|SCAN json_each (?:EXISTS )?VIRTUAL TABLE INDEX .*)$/;

/** Steps of a plan that read more rows than requested, or sort rows that an index should order. */
function faults(plan: readonly string[]): string[] {
  return plan.filter((step) => !HARMLESS.test(step));
}

/** Tells SQLite that each table is tiny and no index useful, so that it would rather scan. */
async function mislead(): Promise<void> {
  await payHosted({ paymentIntentUniqueId: 'paid' });
  await createHosted({ paymentIntentUniqueId: 'open' });
  await consumeAll(caught);
  await env.DB.exec('ANALYZE');
  await env.DB.exec("UPDATE sqlite_stat1 SET stat = '2 2 2 2 2 2 2 2 2' WHERE idx IS NOT NULL");
  await env.DB.exec('ANALYZE sqlite_schema');
}

describe('every query of the read model uses an index, in order', () => {
  test.each([
    ['without statistics', async () => undefined],
    ['with statistics that favor scanning', mislead],
  ])('%s', async (_name, prepareDatabase) => {
    await prepareDatabase();
    const plans = await plansOf(STATEMENTS.map(({ statement }) => statement));
    const found = plans.flatMap((plan, index) => {
      const name = STATEMENTS[index]?.name;
      expect(plan.length, name).toBeGreaterThan(0);
      return faults(plan).map((fault) => `${name}: ${fault}`);
    });
    expect(found).toEqual([]);
  });
});

/** For the operator: one look-up for each merchant and environment, and few rows to sort. */
const PER_MERCHANT =
  /^(?:SEARCH .*|SCAN (?:merchants|json_each VIRTUAL TABLE INDEX .*)(?: USING COVERING INDEX .*)?|SCAN place|MATERIALIZE place|CO-ROUTINE place|(?:CO-ROUTINE|SCAN) \(subquery-\d+\)|CORRELATED SCALAR SUBQUERY \d+|USE TEMP B-TREE FOR (?:ORDER|GROUP) BY)$/;

describe('a query over all merchants scans only the merchants', () => {
  test.each([
    ...named(
      'shared receipts',
      othersStatement([{ environment: 'production', key: 'receipt:R1', uuid: UUID }]),
    ),
  ])('$name', async ({ statement }) => {
    await mislead();
    const plan = await planOf(statement);
    expect(plan.filter((step) => !PER_MERCHANT.test(step))).toEqual([]);
  });
});

test('an id that is neither a UUIDv7 nor a number costs no query', () => {
  for (const id of ['order-1', UUID.replace('-7d', '-4d'), UUID.toUpperCase(), '042', '1e3']) {
    expect(findUniqueIdStatement(TENANT, id)).toBeNull();
  }
});

test('only sums are grouped', async () => {
  const plans = await plansOf(STATEMENTS.map(({ statement }) => statement));
  const grouped = STATEMENTS.filter((_, index) =>
    plans[index]?.some((step) => step.includes('GROUP BY')),
  );
  expect([...new Set(grouped.map(({ name }) => name))]).toEqual([
    'totals undefined 0',
    'totals undefined 1',
    'totals CBE 0',
    'totals CBE 1',
    'totals of attempts 0',
    'totals by week 0',
    'totals by week 1',
  ]);
});

test('finds the start of a page by the index, without stepping over rows', async () => {
  for (const filter of PAYMENT_FILTERS) {
    const older = CURSORS['older page'] ?? null;
    const plan = await planOf(pageStatement(paymentsOf(TENANT, filter), older, 50));
    const lookUp = /^SEARCH payment USING PRIMARY KEY .*created_at_ms=\? AND uuid=\?\)$/;
    const searches = plan.filter((step) => step.startsWith('SEARCH') && !lookUp.test(step));
    expect(searches).not.toHaveLength(0);
    for (const search of searches) {
      expect(search).toContain('(created_at_ms,uuid)<(?,?)');
      expect(search.includes('created_at_ms>?')).toBe(filter.createdFromMs !== undefined);
    }
    const { status, method, refunds } = filter;
    const indexes = searches.map((search) => /INDEX (\w+)/.exec(search)?.[1]);
    // The index of the few payments with refunds applies status and method to its entries.
    if (refunds !== undefined) {
      expect(indexes).toEqual(['payment_with_refunds']);
    } else if (status === undefined && method === undefined) {
      expect(searches).toHaveLength(1);
      expect(searches[0]).toContain('USING PRIMARY KEY (merchant_id=? AND environment=?');
    } else {
      // Entries that are skipped cost no look-up of their payment.
      const covering = /^SEARCH entry USING COVERING INDEX payment_ended .*status=\? AND method=\?/;
      const ended = searches.filter((search) => covering.test(search));
      const methods = method === undefined ? METHODS.length + 1 : 1;
      expect(ended).toHaveLength(status === undefined ? ENDED_STATUSES.length : methods);
      expect(searches).toHaveLength(ended.length + (status === undefined ? 1 : 0));
    }
  }
});

test('sorts only the rows of rare amounts, after it found their places', async () => {
  const places = [{ createdAtMs: 5_000, uuid: UUID }];
  for (const filter of PAYMENT_FILTERS.filter(({ amountMinorMin }) => amountMinorMin)) {
    for (const cursor of Object.values(CURSORS)) {
      const plan = await planOf(pageStatement(paymentsAt(places, TENANT, filter), cursor, 50));
      expect(plan).toEqual([
        expect.stringContaining('SCAN place VIRTUAL TABLE'),
        'SEARCH payment USING PRIMARY KEY (merchant_id=? AND environment=? AND created_at_ms=? AND uuid=?)',
        'USE TEMP B-TREE FOR ORDER BY',
      ]);
    }
  }
});

test('looks up the events of one payment at the times in its row, and sorts only these', async () => {
  for (const filter of EVENT_FILTERS) {
    for (const cursor of Object.values(CURSORS)) {
      const list = eventsOf(TENANT, { ...filter, uniqueId: 'order-1' });
      expect(await planOf(pageStatement(list, cursor, 50))).toEqual([
        'SEARCH payment USING INDEX payment_unique_id (merchant_id=? AND environment=? AND unique_id=?)',
        expect.stringContaining('SCAN event VIRTUAL TABLE'),
        expect.stringMatching(/^SEARCH webhook_event USING PRIMARY KEY .*created_at_ms=\?/),
        'USE TEMP B-TREE FOR ORDER BY',
      ]);
    }
  }
});

test('looks for rare amounts inside the index, without the rows', async () => {
  for (const filter of PAYMENT_FILTERS) {
    expect(await planOf(placesOfAmountStatement(TENANT, filter))).toEqual([
      'SEARCH payment USING COVERING INDEX payment_number (merchant_id=? AND environment=?)',
    ]);
  }
});

test('the check itself detects a scan and a sort', async () => {
  const scan = { sql: 'SELECT * FROM payment ORDER BY amount_minor', params: [] };
  expect(faults(await planOf(scan))).toEqual(['SCAN payment', 'USE TEMP B-TREE FOR ORDER BY']);
});
