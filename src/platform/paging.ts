import { base64UrlFromBytes, bytesFromBase64Url, utf8 } from '../crypto/encoding.ts';
import type { Tenant } from '../domain/intent.ts';
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

/** A part of a list that lies in order in one index. */
export interface ListPart {
  readonly index: string;
  readonly conditions: readonly Condition[];
}

/** SQLite merges the parts as it reads them, each in its order: a page reads few rows more. */
export interface MergedIndexes {
  /** Without a row in common. */
  readonly parts: readonly ListPart[];
  /** The result's columns with the time and the id. */
  readonly timeName: string;
  readonly idName: string;
}

/** The query of a list. Newest first unless `isOldestFirst`. */
export interface ListQuery {
  readonly columns: string;
  readonly table: string;
  /** Named in the statement, so that SQLite's planner cannot choose a slower one. */
  readonly index: string | MergedIndexes;
  /** Of the table's text. */
  readonly tableParams?: readonly string[];
  /** How the table with the index joins another one that `table` names first. */
  readonly join?: string;
  readonly timeColumn: string;
  /** Unique within the list, for rows of the same millisecond. */
  readonly idColumn: string;
  readonly isOldestFirst?: boolean;
  readonly conditions: readonly Condition[];
  readonly range?: TimeRange;
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

/** The page that begins with these rows, which follow the cursor in its direction. */
export function pageOf<Row>(
  list: Pick<List<Row>, 'placeOf' | 'isOldestFirst'>,
  found: readonly Row[],
  cursor: Cursor | null,
  limit: number,
): Page<Row> {
  const kept = found.slice(0, pageRows(limit));
  const hasMore = found.length > kept.length;
  const [onward, back] = list.isOldestFirst
    ? (['newer', 'older'] as const)
    : (['older', 'newer'] as const);
  const isBackwards = cursor?.direction === back;
  const rows = isBackwards ? kept.toReversed() : kept;
  const cursorAt = (direction: Cursor['direction'], row: Row | undefined): string | null =>
    row === undefined ? null : cursorText({ direction, ...list.placeOf(row) });
  return {
    rows,
    // A reader who followed a cursor came from a page, so the page on that side exists.
    nextCursor: isBackwards || hasMore ? cursorAt(onward, rows.at(-1)) : null,
    previousCursor: (isBackwards ? hasMore : cursor !== null) ? cursorAt(back, rows[0]) : null,
  };
}

/** Reads one row more than the page shows, to find out whether another page exists. */
export function pageStatement(list: ListQuery, cursor: Cursor | null, limit: number): SqlStatement {
  const { index, timeColumn, idColumn, isOldestFirst = false } = list;
  const isAscending = cursor === null ? isOldestFirst : cursor.direction === 'newer';
  const order = isAscending ? 'ASC' : 'DESC';
  const [time, id] =
    typeof index === 'string' ? [timeColumn, idColumn] : [index.timeName, index.idName];
  const { sql, params } = selection(list, list.columns, bounds(list, cursor));
  return {
    sql: `${sql} ORDER BY ${time} ${order}, ${id} ${order} LIMIT ?`,
    params: [...params, pageRows(limit) + 1],
  };
}

/** Counts the rows of a list, and stops at `max`. */
export function countStatement(list: ListQuery, max: number): SqlStatement {
  const { sql, params } = selection(list, '1', []);
  return { sql: `SELECT COUNT(*) AS rows FROM (${sql} LIMIT ?)`, params: [...params, max] };
}

/** The list's rows that also meet `further`, without an order. */
function selection(
  { table, tableParams = [], index, join = '', conditions }: ListQuery,
  columns: string,
  further: readonly Condition[],
): SqlStatement {
  const parts = typeof index === 'string' ? [{ index, conditions: [] }] : index.parts;
  const selects = parts.map((part) => {
    const all = [...conditions, ...part.conditions, ...further];
    return {
      sql: `SELECT ${columns} FROM ${table} INDEXED BY ${part.index} ${join}
      WHERE ${all.map(({ sql }) => sql).join(' AND ') || 'TRUE'}`,
      params: [...tableParams, ...all.flatMap(({ params }) => params)],
    };
  });
  return {
    sql: unionOf(selects.map(({ sql }) => sql)),
    params: selects.flatMap(({ params }) => params),
  };
}

/** D1 takes no more in one compound SELECT. */
const COMPOUND_TERMS_MAX = 5;

/** More than COMPOUND_TERMS_MAX are nested, which SQLite merges as well. */
export function unionOf(selects: readonly string[]): string {
  if (selects.length <= COMPOUND_TERMS_MAX) {
    return selects.join(' UNION ALL ');
  }
  const rest = selects.slice(COMPOUND_TERMS_MAX - 1);
  return [...selects.slice(0, COMPOUND_TERMS_MAX - 1), `SELECT * FROM (${unionOf(rest)})`].join(
    ' UNION ALL ',
  );
}

/**
 * At most one bound on either side. With two bounds on one side, SQLite would seek by one of them
 * and scan all rows up to the other.
 */
function bounds(
  { range = {}, timeColumn, idColumn }: ListQuery,
  cursor: Cursor | null,
): Condition[] {
  const { fromMs, toMs } = range;
  const place = cursor === null ? [] : [cursor.atMs, cursor.id];
  const isUpper = cursor?.direction === 'older' && !(cursor.atMs >= (toMs ?? Infinity));
  const isLower = cursor?.direction === 'newer' && !(cursor.atMs < (fromMs ?? -Infinity));
  const found: Condition[] = [];
  if (isUpper) {
    found.push({ sql: `(${timeColumn}, ${idColumn}) < (?, ?)`, params: place });
  } else if (toMs !== undefined) {
    found.push({ sql: `${timeColumn} < ?`, params: [toMs] });
  }
  if (isLower) {
    found.push({ sql: `(${timeColumn}, ${idColumn}) > (?, ?)`, params: place });
  } else if (fromMs !== undefined) {
    found.push({ sql: `${timeColumn} >= ?`, params: [fromMs] });
  }
  return found;
}

/** Rows of one merchant in one environment. */
export function tenantIs({ merchantId, environment }: Tenant, table?: string): Condition {
  const of = table === undefined ? '' : `${table}.`;
  return {
    sql: `${of}merchant_id = ? AND ${of}environment = ?`,
    params: [merchantId, environment],
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
