import * as v from 'valibot';
import { fieldError } from '../../kit/http/field-error.ts';
import { pageEntries as listEntries, parsed } from '../../kit/http/list-request.ts';
import { validationProblem } from '../../kit/http/problem.ts';
import { type Cursor, type List, parseCursor, readPage } from '../../kit/platform/paging.ts';

const NOT_A_CURSOR = fieldError('invalid_format', 'Is not a cursor.');

export const { limit: limitField } = listEntries(50);

/** The query parameters that all lists share. */
export const pageEntries = {
  limit: limitField,
  cursor: v.optional(parsed(parseCursor, NOT_A_CURSOR)),
};

/** A page of a list. */
export interface ItemPage<Item> {
  readonly items: readonly Item[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

/** The page of a list that the query asks for. */
export async function itemPage<Row>(
  db: D1Database,
  list: List<Row>,
  query: { readonly cursor?: Cursor | null | undefined; readonly limit: number },
): Promise<ItemPage<Row>> {
  const { rows, nextCursor } = await readPage(db, list, query.cursor ?? null, query.limit);
  return { items: rows, nextCursor };
}

/** Problem 400 for a malformed cursor. */
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
