import * as v from 'valibot';

/** Rows of one answer, unless the request asks for fewer. */
export const PAGE_ROWS_DEFAULT = 50;
/** More would only be read by a program, which can ask again. */
export const PAGE_ROWS_MAX = 100;
/** Cursors are ours and short; bounds the work on anything else. */
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
