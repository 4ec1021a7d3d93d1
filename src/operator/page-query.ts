import * as v from 'valibot';
import { validationProblem } from '../http/problem.ts';
import { type Cursor, parseCursor } from '../paging.ts';

/** Rows of one answer, unless the request asks for fewer. */
export const PAGE_ROWS_DEFAULT = 50;
/** Programs that want more rows can ask for the next page. */
export const PAGE_ROWS_MAX = 100;
/** Cursors are shorter; bounds the work on anything else. */
const CURSOR_LENGTH_MAX = 300;

const ROWS = /^[1-9]\d{0,2}$/;

/** The query of every list. */
export const pageEntries = {
  cursor: v.optional(v.pipe(v.string(), v.maxLength(CURSOR_LENGTH_MAX, 'Is not a cursor.'))),
  limit: v.optional(
    v.pipe(
      v.string(),
      v.check(
        (text) => ROWS.test(text) && Number(text) <= PAGE_ROWS_MAX,
        `Must be a whole number from 1 to ${PAGE_ROWS_MAX}.`,
      ),
      v.transform(Number),
    ),
    String(PAGE_ROWS_DEFAULT),
  ),
};

/** A page of a list as the API answers it. */
export interface ItemPage<Item> {
  readonly items: readonly Item[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

/** The cursor that a page handed out, or null for the first page. Problem 400 for any other text. */
export function cursorFrom(text: string | null): Cursor | null {
  const cursor = text === null ? null : parseCursor(text);
  if (text !== null && cursor === null) {
    throw badCursor();
  }
  return cursor;
}

export function badCursor(): Error {
  return validationProblem({ cursor: 'Is not a cursor.' });
}
