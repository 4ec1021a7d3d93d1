import { type Condition, when } from '../../../kit/platform/paging.ts';
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
 * Payments in the order of their end, or of the time when they were paid, which differs only for late
 * ones. The full-text index has them by the second of both, so a page reads whole seconds and sorts
 * them.
 */

/** What orders a list, as a payment's row has it. */
const ENDED = {
  column: 'ended_at_ms',
  atMsOf: ({ endedAtMs }: BookedPayment) => endedAtMs,
} as const;
const PAID = {
  column: 'paid_at_ms',
  atMsOf: ({ paidAtMs }: BookedPayment) => paidAtMs,
} as const;

/** Payments that ended, or were paid, after `low` and before `high`, and meet the conditions. */
interface Wanted {
  readonly sql: SqlStorage;
  readonly moment: typeof ENDED | typeof PAID;
  readonly conditions: readonly Condition[];
  readonly low: Place;
  readonly high: Place;
  readonly isAscending: boolean;
  readonly limit: number;
}

export function isByEnd(filter: EndedFilter): boolean {
  return isByPayment(filter) || (filter.endedFromMs ?? filter.endedToMs) !== undefined;
}

function isByPayment({ paidFromMs, paidToMs }: EndedFilter): boolean {
  return (paidFromMs ?? paidToMs) !== undefined;
}

export function endedPayments(
  sql: SqlStorage,
  filter: EndedFilter,
  keys: readonly KeyChoices[],
  start: PageStart,
  limit: number,
): Found<BookedPayment> {
  const { isAscending } = start;
  const conditions = conditionsOf(filter, keys);
  const moment = isByPayment(filter) ? PAID : ENDED;
  const wanted = { sql, moment, conditions, ...rangeOf(filter, start), isAscending, limit };
  return hasFewHits(sql, keys) ? sortHits(wanted, keys) : scanEnds(wanted);
}

/** Later than any end. */
const LAST_MS = Number.MAX_SAFE_INTEGER;

function rangeOf(
  filter: EndedFilter,
  { after, isAscending, includesPlace }: PageStart,
): Pick<Wanted, 'low' | 'high'> {
  const { createdFromMs = 0, endedFromMs = 0, endedToMs = LAST_MS } = filter;
  const { paidFromMs = 0, paidToMs = LAST_MS } = filter;
  const toMs = isByPayment(filter) ? paidToMs : endedToMs;
  // A payment ends after its creation and is not paid before its end. None has an id below 0.
  const low = placeOf(Math.max(createdFromMs, endedFromMs, paidFromMs), -1);
  const high = placeOf(toMs - 1, Number.MAX_SAFE_INTEGER);
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

/** Among payments of the same millisecond, the latest created comes last. */
function placeOf(atMs: number, id: number): Place {
  return { atMs, id, volume: 0 };
}

function placedBy({ atMsOf }: Wanted['moment'], row: BookedPayment): Placed<BookedPayment> {
  return { row, place: placeOf(atMsOf(row) ?? 0, row.id) };
}

/** What the filter wants of a payment's row, besides the moment that orders the list. */
function conditionsOf(filter: EndedFilter, keys: readonly KeyChoices[]): readonly Condition[] {
  const { status, method, createdFromMs, createdToMs } = filter;
  return [
    ...when('status = ?', status),
    ...when('method = ?', method),
    ...(isByPayment(filter) ? paidConditions(filter) : []),
    ...when(`payment.id >= ? * ${IDS_PER_MS}`, createdFromMs),
    ...when(`payment.id < ? * ${IDS_PER_MS}`, createdToMs),
    // The index folds case; the row has the keys as JSON.
    ...keys.map((choices) => ({
      sql: `(${choices.map(() => 'instr(search_keys, ?)').join(' OR ')})`,
      params: choices.map((key) => JSON.stringify(key)),
    })),
  ];
}

/** The end has an order of its own only in a list by the end. */
function paidConditions({ endedFromMs, endedToMs }: EndedFilter): readonly Condition[] {
  return [
    { sql: 'paid_at_ms IS NOT NULL', params: [] },
    ...when('ended_at_ms >= ?', endedFromMs),
    ...when('ended_at_ms < ?', endedToMs),
  ];
}

function andAll(conditions: readonly Condition[]): string {
  return conditions.map(({ sql }) => `AND ${sql}`).join(' ');
}

/** Whether the keys find so few payments that a page may sort them all. */
function hasFewHits(sql: SqlStorage, keys: readonly KeyChoices[]): boolean {
  const hits = `SELECT 1 FROM payment_search WHERE payment_search MATCH ?
    LIMIT ${SCANNED_ROWS_MAX + 1}`;
  return keys.length > 0 && sql.exec(hits, matchOf(keys)).toArray().length <= SCANNED_ROWS_MAX;
}

function matchOf(keys: readonly KeyChoices[]): string {
  return keys.map((choices) => `(${choices.map(quotedTerm).join(' OR ')})`).join(' AND ');
}

function sortHits(
  { sql, moment, conditions, low, high, isAscending, limit }: Wanted,
  keys: readonly KeyChoices[],
): Found<BookedPayment> {
  const { column } = moment;
  const order = isAscending ? 'ASC' : 'DESC';
  const found = sql.exec<{ id: number }>(
    `SELECT payment.id FROM payment_search CROSS JOIN payment ON payment.id = payment_search.rowid
      WHERE payment_search MATCH ? AND (${column}, payment.id) > (?, ?)
        AND (${column}, payment.id) < (?, ?) ${andAll(conditions)}
      ORDER BY ${column} ${order}, payment.id ${order} LIMIT ?`,
    matchOf(keys),
    ...[low.atMs, low.id, high.atMs, high.id],
    ...conditions.flatMap(({ params }) => params),
    limit,
  );
  const ids = found.toArray().map(({ id }) => id);
  const rows = paymentsById(sql, ids, true).map((row) => placedBy(moment, row));
  return { rows, coveredTo: null };
}

/** Reads seconds until it has found enough, or has read about SCANNED_ROWS_MAX entries. */
function scanEnds(wanted: Wanted): Found<BookedPayment> {
  const { low, high, isAscending, limit } = wanted;
  const [first, last] = isAscending ? [low, high] : [high, low];
  const lastTerm = endedTerm(last.atMs, isAscending);
  let from = endedTerm(first.atMs, isAscending);
  const rows: Placed<BookedPayment>[] = [];
  for (let scanned = 0, entriesMin = limit; ; ) {
    const entries = readSeconds(wanted, from, lastTerm, entriesMin);
    rows.push(...paymentsIn(wanted, entries));
    scanned += entries.length;
    const read = entries.at(-1);
    if (rows.length >= limit || read === undefined || entries.length < entriesMin) {
      return { rows: rows.slice(0, limit), coveredTo: null };
    }
    if (scanned >= SCANNED_ROWS_MAX) {
      return { rows, coveredTo: endOfSecond(read.term, isAscending) };
    }
    // Sorts after this second's term and before the next one's.
    from = `${read.term}0`;
    // Reads as many entries as the missing rows need if matching payments stay as frequent.
    const estimated = Math.ceil(((limit - rows.length) * scanned) / Math.max(1, rows.length));
    entriesMin = Math.min(estimated, SCANNED_ROWS_MAX - scanned);
  }
}

/** An entry of the index; `id` is null when the payment is not wanted. */
type Entry = { readonly term: string; readonly id: number | null };

/** The entries of whole seconds from a term on: `entriesMin` at least, unless there are fewer. */
function readSeconds(
  { sql, conditions }: Wanted,
  from: string,
  to: string,
  entriesMin: number,
): readonly Entry[] {
  const row = `SELECT id FROM payment WHERE id = doc ${andAll(conditions)}`;
  const statement = `SELECT term, ${conditions.length === 0 ? 'doc' : `(${row})`} AS id
    FROM payment_search_entry WHERE term >= ? AND term <= ? ORDER BY term LIMIT ?`;
  const params = conditions.flatMap((condition) => condition.params);
  const read = (first: string, last: string, limit: number) =>
    sql.exec<Entry>(statement, ...params, first, last, limit).toArray();
  const entries = read(from, to, entriesMin);
  const cut = entries.length < entriesMin ? undefined : entries.at(-1)?.term;
  return cut === undefined
    ? entries
    : [...entries.filter(({ term }) => term !== cut), ...read(cut, cut, NO_LIMIT)];
}

const NO_LIMIT = -1;

/** The payments of entries, in order. */
function paymentsIn(
  { sql, moment, low, high, isAscending }: Wanted,
  entries: readonly Entry[],
): readonly Placed<BookedPayment>[] {
  const sign = isAscending ? 1 : -1;
  return entries
    .flatMap(({ term, id }) =>
      paymentsById(sql, id === null ? [] : [id], true).filter((row) => {
        // A payment that was paid late has a term for each of both moments.
        const atMs = moment.atMsOf(row);
        return atMs !== null && endedTerm(atMs, isAscending) === term;
      }),
    )
    .map((row) => placedBy(moment, row))
    .filter(({ place }) => comparePlaces(place, low) > 0 && comparePlaces(place, high) < 0)
    .sort((one, other) => sign * comparePlaces(one.place, other.place));
}

/**
 * After all payments of a term's second, and within the next one: a page that began in this
 * second would read it again, and one with more entries than a page may read would never end.
 */
function endOfSecond(term: string, isAscending: boolean): Place {
  const firstMs = endedTermMs(term);
  return isAscending ? placeOf(firstMs + 1_000, 0) : placeOf(firstMs - 1, Number.MAX_SAFE_INTEGER);
}
