import { runDurableObjectAlarm } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { type Cursor, parseCursor } from '../../../src/kit/platform/paging.ts';
import { bookOf } from '../../../src/lists/book/client.ts';
import { readerOf } from '../../../src/lists/book/reader.ts';
import type { SummaryFilter } from '../../../src/lists/book/search-digests.ts';
import { bookSql, bookStub } from '../support/book.ts';
import { ALPHA, advance, DAY_MS, MINUTE_MS, tenantOf, useGateway } from '../support.ts';
import { applyAll, projectionMessage } from './fixture.ts';

/**
 * Goal: a list by the end, or by the time of payment, has each payment of its range once, in order,
 * forwards and backwards, also if the payment lived long or was paid late. Method: payments in two volumes, many of them with the
 * same millisecond or second of their end, and the order that the test expects.
 */

useGateway();
const tenant = tenantOf(ALPHA);

const PAYMENTS = 120;
const STATUSES = ['succeeded', 'failed', 'expired', 'open'] as const;
const METHODS = ['TELE_BIRR', 'CBE', null] as const;
const LIVED_MS = [60_000, DAY_MS, 15 * MINUTE_MS, 3_000] as const;

/** Ends fall into 13 milliseconds of three seconds. */
function payment(startMs: number, number: number) {
  const endedAtMs = startMs + (number % 13) * 190;
  const status = STATUSES[number % 4] ?? 'open';
  const createdAtMs = endedAtMs - (LIVED_MS[number % 5] ?? 0) - Math.floor(number / 60);
  return projectionMessage(
    tenant,
    number,
    {
      status,
      uniqueId: `order-${number}`,
      method: METHODS[number % 3] ?? null,
      createdAtMs,
      updatedAtMs: endedAtMs,
      endedAtMs: status === 'open' ? null : endedAtMs,
    },
    {
      bookVolume: number % 2,
      // Every second one is paid after its end, in the same seconds as others end.
      paidAtMs: status === 'succeeded' ? endedAtMs + (number % 8 === 4 ? 1_330 : 0) : null,
      searchKeys: [`phone:${number % 7}`],
      sealedDetails: 'k1.sealed',
    },
  );
}

type Message = ReturnType<typeof payment>;

const ended = ({ row }: Message) => row.endedAtMs;
const paid = ({ paidAtMs }: Message) => paidAtMs;

function expectedOf(
  messages: readonly Message[],
  isWanted: (message: Message) => boolean,
  atMsOf: typeof ended,
) {
  const wanted = messages.filter((message) => atMsOf(message) !== null && isWanted(message));
  const inOrder = wanted.toSorted(
    (one, other) =>
      (atMsOf(other) ?? 0) - (atMsOf(one) ?? 0) ||
      other.row.createdAtMs - one.row.createdAtMs ||
      (other.row.number % 1_024) - (one.row.number % 1_024) ||
      other.bookVolume - one.bookVolume,
  );
  return inOrder.map(({ row }) => row.uniqueId);
}

/** To the last page and back. Both ways must agree. */
async function walk(filter: SummaryFilter, limit: number): Promise<string[]> {
  const reader = await readerOf(env, { ...tenant, bookVolume: 1 });
  const page = async (cursor: Cursor | null) => {
    const found = await reader.summaries(filter, cursor, limit);
    return { ...found, ids: found.rows.map(({ uniqueId }) => uniqueId) };
  };
  const pages = [await page(null)];
  for (let next = pages[0]?.nextCursor ?? null; next !== null; ) {
    const following = await page(parseCursor(next));
    pages.push(following);
    next = following.nextCursor;
  }
  for (let index = pages.length - 1; index > 0; index -= 1) {
    const back = await page(parseCursor(pages[index]?.previousCursor ?? ''));
    expect(back.ids).toEqual(pages[index - 1]?.ids);
  }
  return pages.flatMap(({ ids }) => ids);
}

test('each payment is listed once, in the order of its end or payment, forwards and backwards', async () => {
  const startMs = Math.floor(Date.now() / 1_000) * 1_000;
  const messages = Array.from({ length: PAYMENTS }, (_, number) => payment(startMs, number));
  await applyAll(messages.toReversed());
  const endedFromMs = 0;
  const paidFromMs = 0;
  const isIn = (atMs: number | null) =>
    Number(atMs) >= startMs + 570 && Number(atMs) < startMs + 1_520;
  const cases: readonly (readonly [SummaryFilter, (message: Message) => boolean, typeof ended?])[] =
    [
      [{ paidFromMs }, () => true, paid],
      [{ paidFromMs, status: 'failed' }, () => false, paid],
      [{ paidFromMs, method: 'CBE' }, ({ row }) => row.method === 'CBE', paid],
      [
        { paidFromMs: startMs + 570, paidToMs: startMs + 1_520 },
        ({ paidAtMs }) => isIn(paidAtMs),
        paid,
      ],
      [
        { paidFromMs, endedFromMs: startMs + 570, endedToMs: startMs + 1_520 },
        ({ row }) => isIn(row.endedAtMs),
        paid,
      ],
      [
        { paidFromMs, createdToMs: startMs - MINUTE_MS },
        ({ row }) => row.createdAtMs < startMs - MINUTE_MS,
        paid,
      ],
      [{ endedFromMs }, () => true],
      [{ endedFromMs, status: 'failed' }, ({ row }) => row.status === 'failed'],
      [{ endedFromMs, method: 'CBE' }, ({ row }) => row.method === 'CBE'],
      [
        { endedFromMs, status: 'failed', method: 'CBE' },
        ({ row }) => row.status === 'failed' && row.method === 'CBE',
      ],
      [{ endedFromMs, status: 'open' }, () => false],
      [
        { endedFromMs: startMs + 570, endedToMs: startMs + 1_520 },
        ({ row }) => isIn(row.endedAtMs),
      ],
      [
        { endedFromMs, createdFromMs: startMs - DAY_MS, createdToMs: startMs - MINUTE_MS },
        ({ row }) => row.createdAtMs >= startMs - DAY_MS && row.createdAtMs < startMs - MINUTE_MS,
      ],
    ];
  for (const [filter, isWanted, atMsOf = ended] of cases) {
    const expected = expectedOf(messages, isWanted, atMsOf);
    for (const limit of [1, 4, 100]) {
      expect(await walk(filter, limit), JSON.stringify(filter)).toEqual(expected);
    }
  }
});

test('payments stay in the list by their end when their personal data is gone', async () => {
  const startMs = Math.floor(Date.now() / 1_000) * 1_000;
  const messages = Array.from({ length: 12 }, (_, number) => payment(startMs, number));
  await applyAll(messages);
  const expected = await walk({ endedFromMs: 0 }, 4);
  const expectedPaid = await walk({ paidFromMs: 0 }, 4);
  expect([expected.length, expectedPaid.length]).toEqual([9, 3]);
  advance(402 * DAY_MS);
  for (const volume of [0, 1]) {
    await runDurableObjectAlarm(bookStub(tenant, volume));
    const sql =
      'SELECT 1 FROM payment WHERE sealed_details IS NOT NULL AND ended_at_ms IS NOT NULL';
    expect(await bookSql(sql, tenant, volume)).toEqual([]);
  }
  expect(await walk({ endedFromMs: 0 }, 4)).toEqual(expected);
  expect(await walk({ paidFromMs: 0 }, 4)).toEqual(expectedPaid);
});

test('a payment whose end moves is listed once, at its new place', async () => {
  const startMs = Math.floor(Date.now() / 1_000) * 1_000;
  const ended = (endedAtMs: number) =>
    ({ createdAtMs: startMs, endedAtMs, status: 'failed' }) as const;
  await applyAll([
    projectionMessage(tenant, 1, ended(startMs + 1_000)),
    projectionMessage(tenant, 2, ended(startMs + 2_000)),
    projectionMessage(tenant, 1, ended(startMs + 3_000), { intentVersion: 2 }),
  ]);
  expect(await walk({ endedFromMs: 0 }, 10)).toEqual(['order-1', 'order-2']);
});

test('a list among more payments than a page may read: short pages with cursors, or sorted', async () => {
  const startMs = Math.floor(Date.now() / 1_000) * 1_000 - DAY_MS;
  /** In one second: more than a page may read, which stops at the end of that second. */
  const [firstOfBurst, afterBurst, burstMs] = [500, 21_000, startMs + 60_000];
  const endedAtMs = (number: number) => {
    if (number < firstOfBurst) {
      return burstMs - (firstOfBurst - number);
    }
    return number < afterBurst
      ? burstMs + (number % 1_000)
      : burstMs + 1_000 + 100 * (number - afterBurst);
  };
  // In the burst's first and last millisecond and between, and next to it.
  const rare = [3, 499, 3_000, 4_500, 5_999, 21_000, 21_400];
  await applyAll(
    Array.from({ length: 21_500 }, (_, number) =>
      projectionMessage(
        tenant,
        number,
        {
          status: rare.includes(number) ? 'failed' : 'succeeded',
          createdAtMs: startMs + number,
          endedAtMs: endedAtMs(number),
        },
        { searchKeys: ['meta:all', ...(number < 19_000 ? ['meta:most'] : [])] },
      ),
    ),
  );
  const reader = await readerOf(env, tenant);
  const filter = { endedFromMs: 0, status: 'failed' } as const;
  const page = async (cursor: Cursor | null) => {
    const { rows, ...cursors } = await reader.summaries(filter, cursor, 20);
    return { ...cursors, numbers: rows.map(({ number }) => number) };
  };
  const first = await page(null);
  expect(first.numbers).toEqual([21_400, 21_000, 5_999, 4_500, 3_000]);
  const rest = await page(parseCursor(first.nextCursor ?? ''));
  expect(rest).toMatchObject({ numbers: [499, 3], nextCursor: null });
  const oldest = await page({ direction: 'newer', atMs: 0, id: '0' });
  expect(oldest.numbers).toEqual([5_999, 4_500, 3_000, 499, 3]);
  const newer = await page(parseCursor(oldest.previousCursor ?? ''));
  expect(newer.numbers).toEqual([21_400, 21_000]);
  const withKey = async (key: string, of: SummaryFilter = { endedFromMs: 0 }) => {
    const start = { isAscending: false, after: null, includesPlace: false };
    const found = await bookOf(env, tenant, 0).ask('summaries', of, [[key]], start, 3);
    return found?.rows.map(({ row }) => row.number);
  };
  expect(await withKey('meta:all')).toEqual([21_499, 21_498, 21_497]);
  expect(await withKey('meta:most')).toEqual([18_999, 17_999, 16_999]);
  // Those that failed were not paid.
  expect(await withKey('meta:all', { paidFromMs: 0 })).toEqual([21_499, 21_498, 21_497]);
  expect(await withKey('meta:most', { paidToMs: burstMs - 496 })).toEqual([2, 1, 0]);
  // The index folds case, keys do not.
  expect(await withKey('META:most')).toEqual([]);
  expect(await withKey('META:all')).toEqual([]);
});
