import type { EndedFilter, KeyChoices } from '../rows.ts';
import { IDS_PER_MS } from '../schema.ts';
import { endedTerm, endedTermMs, quotedTerm } from '../search-terms.ts';
import {
  comparePlaces,
  type Found,
  type PageStart,
  type Place,
  type Placed,
  SCANNED_ROWS_MAX,
} from './page.ts';
import { type BookedPayment, paymentsById } from './payment-source.ts';

/**
 * Payments in the order of their end. The full-text index has them by the second of their end, so a
 * page reads whole seconds and sorts them.
 */

/** Behind `low` and before `high`. */
interface EndRange {
  readonly low: Place;
  readonly high: Place;
}

interface Condition {
  readonly sql: string;
  readonly params: readonly (string | number)[];
}

export function endedPayments(
  sql: SqlStorage,
  filter: EndedFilter,
  keys: readonly KeyChoices[],
  start: PageStart,
  limit: number,
): Found<BookedPayment> {
  const range = endRange(filter, start);
  const wanted = conditionsOf(filter, keys);
  const keyed = keys.length === 0 ? null : idsWithKeys(sql, keys);
  if (keyed === null) {
    return scanEnds(sql, wanted, range, start.isAscending, limit);
  }
  const ids = sortedByEnd(sql, keyed, wanted, range, start.isAscending, limit);
  return { rows: paymentsById(sql, ids, true).map(placedByEnd), coveredTo: null };
}

/** Later than any end. */
const LAST_MS = Number.MAX_SAFE_INTEGER;

function endRange(
  { createdFromMs = 0, endedFromMs = 0, endedToMs = LAST_MS }: EndedFilter,
  { after, isAscending, includesPlace }: PageStart,
): EndRange {
  // No payment ends before its creation, and none has an id below 0.
  const low = placeOf(Math.max(createdFromMs, endedFromMs), -1);
  const high = placeOf(endedToMs - 1, Number.MAX_SAFE_INTEGER);
  if (after === null) {
    return { low, high };
  }
  const named = Number(after.id);
  const id = Number.isNaN(named) ? 0 : named + (includesPlace ? (isAscending ? -1 : 1) : 0);
  const place = placeOf(after.atMs, id);
  return isAscending
    ? { low: comparePlaces(place, low) > 0 ? place : low, high }
    : { low, high: comparePlaces(place, high) < 0 ? place : high };
}

/** Of one millisecond, the payment that was created last is the last. */
function placeOf(atMs: number, id: number): Place {
  return { atMs, id, volume: 0 };
}

function placedByEnd(row: BookedPayment): Placed<BookedPayment> {
  return { row, place: placeOf(row.endedAtMs ?? 0, row.id) };
}

/** What the filter wants of a payment's row, besides its end. */
function conditionsOf(filter: EndedFilter, keys: readonly KeyChoices[]): readonly Condition[] {
  const { status, method, createdFromMs, createdToMs } = filter;
  const when = (sql: string, param: string | number | undefined) =>
    param === undefined ? [] : [{ sql, params: [param] }];
  return [
    ...when('status = ?', status),
    ...when('method = ?', method),
    ...when(`payment.id >= ? * ${IDS_PER_MS}`, createdFromMs),
    ...when(`payment.id < ? * ${IDS_PER_MS}`, createdToMs),
    // The index folds case; the row has the keys as JSON.
    ...keys.map((choices) => ({
      sql: `(${choices.map(() => 'instr(search_keys, ?)').join(' OR ')})`,
      params: choices.map((key) => JSON.stringify(key)),
    })),
  ];
}

/** The payments with these keys; null: they are too many to sort for each page. */
function idsWithKeys(sql: SqlStorage, keys: readonly KeyChoices[]): readonly number[] | null {
  const found = sql.exec<{ id: number }>(
    `SELECT rowid AS id FROM payment_search WHERE payment_search MATCH ?
      LIMIT ${SCANNED_ROWS_MAX + 1}`,
    keys.map((choices) => `(${choices.map(quotedTerm).join(' OR ')})`).join(' AND '),
  );
  const ids = found.toArray().map(({ id }) => id);
  return ids.length > SCANNED_ROWS_MAX ? null : ids;
}

function sortedByEnd(
  sql: SqlStorage,
  ids: readonly number[],
  wanted: readonly Condition[],
  { low, high }: EndRange,
  isAscending: boolean,
  limit: number,
): readonly number[] {
  const order = isAscending ? 'ASC' : 'DESC';
  const found = sql.exec<{ id: number }>(
    `SELECT payment.id FROM json_each(?) AS keyed CROSS JOIN payment ON payment.id = keyed.value
      WHERE (ended_at_ms, payment.id) > (?, ?) AND (ended_at_ms, payment.id) < (?, ?)
        ${wanted.map((condition) => `AND ${condition.sql}`).join(' ')}
      ORDER BY ended_at_ms ${order}, payment.id ${order} LIMIT ?`,
    JSON.stringify(ids),
    ...[low.atMs, low.id, high.atMs, high.id],
    ...wanted.flatMap(({ params }) => params),
    limit,
  );
  return found.toArray().map(({ id }) => id);
}

/** Reads seconds until it has found enough, or has read about SCANNED_ROWS_MAX entries. */
function scanEnds(
  sql: SqlStorage,
  wanted: readonly Condition[],
  range: EndRange,
  isAscending: boolean,
  limit: number,
): Found<BookedPayment> {
  const { low, high } = range;
  const [first, last] = isAscending ? [low, high] : [high, low];
  const lastTerm = endedTerm(last.atMs, isAscending);
  let from = endedTerm(first.atMs, isAscending);
  const rows: Placed<BookedPayment>[] = [];
  for (let scanned = 0, entriesMin = limit; ; ) {
    const entries = readSeconds(sql, wanted, from, lastTerm, entriesMin);
    rows.push(...paymentsIn(sql, entries, range, isAscending));
    scanned += entries.length;
    const read = entries.at(-1);
    if (rows.length >= limit || read === undefined || entries.length < entriesMin) {
      return { rows: rows.slice(0, limit), coveredTo: null };
    }
    if (scanned >= SCANNED_ROWS_MAX) {
      return { rows, coveredTo: endOfSecond(read.term, isAscending) };
    }
    // Sorts behind this second's term and before the next one's.
    from = `${read.term}0`;
    // As many as the missing rows take if wanted payments stay as frequent.
    const estimated = Math.ceil(((limit - rows.length) * scanned) / Math.max(1, rows.length));
    entriesMin = Math.min(estimated, SCANNED_ROWS_MAX - scanned);
  }
}

/** An entry of the index; `id` is null when the payment is not wanted. */
type Entry = { readonly term: string; readonly id: number | null };

/** The entries of whole seconds from a term on: `entriesMin` at least, unless there are fewer. */
function readSeconds(
  sql: SqlStorage,
  wanted: readonly Condition[],
  from: string,
  to: string,
  entriesMin: number,
): readonly Entry[] {
  const conditions = wanted.map((condition) => ` AND ${condition.sql}`).join('');
  const id =
    wanted.length === 0
      ? 'doc'
      : `(SELECT payment.id FROM payment WHERE payment.id = doc${conditions})`;
  const params = wanted.flatMap((condition) => condition.params);
  const read = (first: string, last: string, limit: number) =>
    sql
      .exec<Entry>(
        `SELECT term, ${id} AS id FROM payment_search_entry
          WHERE term >= ? AND term <= ? ORDER BY term LIMIT ?`,
        ...params,
        ...[first, last, limit],
      )
      .toArray();
  const entries = read(from, to, entriesMin);
  const cut = entries.length < entriesMin ? undefined : entries.at(-1)?.term;
  return cut === undefined
    ? entries
    : [...entries.filter(({ term }) => term !== cut), ...read(cut, cut, NO_LIMIT)];
}

const NO_LIMIT = -1;

/** The payments of entries, in order. */
function paymentsIn(
  sql: SqlStorage,
  entries: readonly Entry[],
  { low, high }: EndRange,
  isAscending: boolean,
): readonly Placed<BookedPayment>[] {
  const sign = isAscending ? 1 : -1;
  return entries
    .flatMap(({ term, id }) =>
      paymentsById(sql, id === null ? [] : [id], true).filter(
        ({ endedAtMs }) => endedAtMs !== null && endedTerm(endedAtMs, isAscending) === term,
      ),
    )
    .map(placedByEnd)
    .filter(({ place }) => comparePlaces(place, low) > 0 && comparePlaces(place, high) < 0)
    .sort((one, other) => sign * comparePlaces(one.place, other.place));
}

/** Behind all payments that ended in a term's second. */
function endOfSecond(term: string, isAscending: boolean): Place {
  const firstMs = endedTermMs(term);
  return isAscending ? placeOf(firstMs + 999, Number.MAX_SAFE_INTEGER) : placeOf(firstMs, 0);
}
