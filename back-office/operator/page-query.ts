import * as v from 'valibot';
import { fieldError } from '../../src/http/field-error.ts';
import { validationProblem } from '../../src/http/problem.ts';
import { type Cursor, parseCursor } from '../../src/paging.ts';

export const PAGE_ROWS_DEFAULT = 50;
export const PAGE_ROWS_MAX = 100;
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

/** A page of a list in the API. */
export interface ItemPage<Item> {
  readonly items: readonly Item[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

/** Parses a page's cursor; null for the first page. Problem 400 for any other text. */
export function cursorFrom(text: string | null): Cursor | null {
  const cursor = text === null ? null : parseCursor(text);
  if (text !== null && cursor === null) {
    throw badCursor();
  }
  return cursor;
}

export function badCursor(): Error {
  return validationProblem({ cursor: NOT_A_CURSOR });
}
