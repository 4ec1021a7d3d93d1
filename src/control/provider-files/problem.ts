/** Why a provider's file, or a line of it, cannot be read. Each text follows "Line 7, column 3: ". */
export const FILE_PROBLEMS = {
  archive: 'is a {found}, not text: unpack it, or export it as CSV',
  binary: 'is not text: export the file as CSV',
  encoding: 'is not {found}: choose the encoding in which the provider wrote it',
  quote_open: 'the quotation mark is never closed',
  quote_text: 'there is text after the closing quotation mark',
  row_too_long: 'is longer than {found} bytes: is the delimiter right?',
  columns_too_many: 'has more than {found} columns',
  rows_too_many: 'the file has more than {found} rows: split it',
  columns_differ: 'has {found} columns, unlike the rows before it',
  column_unknown: 'the header has no column "{found}"',
  column_twice: 'the header has the column "{found}" twice',
  column_missing: 'the row has no such column: {found}',
  empty: 'must not be empty',
  amount: '"{found}" is not an amount with at most two decimals',
  amount_sign: '"{found}" is negative, unlike a payment',
  amount_twice: '"{found}" is a refund beside a payment',
  currency: '"{found}" is not ETB or USD',
  date: '"{found}" is not a date of the form of the profile',
  date_old: '"{found}" is too long ago: are the dates of the Ethiopian calendar?',
  date_future: '"{found}" is in the future: are day and month in this order?',
  days_too_many: '"{found}" is more than two months from other lines: split the file',
  no_lines: 'the file has no payments and no refunds',
  out_of_reach: 'the payments of this and later lines could not be read: upload the file again',
} as const;

export type FileProblemCode = keyof typeof FILE_PROBLEMS;

export interface FileProblemAt {
  readonly code: FileProblemCode;
  /** As an editor counts, from 1. */
  readonly line: number;
  /** Counted from 1; null: the whole row. */
  readonly column: number | null;
  readonly found: string;
}

const FOUND_CHARACTERS_MAX = 60;

export class FileProblem extends Error implements FileProblemAt {
  override readonly name = 'FileProblem';
  readonly code: FileProblemCode;
  readonly line: number;
  readonly column: number | null;
  readonly found: string;

  constructor(code: FileProblemCode, line: number, column: number | null = null, found = '') {
    super(`${code} in line ${line}`);
    this.code = code;
    this.line = line;
    this.column = column;
    this.found = [...found].slice(0, FOUND_CHARACTERS_MAX).join('');
  }
}

export function fileProblemText({ code, line, column, found }: FileProblemAt): string {
  const place = column === null ? `Line ${line}` : `Line ${line}, column ${column}`;
  return `${place}: ${FILE_PROBLEMS[code].replace('{found}', () => found)}`;
}
