import { base64UrlFromBytes, bytesFromBase64Url, utf8 } from './crypto/encoding.ts';
import type { SqlStatement } from './database.ts';

/**
 * Pages by keyset: a page begins where its neighbour ended, so that the thousandth costs what the
 * first does, and what is added meanwhile shifts nothing. Newest first; of one millisecond by id.
 */

/** A row's place in a list, and in which direction to go on from there. */
export interface Cursor {
  readonly direction: 'older' | 'newer';
  readonly createdAtMs: number;
  readonly id: string;
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Of the older page, or null when this is the last. */
  readonly nextCursor: string | null;
  /** Of the newer page, or null when this is the first. */
  readonly previousCursor: string | null;
}

/** Milliseconds since 1970 in UTC; `fromMs` belongs to it, `toMs` does not. */
export interface TimeRange {
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

/** More in one answer would only be read by a program, which can ask again. */
export const PAGE_ROWS_MAX = 1_000;

/** Our cursors are far shorter; bounds the work on hostile text. */
const CURSOR_LENGTH_MAX = 128;
const CURSOR = /^([on])\.(\d{1,15})\.([0-9a-z_-]{1,64})$/;

/** The opaque text of a cursor. */
export function cursorText({ direction, createdAtMs, id }: Cursor): string {
  return base64UrlFromBytes(utf8(`${direction === 'older' ? 'o' : 'n'}.${createdAtMs}.${id}`));
}

/** The cursor that a text stands for, or null for anything that `cursorText` never made. */
export function parseCursor(text: string): Cursor | null {
  const bytes = text.length > CURSOR_LENGTH_MAX ? null : bytesFromBase64Url(text);
  const parts = bytes === null ? null : CURSOR.exec(new TextDecoder().decode(bytes));
  if (parts?.[1] === undefined || parts[2] === undefined || parts[3] === undefined) {
    return null;
  }
  const direction = parts[1] === 'o' ? 'older' : 'newer';
  return { direction, createdAtMs: Number(parts[2]), id: parts[3] };
}

/** A list without its place: what to read, by which index, under which conditions. */
export interface KeysetQuery {
  readonly columns: string;
  readonly table: string;
  /** Named in the statement: the planner's statistics must never lead it to another. */
  readonly index: string;
  /** The second part of the order, unique within the list. */
  readonly idColumn: 'uuid' | 'event_id';
  readonly conditions: readonly Condition[];
  readonly range: TimeRange;
}

export interface Condition {
  readonly sql: string;
  readonly params: readonly (string | number)[];
}

/** Reads one row more than the page holds, to know whether there is another page. */
export function keysetStatement(
  query: KeysetQuery,
  cursor: Cursor | null,
  limit: number,
): SqlStatement {
  const conditions = [...query.conditions, ...bounds(query, cursor)];
  const order = cursor?.direction === 'newer' ? 'ASC' : 'DESC';
  return {
    sql: `SELECT ${query.columns} FROM ${query.table} INDEXED BY ${query.index}
      WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}
      ORDER BY created_at_ms ${order}, ${query.idColumn} ${order} LIMIT ?`,
    params: [...conditions.flatMap(({ params }) => params), pageRows(limit) + 1],
  };
}

/**
 * At most one bound on either side: with two of a kind SQLite would seek by one of them and step
 * over everything up to the other.
 */
function bounds({ range, idColumn }: KeysetQuery, cursor: Cursor | null): Condition[] {
  const { fromMs, toMs } = range;
  const place = cursor === null ? [] : [cursor.createdAtMs, cursor.id];
  const isUpper = cursor?.direction === 'older' && !(cursor.createdAtMs >= (toMs ?? Infinity));
  const isLower = cursor?.direction === 'newer' && !(cursor.createdAtMs < (fromMs ?? -Infinity));
  const found: Condition[] = [];
  if (isUpper) {
    found.push({ sql: `(created_at_ms, ${idColumn}) < (?, ?)`, params: place });
  } else if (toMs !== undefined) {
    found.push({ sql: 'created_at_ms < ?', params: [toMs] });
  }
  if (isLower) {
    found.push({ sql: `(created_at_ms, ${idColumn}) > (?, ?)`, params: place });
  } else if (fromMs !== undefined) {
    found.push({ sql: 'created_at_ms >= ?', params: [fromMs] });
  }
  return found;
}

/** A page out of what `keysetStatement` read. */
export function pageOf<Row extends { readonly createdAtMs: number }>(
  read: readonly Row[],
  cursor: Cursor | null,
  limit: number,
  idOf: (row: Row) => string,
): Page<Row> {
  const kept = read.slice(0, pageRows(limit));
  const hasMore = read.length > kept.length;
  const isBackwards = cursor?.direction === 'newer';
  const rows = isBackwards ? kept.toReversed() : kept;
  const cursorAt = (direction: Cursor['direction'], row: Row | undefined): string | null =>
    row === undefined
      ? null
      : cursorText({ direction, createdAtMs: row.createdAtMs, id: idOf(row) });
  return {
    rows,
    // Whoever went one way came from somewhere: that neighbour is there.
    nextCursor: isBackwards || hasMore ? cursorAt('older', rows.at(-1)) : null,
    previousCursor: (isBackwards ? hasMore : cursor !== null) ? cursorAt('newer', rows[0]) : null,
  };
}

function pageRows(limit: number): number {
  // NaN is no number of rows either.
  return Math.max(1, Math.min(Math.trunc(limit) || 1, PAGE_ROWS_MAX));
}
