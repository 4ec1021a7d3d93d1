import * as v from 'valibot';
import { fieldError } from '../http/field-error.ts';
import { validationProblem } from '../http/problem.ts';
import { type Cursor, type List, parseCursor, readPage } from '../platform/paging.ts';

const PAGE_ROWS_DEFAULT = 50;
const PAGE_ROWS_MAX = 100;
/** Longer than any cursor. Bounds the work on hostile text. */
const CURSOR_LENGTH_MAX = 300;

const NOT_A_CURSOR = fieldError('invalid_format', 'Is not a cursor.');

const ROWS = /^[1-9]\d{0,2}$/;

/** The query parameters that all lists share. */
export const pageEntries = {
  cursor: v.optional(v.pipe(v.string(), v.maxLength(CURSOR_LENGTH_MAX, NOT_A_CURSOR))),
  limit: v.optional(
    v.pipe(
      v.string(),
      v.check(
        (text) => ROWS.test(text) && Number(text) <= PAGE_ROWS_MAX,
        fieldError('invalid_format', `Must be a whole number from 1 to ${PAGE_ROWS_MAX}.`),
      ),
      v.transform(Number),
    ),
    String(PAGE_ROWS_DEFAULT),
  ),
};

/** Which page a caller asks for, checked by `pageEntries`. */
export interface PageQuery {
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** A page of a list. */
export interface ItemPage<Item> {
  readonly items: readonly Item[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

/** The page of a list that the query asks for. Problem 400 for a malformed cursor. */
export async function itemPage<Row>(
  db: D1Database,
  list: List<Row>,
  { cursor, limit }: PageQuery,
): Promise<ItemPage<Row>> {
  const { rows, nextCursor } = await readPage(db, list, cursorFrom(cursor), limit);
  return { items: rows, nextCursor };
}

export function cursorFrom(text: string | undefined): Cursor | null {
  const cursor = text === undefined ? null : parseCursor(text);
  if (text !== undefined && cursor === null) {
    throw badCursor();
  }
  return cursor;
}

export function badCursor(): Error {
  return validationProblem({ cursor: NOT_A_CURSOR });
}
