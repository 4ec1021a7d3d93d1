/**
 * Pages of the lists in one volume. A page continues after a place, so the thousandth costs as much
 * as the first. The reader merges the pages of several volumes.
 */

/** A row's position in its list: by time, then by id, then by volume. */
export interface Place {
  readonly atMs: number;
  /** Numbers in lists of payments, texts in others. */
  readonly id: number | string;
  readonly volume: number;
}

export interface Placed<Row> {
  readonly row: Row;
  readonly place: Place;
}

/** The first rows of a list, in its order. */
export interface Found<Row> {
  readonly rows: readonly Placed<Row>[];
  /** The place at which the search stopped before it had found enough rows, or null. */
  readonly coveredTo: Place | null;
}

export interface PageStart {
  readonly isAscending: boolean;
  /** Begin after this place; null means the beginning of the list. */
  readonly after: { readonly atMs: number; readonly id: string } | null;
  /** A row at exactly that place belongs to the page, because another volume's row was there. */
  readonly includesPlace: boolean;
}

/**
 * Rows that a page may read to find matches without an index, which takes some milliseconds. A page
 * that reaches this number may be short, and has a cursor to continue.
 */
export const SCANNED_ROWS_MAX = 20_000;

export function comparePlaces(one: Place, other: Place): number {
  return one.atMs - other.atMs || compareIds(one.id, other.id) || one.volume - other.volume;
}

function compareIds(one: number | string, other: number | string): number {
  return one < other ? -1 : Number(one > other);
}

/** The first `limit` rows of lists that have no row in common. */
export function mergeFound<Row>(
  parts: readonly Found<Row>[],
  isAscending: boolean,
  limit: number,
): Found<Row> {
  const sign = isAscending ? 1 : -1;
  const inOrder = (one: Place, other: Place) => sign * comparePlaces(one, other);
  const [coveredTo = null] = parts
    .flatMap((part) => (part.coveredTo === null ? [] : [part.coveredTo]))
    .sort(inOrder);
  const rows = parts
    .flatMap((part) => part.rows)
    .filter(({ place }) => coveredTo === null || inOrder(place, coveredTo) <= 0)
    .sort((one, other) => inOrder(one.place, other.place))
    .slice(0, limit);
  return { rows, coveredTo: rows.length === limit ? null : coveredTo };
}

/** Reads rows in a list's order, after a place. Fewer than `limit` means: there are no more. */
export type ReadRows<Row> = (after: Place | null, limit: number) => Found<Row>;

/** The first `limit` rows that match, of at most about SCANNED_ROWS_MAX. */
export function scan<Row>(
  read: ReadRows<Row>,
  matches: (row: Row) => boolean,
  limit: number,
): Found<Row> {
  const rows: Placed<Row>[] = [];
  let after: Place | null = null;
  for (let scanned = 0, wanted = limit; ; wanted = CHUNK_ROWS) {
    const found: Found<Row> = read(after, wanted);
    rows.push(...found.rows.filter(({ row }) => matches(row)));
    scanned += found.rows.length;
    after = found.coveredTo ?? found.rows.at(-1)?.place ?? after;
    if (rows.length >= limit) {
      return { rows: rows.slice(0, limit), coveredTo: null };
    }
    if (found.coveredTo === null && found.rows.length < wanted) {
      return { rows, coveredTo: null };
    }
    if (found.coveredTo !== null || scanned >= SCANNED_ROWS_MAX) {
      return { rows, coveredTo: after };
    }
  }
}

const CHUNK_ROWS = 100;
