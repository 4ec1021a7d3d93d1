import { base64UrlFromBytes, bytesFromBase64Url, utf8 } from '../crypto/encoding.ts';
import { prepare, type SqlStatement } from './database.ts';

/**
 * Lists, page by page. A page continues after the last row of its neighbor, so the thousandth page
 * costs as much as the first, and rows that are added meanwhile shift no page.
 */

/** A row's position in its list: by time, then by id. */
export interface Place {
  readonly atMs: number;
  readonly id: string;
}

/** A position, and the direction in which to continue. */
export interface Cursor extends Place {
  readonly direction: 'older' | 'newer';
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
  /** Null on the first page. */
  readonly previousCursor: string | null;
}

/** Milliseconds since 1970 in UTC. Includes `fromMs`, excludes `toMs`. */
export interface TimeRange {
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

export interface Condition {
  readonly sql: string;
  readonly params: readonly (string | number)[];
}

/** The query of a list. Newest first unless `isOldestFirst`. */
export interface ListQuery {
  readonly columns: string;
  readonly table: string;
  /** Named in the statement, so that SQLite's planner cannot choose a slower one. */
  readonly index: string;
  readonly timeColumn: string;
  /** Unique within the list, for rows of the same millisecond. */
  readonly idColumn: string;
  readonly isOldestFirst?: boolean;
  readonly conditions: readonly Condition[];
}

export interface List<Row> extends ListQuery {
  readonly placeOf: (row: Row) => Place;
}

/** The most rows of a page. */
export const PAGE_ROWS_MAX = 1_000;

/** Longer than any cursor. Bounds the work on hostile text. */
const CURSOR_LENGTH_MAX = 256;
const CURSOR = /^([on])\.(\d{1,15})\.([\w.:=+/-]{1,128})$/;

/** The opaque text of a cursor. */
export function cursorText({ direction, atMs, id }: Cursor): string {
  return base64UrlFromBytes(utf8(`${direction === 'older' ? 'o' : 'n'}.${atMs}.${id}`));
}

/** The cursor in a text from `cursorText`, or null. */
export function parseCursor(text: string): Cursor | null {
  const bytes = text.length > CURSOR_LENGTH_MAX ? null : bytesFromBase64Url(text);
  const parts = bytes === null ? null : CURSOR.exec(new TextDecoder().decode(bytes));
  const [, letter, atMs, id] = parts ?? [];
  return id === undefined
    ? null
    : { direction: letter === 'o' ? 'older' : 'newer', atMs: Number(atMs), id };
}

/** One page of a list, at most PAGE_ROWS_MAX rows. Throws when D1 does not answer. */
export async function readPage<Row>(
  db: D1Database,
  list: List<Row>,
  cursor: Cursor | null,
  limit: number,
): Promise<Page<Row>> {
  const { results } = await prepare(db, pageStatement(list, cursor, limit)).all<Row>();
  return pageOf(list, results, cursor, limit);
}

/**
 * The page that begins with these rows, which follow the cursor in its direction. `coveredTo`: where
 * the search for them stopped before it had found enough.
 */
export function pageOf<Row>(
  list: Pick<List<Row>, 'placeOf' | 'isOldestFirst'>,
  found: readonly Row[],
  cursor: Cursor | null,
  limit: number,
  coveredTo: Place | null = null,
): Page<Row> {
  const kept = found.slice(0, pageRows(limit));
  const isFull = found.length > kept.length;
  const hasMore = isFull || coveredTo !== null;
  const places = kept.map(list.placeOf);
  const last = (isFull ? null : coveredTo) ?? places.at(-1) ?? null;
  // A short page may be empty; its neighbors then begin where its search ended.
  const first = places[0] ?? coveredTo;
  const [onward, back] = list.isOldestFirst
    ? (['newer', 'older'] as const)
    : (['older', 'newer'] as const);
  const cursorAt = (direction: Cursor['direction'], place: Place | null): string | null =>
    place === null ? null : cursorText({ direction, ...place });
  // The caller followed a cursor from a page, so the page on that side exists.
  return cursor?.direction === back
    ? {
        rows: kept.toReversed(),
        nextCursor: cursorAt(onward, first),
        previousCursor: hasMore ? cursorAt(back, last) : null,
      }
    : {
        rows: kept,
        nextCursor: hasMore ? cursorAt(onward, last) : null,
        previousCursor: cursor === null ? null : cursorAt(back, first),
      };
}

/** Reads one row more than the page shows, to find out whether another page exists. */
export function pageStatement(list: ListQuery, cursor: Cursor | null, limit: number): SqlStatement {
  const { timeColumn, idColumn, isOldestFirst } = list;
  const isAscending = isOrderedUp(cursor, isOldestFirst);
  const [order, sign] = isAscending ? ['ASC', '>'] : ['DESC', '<'];
  const behind = cursor && {
    sql: `(${timeColumn}, ${idColumn}) ${sign} (?, ?)`,
    params: [cursor.atMs, cursor.id],
  };
  const { sql, params } = selection(list, list.columns, behind === null ? [] : [behind]);
  return {
    sql: `${sql} ORDER BY ${timeColumn} ${order}, ${idColumn} ${order} LIMIT ?`,
    params: [...params, pageRows(limit) + 1],
  };
}

/** Whether a page's rows are read in the order of time. */
export function isOrderedUp(cursor: Cursor | null, isOldestFirst = false): boolean {
  return cursor === null ? isOldestFirst : cursor.direction === 'newer';
}

/** Counts the rows of a list, and stops at `max`. */
export function countStatement(list: ListQuery, max: number): SqlStatement {
  const { sql, params } = selection(list, '1', []);
  return { sql: `SELECT COUNT(*) AS rows FROM (${sql} LIMIT ?)`, params: [...params, max] };
}

/** The list's rows that also meet `further`, without an order. */
function selection(
  { table, index, conditions }: ListQuery,
  columns: string,
  further: readonly Condition[],
): SqlStatement {
  const all = [...conditions, ...further];
  return {
    sql: `SELECT ${columns} FROM ${table} INDEXED BY ${index}
      WHERE ${all.map(({ sql }) => sql).join(' AND ') || 'TRUE'}`,
    params: all.flatMap(({ params }) => params),
  };
}

/** The condition, or none when `param` is null or undefined. */
export function when(sql: string, param: string | number | null | undefined): readonly Condition[] {
  return param === null || param === undefined ? [] : [{ sql, params: [param] }];
}

export function pageRows(limit: number): number {
  // `|| 1` also replaces NaN.
  return Math.max(1, Math.min(Math.trunc(limit) || 1, PAGE_ROWS_MAX));
}
