import type { EndedFilter, KeyChoices, PaymentFilter } from '../rows.ts';
import { IDS_PER_MS, LONG_LIVED_MS } from '../schema.ts';
import {
  type Found,
  mergeFound,
  type PageStart,
  type Place,
  type Placed,
  SCANNED_ROWS_MAX,
  scan,
} from './page.ts';
import {
  type BookedPayment,
  byAmount,
  byKeys,
  byState,
  hasKeysOf,
  idRange,
  type PaymentSource,
  paymentsById,
  readFrom,
  withRefunds,
} from './payment-source.ts';

/** Lists of payments. */

/** Newest first, or oldest first. */
export function payments(
  sql: SqlStorage,
  filter: PaymentFilter,
  start: PageStart,
  limit: number,
  withDetails: boolean,
): Found<BookedPayment> {
  const { isAscending } = start;
  const { refunds, currency, amountMinorMin, amountMinorMax } = filter;
  const isAnyAmount = (amountMinorMin ?? amountMinorMax ?? currency) === undefined;
  const ofState = isAnyAmount ? byState : byAmount;
  const source =
    refunds === undefined
      ? ofState(sql, filter, isAscending, withDetails)
      : withRefunds(sql, isAscending, withDetails);
  const read = readFrom(source, idRange(filter, start), isAscending);
  return scan(read, (row) => matches(row, filter), limit);
}

function matches(row: BookedPayment, filter: PaymentFilter): boolean {
  return (
    (filter.status ?? row.status) === row.status &&
    (filter.method ?? row.method) === row.method &&
    (filter.currency ?? row.currency) === row.currency &&
    row.amountMinor >= (filter.amountMinorMin ?? 0) &&
    row.amountMinor <= (filter.amountMinorMax ?? Number.POSITIVE_INFINITY) &&
    (filter.refunds !== 'open' || row.openRefunds > 0)
  );
}

/**
 * The payments of the API's list: those with a key of every group. With a time of the end in the
 * filter, they are in the order of the end.
 */
export function summaries(
  sql: SqlStorage,
  filter: EndedFilter,
  keys: readonly KeyChoices[],
  start: PageStart,
  limit: number,
): Found<BookedPayment> {
  const { isAscending } = start;
  const isByEnd = filter.endedFromMs !== undefined || filter.endedToMs !== undefined;
  const source =
    keys.length === 0
      ? byState(sql, filter, isAscending, !isByEnd)
      : byKeys(sql, keys, isAscending, !isByEnd);
  const isWanted = (row: BookedPayment) => matches(row, filter) && hasKeysOf(keys, row);
  return isByEnd
    ? endedPayments(sql, filter, source, isWanted, start, limit)
    : scan(readFrom(source, idRange(filter, start), isAscending), isWanted, limit);
}

type Wanted = (row: BookedPayment) => boolean;

/** Merges payments that lived long, which an index has by their end, with the others. */
function endedPayments(
  sql: SqlStorage,
  filter: EndedFilter,
  source: PaymentSource,
  isWanted: Wanted,
  start: PageStart,
  limit: number,
): Found<BookedPayment> {
  const ends = endRange(filter, start);
  const parts = [
    longLived(sql, filter, isWanted, ends, start.isAscending, limit),
    shortLived(filter, source, isWanted, ends, start.isAscending, limit),
  ];
  const found = mergeFound(parts, start.isAscending, limit);
  const detailed = new Map(
    paymentsById(
      sql,
      found.rows.map(({ row }) => row.id),
      true,
    ).map((row) => [row.id, row]),
  );
  return {
    ...found,
    rows: found.rows.map((one) => ({ ...one, row: detailed.get(one.row.id) ?? one.row })),
  };
}

/** Behind `low` and before `high`. */
interface EndRange {
  readonly low: End;
  readonly high: End;
}

interface End {
  readonly atMs: number;
  readonly id: number;
}

function endRange({ endedFromMs = 0, endedToMs }: EndedFilter, start: PageStart): EndRange {
  // No payment has an id below 0.
  const low = { atMs: endedFromMs, id: -1 };
  const high = { atMs: endedToMs ?? Number.MAX_SAFE_INTEGER, id: -1 };
  const { after, isAscending, includesPlace } = start;
  if (after === null) {
    return { low, high };
  }
  const named = Number(after.id);
  const id = Number.isNaN(named) ? 0 : named + (includesPlace ? (isAscending ? -1 : 1) : 0);
  const place = { atMs: after.atMs, id };
  return isAscending
    ? { low: compareEnds(place, low) > 0 ? place : low, high }
    : { low, high: compareEnds(place, high) < 0 ? place : high };
}

function compareEnds(one: End, other: End): number {
  return one.atMs - other.atMs || one.id - other.id;
}

function placedByEnd(row: BookedPayment): Placed<BookedPayment> {
  return { row, place: { atMs: row.endedAtMs ?? 0, id: row.id, volume: 0 } };
}

function longLived(
  sql: SqlStorage,
  filter: EndedFilter,
  isWanted: Wanted,
  { low, high }: EndRange,
  isAscending: boolean,
  limit: number,
): Found<BookedPayment> {
  const order = isAscending ? 'ASC' : 'DESC';
  const read = (after: Place | null, rows: number): Found<BookedPayment> => {
    const [first, last] = isAscending ? [after ?? low, high] : [low, after ?? high];
    const ids = sql
      .exec<{ id: number }>(
        `SELECT id FROM payment INDEXED BY payment_long_lived
          WHERE ended_at_ms - id / ${IDS_PER_MS} >= ${LONG_LIVED_MS}
            AND (ended_at_ms, id) > (?, ?) AND (ended_at_ms, id) < (?, ?)
          ORDER BY ended_at_ms ${order}, id ${order} LIMIT ?`,
        first.atMs,
        first.id,
        last.atMs,
        last.id,
        rows,
      )
      .toArray();
    const found = paymentsById(
      sql,
      ids.map(({ id }) => id),
    );
    return { rows: found.map(placedByEnd), coveredTo: null };
  };
  const isCreated = isCreatedIn(filter);
  return scan(read, (row) => isCreated(row) && isWanted(row), limit);
}

function isCreatedIn({ createdFromMs = 0, createdToMs }: EndedFilter): Wanted {
  return ({ createdAtMs }) =>
    createdAtMs >= createdFromMs && createdAtMs < (createdToMs ?? Number.POSITIVE_INFINITY);
}

/** Some more than most pages have, because payments overtake each other. */
const SHORT_LIVED_CHUNK_ROWS = 32;

/**
 * Payments that lived less than LONG_LIVED_MS, in the order of the end: read in the order of their
 * creation until what is not read yet must have ended outside the page.
 */
function shortLived(
  filter: EndedFilter,
  source: PaymentSource,
  isWanted: Wanted,
  { low, high }: EndRange,
  isAscending: boolean,
  limit: number,
): Found<BookedPayment> {
  const created = idRange(filter, { isAscending, after: null, includesPlace: false });
  const range = {
    from: Math.max(created.from, (low.atMs - LONG_LIVED_MS) * IDS_PER_MS),
    to: Math.min(created.to, (high.atMs + 1) * IDS_PER_MS),
  };
  const read = readFrom(source, range, isAscending);
  const found: Placed<BookedPayment>[] = [];
  let after: Place | null = null;
  for (let scanned = 0; ; ) {
    const chunk: Found<BookedPayment> = read(after, SHORT_LIVED_CHUNK_ROWS);
    scanned += chunk.rows.length;
    const ended = chunk.rows.filter(({ row }) => {
      const end = { atMs: row.endedAtMs ?? Number.NaN, id: row.id };
      const isShortLived = end.atMs - row.createdAtMs < LONG_LIVED_MS;
      return (
        isShortLived && compareEnds(end, low) > 0 && compareEnds(end, high) < 0 && isWanted(row)
      );
    });
    found.push(...ended.map(({ row }) => placedByEnd(row)));
    after = chunk.rows.at(-1)?.place ?? after;
    const isOver = chunk.rows.length < SHORT_LIVED_CHUNK_ROWS || after === null;
    const readToMs = after?.atMs ?? 0;
    const coveredTo = isAscending
      ? { atMs: readToMs - 1, id: Number.MAX_SAFE_INTEGER, volume: 0 }
      : { atMs: readToMs + LONG_LIVED_MS, id: 0, volume: 0 };
    const isProgress = isAscending ? coveredTo.atMs > low.atMs : coveredTo.atMs < high.atMs;
    const isLast = isOver || (scanned >= SCANNED_ROWS_MAX && isProgress);
    const page = mergeFound(
      [{ rows: found, coveredTo: isOver ? null : coveredTo }],
      isAscending,
      limit,
    );
    if (isLast || page.rows.length === limit) {
      return page;
    }
  }
}

/** The next payments after a place, oldest first, for a rebuild. */
export function paymentsAfter(sql: SqlStorage, place: number, limit: number) {
  return sql
    .exec<{ id: number; uniqueId: string }>(
      'SELECT id, unique_id AS uniqueId FROM payment WHERE id > ? ORDER BY id LIMIT ?',
      place,
      limit,
    )
    .toArray();
}
