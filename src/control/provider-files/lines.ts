import { normalizedReceipt } from '../../engine/domain/receipt.ts';
import { businessDay, DAY_MS, dayText } from '../../kit/ethiopian-time.ts';
import { CURRENCIES, type Currency } from '../../kit/money.ts';
import { amountMinorFrom } from '../../kit/typed-amount.ts';
import { dateReader } from './dates.ts';
import { FileProblem } from './problem.ts';
import type { ColumnName, Profile } from './profile.ts';
import {
  beginningOf,
  cellText,
  DELIMITERS,
  decoderOf,
  type Encoding,
  type Row,
  type RowPlace,
  rowsIn,
} from './rows.ts';

/** Reads a provider's file by its profile, in steps: what a step leaves behind is all that the next needs. */

/** A month of a large gateway by one method. */
export const ROWS_MAX = 1_000_000;
/** Payments and refunds: older ones are past their retention. Ethiopian years are seven or eight behind. */
const AGE_MAX_MS = 400 * DAY_MS;
/** A provider's clock may be ahead. */
const AHEAD_MAX_MS = DAY_MS;
/** A file of a month, and of the days that a provider adds at its ends. */
const DAYS_MAX = 62;

/** A payment or refund that the provider says it made. */
export interface FileLine {
  readonly line: number;
  readonly type: 'payment' | 'refund';
  /** Above zero, like the others. */
  readonly amountMinor: number;
  readonly feeMinor: number | null;
  readonly netMinor: number | null;
  readonly currency: Currency;
  readonly atMs: number;
  readonly receipt: string | null;
  readonly reference: string | null;
}

/** Of a receipt in a key. Longer ones that begin alike count as one that repeats. */
const KEY_ID_CHARACTERS_MAX = 200;

/**
 * The same in every file of the provider, so that a corrected file replaces the line. Lines that repeat
 * it have a number behind it: 2, 3 and so on in each file. Keys are in the order of days.
 */
export function keyOf({ atMs, type, receipt, reference }: FileLine): string {
  const id = normalizedReceipt(receipt ?? reference ?? '').slice(0, KEY_ID_CHARACTERS_MAX);
  return `${dayText(businessDay(atMs))}/${type}/${id}`;
}

export interface ReadState {
  readonly encoding: Encoding;
  readonly place: RowPlace;
  readonly rows: number;
  /** Of every row; null before the first of the table. */
  readonly width: number | null;
  /** From 0, by the columns of the profile; null before the header. */
  readonly positions: Readonly<Partial<Record<ColumnName, number>>> | null;
  readonly lines: number;
  readonly fromDay: number | null;
  readonly toDay: number | null;
  /** The footer has come, or the file is over. */
  readonly isOver: boolean;
}

/** Before the first row. `head` has the first bytes of the file. */
export function beginReading({ encoding }: Profile, head: Uint8Array): ReadState {
  const none = { width: null, positions: null, fromDay: null, toDay: null };
  return { ...beginningOf(head, encoding), ...none, rows: 0, lines: 0, isOver: false };
}

/**
 * Reads rows until there are `linesMax` lines, or until the bytes end, which begin at the state's
 * place. Throws FileProblem.
 */
export function readStep(
  profile: Profile,
  state: ReadState,
  bytes: Uint8Array,
  {
    isEnd,
    linesMax,
    nowMs,
  }: { readonly isEnd: boolean; readonly linesMax: number; readonly nowMs: number },
): { readonly state: ReadState; readonly lines: readonly FileLine[] } {
  const lines: FileLine[] = [];
  const read = new RowReader(profile, state, nowMs);
  const delimiter = DELIMITERS[profile.delimiter];
  for (const row of rowsIn(bytes, state.place, state.encoding, delimiter, isEnd)) {
    const line = read.lineOf(row);
    if (line !== null) {
      lines.push(line);
    }
    if (read.state.isOver || lines.length === linesMax) {
      return { state: read.state, lines };
    }
  }
  if (isEnd && read.state.lines === 0) {
    throw new FileProblem('no_lines', read.state.place.line);
  }
  return { state: { ...read.state, isOver: isEnd }, lines };
}

class RowReader {
  state: ReadState;
  readonly #profile: Profile;
  readonly #nowMs: number;
  readonly #decoder: TextDecoder;
  readonly #dateOf: (text: string) => number | null;

  constructor(profile: Profile, state: ReadState, nowMs: number) {
    this.state = state;
    this.#profile = profile;
    this.#nowMs = nowMs;
    this.#decoder = decoderOf(state.encoding);
    this.#dateOf = dateReader(profile.dateFormat) ?? (() => null);
  }

  /** Null for a row that is no payment and no refund. */
  lineOf(row: Row): FileLine | null {
    const { headerRow, footer } = this.#profile;
    const rows = this.state.rows + (row.cells.length > 0 ? 1 : 0);
    this.state = { ...this.state, place: row.next, rows };
    if (rows > ROWS_MAX) {
      throw new FileProblem('rows_too_many', row.line, null, String(ROWS_MAX));
    }
    if (row.cells.length === 0 || rows < headerRow) {
      return null;
    }
    if (footer !== undefined && cellText(row, 0, this.#decoder).startsWith(footer)) {
      if (this.state.lines === 0) {
        throw new FileProblem('no_lines', row.line);
      }
      this.state = { ...this.state, isOver: true };
      return null;
    }
    const { width } = this.state;
    if (width !== null && width !== row.cells.length) {
      throw new FileProblem('columns_differ', row.line, null, String(row.cells.length));
    }
    if (this.state.positions === null) {
      const positions = this.#positionsIn(row);
      this.state = { ...this.state, width: row.cells.length, positions };
      if (headerRow > 0) {
        return null;
      }
    }
    return this.#lineIn(row);
  }

  #positionsIn(row: Row): NonNullable<ReadState['positions']> {
    const names = row.cells.map((_, index) => sameName(cellText(row, index, this.#decoder)));
    const positions = Object.entries(this.#profile.columns).flatMap(([name, column]) =>
      column === undefined ? [] : [[name, this.#position(row, names, column)]],
    );
    return Object.fromEntries(positions);
  }

  #position(row: Row, names: readonly string[], column: string | number): number {
    if (typeof column === 'number') {
      if (column > names.length) {
        throw new FileProblem('column_missing', row.line, null, String(column));
      }
      return column - 1;
    }
    const first = names.indexOf(sameName(column));
    if (first < 0 || this.#profile.headerRow === 0) {
      throw new FileProblem('column_unknown', row.line, null, column);
    }
    if (names.includes(sameName(column), first + 1)) {
      throw new FileProblem('column_twice', row.line, null, column);
    }
    return first;
  }

  #lineIn(row: Row): FileLine | null {
    const named = this.#text(row, 'type');
    const isNamed = (values: readonly string[] = []) =>
      values.some((value) => sameName(value) === sameName(named));
    const { types, currency: fixed } = this.#profile;
    const isRefund = types !== undefined && isNamed(types.refund);
    if (types !== undefined && !isRefund && !isNamed(types.payment)) {
      return null;
    }
    const amount = this.#signedAmount(row);
    if (amount < 0 && types !== undefined && !isRefund) {
      throw this.#problem('amount_sign', row, 'amount');
    }
    const receipt = this.#text(row, 'receipt') || null;
    const reference = this.#text(row, 'reference') || null;
    if (receipt === null && reference === null) {
      const { receipt: column } = this.#profile.columns;
      throw this.#problem('empty', row, column === undefined ? 'reference' : 'receipt');
    }
    const currency = this.#text(row, 'currency').toUpperCase() || fixed;
    if (!isCurrency(currency)) {
      throw this.#problem('currency', row, 'currency');
    }
    const atMs = this.#time(row);
    const line: FileLine = {
      line: row.line,
      type: isRefund || amount < 0 ? 'refund' : 'payment',
      amountMinor: Math.abs(amount),
      feeMinor: absolute(this.#amount(row, 'fee')),
      netMinor: absolute(this.#amount(row, 'net')),
      ...{ currency, atMs, receipt, reference },
    };
    this.state = { ...this.state, lines: this.state.lines + 1 };
    return line;
  }

  #time(row: Row): number {
    const [date, time] = [this.#text(row, 'date'), this.#text(row, 'time')];
    const text = this.#profile.columns.time === undefined ? date : `${date} ${time}`;
    const atMs = this.#dateOf(text);
    if (atMs === null) {
      throw this.#problem('date', row, 'date', text);
    }
    if (atMs < this.#nowMs - AGE_MAX_MS) {
      throw this.#problem('date_old', row, 'date', text);
    }
    if (atMs > this.#nowMs + AHEAD_MAX_MS) {
      throw this.#problem('date_future', row, 'date', text);
    }
    const day = businessDay(atMs);
    const [fromDay, toDay] = [
      Math.min(day, this.state.fromDay ?? day),
      Math.max(day, this.state.toDay ?? day),
    ];
    if (toDay - fromDay >= DAYS_MAX) {
      throw this.#problem('days_too_many', row, 'date', text);
    }
    this.state = { ...this.state, fromDay, toDay };
    return atMs;
  }

  /** Minor units, below zero what is in the column of the refunds; never zero. */
  #signedAmount(row: Row): number {
    const amount = this.#amount(row, 'amount') ?? 0;
    const refunded = this.#amount(row, 'refundAmount') ?? 0;
    if (amount !== 0 && refunded !== 0) {
      throw this.#problem('amount_twice', row, 'refundAmount');
    }
    if (amount === 0 && refunded === 0) {
      throw this.#problem('amount', row, 'amount');
    }
    return amount - Math.abs(refunded);
  }

  /** Minor units, below zero with a sign in front or behind, or in brackets; null for none. */
  #amount(row: Row, column: ColumnName): number | null {
    const typed = this.#text(row, column);
    if (typed === '') {
      return null;
    }
    const plain = typed.normalize('NFKC').replaceAll(AROUND_AMOUNTS, '');
    const [, before = '', digits = '', behind = ''] = SIGNED.exec(plain) ?? [];
    const swapped = this.#profile.decimal === 'point' ? digits : digits.replaceAll(/[.,]/g, swap);
    // Ledgers write four decimals.
    const amountMinor = amountMinorFrom(swapped.replace(/(\.\d\d)0+$/, '$1'));
    if (amountMinor === null) {
      throw this.#problem('amount', row, column);
    }
    return before + behind === '' ? amountMinor : -amountMinor;
  }

  #text(row: Row, column: ColumnName): string {
    const index = this.state.positions?.[column];
    return index === undefined ? '' : cellText(row, index, this.#decoder);
  }

  #problem(
    code: FileProblem['code'],
    row: Row,
    column: ColumnName,
    found = this.#text(row, column),
  ): FileProblem {
    return new FileProblem(code, row.line, (this.state.positions?.[column] ?? 0) + 1, found);
  }
}

/** Currencies, and the spaces and apostrophes between thousands. */
const AROUND_AMOUNTS = /etb|birr|br\.?|ብር|usd|\$|[\s'’]/giu;
const SIGNED = /^([-−(]?)([\d.,]+)([-−)]?)$/u;

function swap(sign: string): string {
  return sign === '.' ? ',' : '.';
}

function absolute(amountMinor: number | null): number | null {
  return amountMinor === null ? null : Math.abs(amountMinor);
}

/** Exports change case and spaces of their headers. */
function sameName(name: string): string {
  return name.normalize('NFKC').toLowerCase().replaceAll(/\s+/gu, ' ').trim();
}

function isCurrency(text: string): text is Currency {
  return (CURRENCIES as readonly string[]).includes(text);
}
