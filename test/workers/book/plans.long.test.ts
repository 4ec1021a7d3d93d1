import { reset, runInDurableObject } from 'cloudflare:test';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { METHODS } from '../../../src/engine/domain/method.ts';
import { idSearchKey } from '../../../src/engine/domain/search-key.ts';
import {
  type Found,
  type PageStart,
  SCANNED_ROWS_MAX,
} from '../../../src/lists/book/queries/page.ts';
import type { BookedPayment } from '../../../src/lists/book/queries/payment-source.ts';
import {
  answer,
  type QuestionArguments,
  type QuestionName,
} from '../../../src/lists/book/questions.ts';
import { bookStub } from '../support/book.ts';
import { prepareDatabases } from '../support/merchants.ts';
import { ALPHA, BETA, DAY_MS, tenantOf } from '../support.ts';
import { applyAll, projectedEvent, projectedRefund, projectionMessage } from './fixture.ts';

/**
 * Goal: each page reads few rows, also in a book of many payments. Method: ten thousand payments in
 * one book, and the rows that SQLite counts for each question. A scan would read thousands.
 */

const TENANT = tenantOf(ALPHA);
const PAYMENTS = 10_000;
/** A payment a minute, for a week. */
const EVERY_MS = 60_000;
const START_MS = 44_000 * DAY_MS;
const STATUSES = ['succeeded', 'failed', 'expired', 'canceled'] as const;
const PAGE = 21;

function message(number: number) {
  const createdAtMs = START_MS + number * EVERY_MS;
  const endedAtMs = createdAtMs + (number % 50 === 0 ? DAY_MS : 60_000);
  const status = number % 2_000 === 0 ? 'open' : (STATUSES[number % 4] ?? 'failed');
  const isOpen = status === 'open';
  const hasRefund = number % 100 === 1;
  const reference = `R-${number}`;
  return projectionMessage(
    TENANT,
    number,
    {
      status,
      createdAtMs,
      endedAtMs: isOpen ? null : endedAtMs,
      method: METHODS[number % 6] ?? null,
      amountMinor: number % 7 === 0 ? 777 : 100,
      openRefunds: hasRefund ? 1 : 0,
    },
    {
      searchKeys: ['meta:all', `phone:${number % 1_000}`, idSearchKey(`RAIL-${number}`)],
      events: [
        projectedEvent(TENANT, number, {
          createdAtMs,
          deliveryStatus: number % 200 === 3 ? 'dead' : 'delivered',
          endpointId: number % 20 === 0 ? 'we_a' : null,
        }),
      ],
      refunds: hasRefund
        ? [projectedRefund({ id: reference, reference, createdAtMs, status: 'processing' })]
        : [],
    },
  );
}

beforeAll(async () => {
  // In 2090: the book's alarm, which would purge old payments, comes due in no test.
  vi.useFakeTimers({ toFake: ['Date'], now: START_MS + 8 * DAY_MS });
  await prepareDatabases();
  await applyAll(Array.from({ length: PAYMENTS }, (_, number) => message(number)));
}, 60_000);

// The next file in this runtime has the same merchant.
afterAll(async () => {
  vi.useRealTimers();
  await reset();
});

const FIRST = { isAscending: false, after: null, includesPlace: false };
const OLDEST = { ...FIRST, isAscending: true };
const middleMs = START_MS + (PAYMENTS / 2) * EVERY_MS;
const MIDDLE = {
  isAscending: false,
  after: { atMs: middleMs, id: String(middleMs * 1_024 + (5_000 % 1_024)) },
  includesPlace: false,
};
const MIDDLE_OF_TEXTS = { ...MIDDLE, after: { atMs: middleMs, id: 'x' } };

type Question = {
  [Name in QuestionName]: readonly [name: Name, ...args: QuestionArguments<Name>];
}[QuestionName];

/** The rows that a question reads, and the rows of its answer. */
function asked([name, ...args]: Question, tenant = TENANT) {
  return runInDurableObject(bookStub(tenant), (_book, { storage }) => {
    const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
    const sql = {
      exec: (statement: string, ...params: SqlStorageValue[]) => {
        const cursor = storage.sql.exec(statement, ...params);
        cursors.push(cursor);
        return cursor;
      },
    };
    const result: unknown = answer(sql as never, name, args as never);
    const rows = (result as { rows?: unknown[] } | null)?.rows ?? [result].flat();
    const read = cursors.reduce((sum, cursor) => sum + cursor.rowsRead, 0);
    return { read, found: rows.length, answered: result };
  });
}

const QUESTIONS: readonly (readonly [string, number, Question])[] = [
  ['payments', 60, ['payments', {}, FIRST, PAGE, false]],
  ['payments in the middle', 60, ['payments', {}, MIDDLE, PAGE, false]],
  ['payments of a time', 60, ['payments', { createdToMs: middleMs }, FIRST, PAGE, false]],
  ['payments of a status', 70, ['payments', { status: 'failed' }, MIDDLE, PAGE, false]],
  ['payments of a method', 70, ['payments', { method: 'CBE' }, MIDDLE, PAGE, false]],
  [
    'payments of a status and a method',
    70,
    ['payments', { status: 'succeeded', method: 'CBE' }, MIDDLE, PAGE, false],
  ],
  ['open payments', 70, ['payments', { status: 'open' }, FIRST, PAGE, false]],
  ['payments with refunds', 60, ['payments', { refunds: 'any' }, MIDDLE, PAGE, false]],
  ['payments by the end', 60, ['summaries', { endedToMs: middleMs }, [], FIRST, PAGE]],
  ['payments by the end in the middle', 60, ['summaries', { endedFromMs: 0 }, [], MIDDLE, PAGE]],
  ['payments by the time of payment', 250, ['summaries', { paidToMs: middleMs }, [], FIRST, PAGE]],
  ['the first to end', 60, ['summaries', { endedFromMs: 0 }, [], OLDEST, PAGE]],
  [
    'payments of a status by the end',
    250,
    ['summaries', { status: 'failed', endedToMs: middleMs }, [], FIRST, PAGE],
  ],
  [
    'payments of a phone by the end',
    60,
    ['summaries', { endedFromMs: 0 }, [['phone:77']], FIRST, PAGE],
  ],
  ['sums of a till', 40, ['soldAt', 'phone:80', { fromMs: START_MS, toMs: START_MS + DAY_MS }]],
  ['sums of a link', 40, ['paidAtLink', ['phone:77'], Number.MAX_SAFE_INTEGER, 10]],
  ['payments of a phone', 60, ['summaries', {}, [['phone:77']], FIRST, PAGE]],
  ['payments of a frequent word', 70, ['summaries', {}, [['meta:all']], MIDDLE, PAGE]],
  ['an id', 80, ['search', { text: 'order-7777', groups: [], partGroups: [] }]],
  ['the end of an id', 100, ['search', { text: 'RAIL-777', groups: [], partGroups: [] }]],
  [
    'the end of a phone that many payments have',
    400,
    ['search', { text: '…4567', groups: [], partGroups: [['meta:all']] }],
  ],
  ['a uuid', 10, ['uniqueIdOf', message(77).row.uuid]],
  ['a number', 60, ['uniqueIdOf', '7777']],
  ['refunds', 60, ['refunds', {}, MIDDLE_OF_TEXTS, PAGE]],
  ['refunds of a status', 60, ['refunds', { status: 'processing' }, MIDDLE_OF_TEXTS, PAGE]],
  ['refunds of a payment', 60, ['refunds', { uniqueId: 'order-101' }, FIRST, PAGE]],
  ['deliveries', 60, ['events', {}, false, MIDDLE_OF_TEXTS, PAGE]],
  [
    'deliveries of a status',
    60,
    ['events', { deliveryStatus: 'dead' }, false, MIDDLE_OF_TEXTS, PAGE],
  ],
  [
    'deliveries of an endpoint',
    60,
    ['events', { endpointId: 'we_a' }, false, MIDDLE_OF_TEXTS, PAGE],
  ],
  ['deliveries of a payment', 60, ['events', { uniqueId: 'order-7777' }, false, FIRST, PAGE]],
  ['events', 90, ['events', {}, true, MIDDLE_OF_TEXTS, PAGE]],
  ['failed deliveries', 130, ['undelivered', 'failed', {}, FIRST, PAGE]],
  ['the stream', 60, ['streamedAfter', 5_000, 20]],
];

test.each(QUESTIONS)('%s: at most %d rows', async (_name, rowsMax, question) => {
  const { read, found } = await asked(question);
  expect(found).toBeGreaterThan(0);
  expect(read).toBeLessThanOrEqual(rowsMax);
});

test('an amount is looked for in index entries, up to a bound', async () => {
  const frequent = await asked(['payments', { amountMinorMin: 700 }, FIRST, PAGE, false]);
  expect(frequent.found).toBe(PAGE);
  expect(frequent.read).toBeLessThan(1_000);
  const none = await asked(['payments', { amountMinorMin: 100_000 }, FIRST, PAGE, false]);
  expect(none.found).toBe(0);
  expect(none.read).toBeLessThan(PAYMENTS * 1.1);
});

test('an amount behind a burst is found page by page, and no page reads much more than its bound', async () => {
  const tenant = tenantOf(BETA);
  const burst = 3 * SCANNED_ROWS_MAX;
  const yearLaterMs = START_MS + 366 * DAY_MS;
  const at = (number: number, createdAtMs: number, amountMinor: number) =>
    projectionMessage(tenant, number, { createdAtMs, amountMinor, status: 'failed' });
  await applyAll([
    at(1, START_MS - 1, 777),
    at(2, START_MS, 100),
    at(3, START_MS + burst, 777),
    at(4, yearLaterMs, 777),
  ]);
  // One payment in each millisecond, as copies of the second.
  await runInDurableObject(bookStub(tenant), (_book, { storage: { sql } }) => {
    const second = 'SELECT * FROM payment WHERE number = 2';
    const others = sql
      .exec(second)
      .columnNames.filter((name) => name !== 'id')
      .join();
    sql.exec(
      `WITH RECURSIVE copies (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copies WHERE n < ?)
        INSERT INTO payment (id, ${others}) SELECT id + n * 1024, ${others} FROM copies, (${second})`,
      burst - 1,
    );
  });
  for (const isAscending of [false, true]) {
    const numbers: number[] = [];
    let after: PageStart['after'] = isAscending ? { atMs: START_MS - 2, id: '0' } : null;
    do {
      const start = { isAscending, after, includesPlace: false };
      const { read, answered } = await asked(
        ['payments', { amountMinorMin: 777 }, start, PAGE, false],
        tenant,
      );
      const { rows, coveredTo } = answered as Found<BookedPayment>;
      numbers.push(...rows.map(({ row }) => row.number));
      expect(read).toBeLessThan(1.2 * SCANNED_ROWS_MAX);
      after = coveredTo && { atMs: coveredTo.atMs, id: String(coveredTo.id) };
    } while (after !== null);
    expect(numbers).toEqual(isAscending ? [1, 3, 4] : [4, 3, 1]);
  }
});
