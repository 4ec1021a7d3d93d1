import type { Phones } from '../../src/control/rpc/lists.ts';
import { idWithoutPhone, maskedPhone } from '../../src/engine/domain/phone.ts';
import { ethiopianTimestamp, isoTime } from '../../src/kit/ethiopian-time.ts';
import { majorText } from '../../src/kit/money.ts';
import type { ExportedPayment } from '../../src/lists/book/reader.ts';
import type { PaymentRow } from '../../src/lists/book/rows.ts';
import type { Pages } from './read-ahead.ts';

/** CSV files for spreadsheets and programs (RFC 4180). Pure except for the stream. */

/**
 * Rows of one file, which a spreadsheet still opens. The last line of a longer list says that it is
 * incomplete.
 */
export const EXPORT_ROWS_MAX = 100_000;

/** Without it Excel reads the file in the computer's old code page and garbles Ethiopic. */
const BYTE_ORDER_MARK = '\ufeff';
const LINE_END = '\r\n';

/**
 * `comma` is RFC 4180. Excel in languages with decimal commas expects `semicolon`. A first line
 * `sep=,` would serve both, but programs take it for the header, and Excel then ignores the byte order
 * mark.
 */
export type Separator = 'comma' | 'semicolon';

interface Format {
  readonly separator: ',' | ';';
  readonly amount: (minor: number) => Cell;
  /** The places in a cell where a spreadsheet that expects the other separator begins a cell. */
  readonly otherBeginnings: RegExp;
}

/** Blanks, quotes and control characters that spreadsheets skip before a formula. */
const SKIPPED = String.raw`(?:(?![\r\n])[\s"'\p{Cc}])*`;
/** How a formula begins for spreadsheets, full-width forms included. */
const FORMULA_SIGN = String.raw`[=+\-@\uff1d\uff0b\uff0d\uff20]`;

const FORMATS: Readonly<Record<Separator, Format>> = {
  comma: {
    separator: ',',
    amount: (minor) => value(majorText(minor)),
    otherBeginnings: new RegExp(`([;\\r\\n])(?=${SKIPPED}${FORMULA_SIGN})`, 'gu'),
  },
  semicolon: {
    separator: ';',
    amount: (minor) => value(majorText(minor).replace('.', ',')),
    otherBeginnings: new RegExp(`([,\\r\\n])(?=${SKIPPED}${FORMULA_SIGN})`, 'gu'),
  },
};

/** Text, which a spreadsheet must not change; or an amount, a count or a time, which it may read. */
type Cell = string | { readonly value: string };

/** A cell that a spreadsheet may read as a number or a time. */
export function value(text: string): Cell {
  return { value: text };
}

/**
 * The columns of a file. Programs read them, so they have one language. Times in UTC, and for people
 * in Addis Ababa. Amounts in major units.
 */
export type Columns<Row> = Readonly<Record<string, (row: Row, format: Format) => Cell>>;

const PAYMENT_COLUMNS = {
  created_at: (row) => value(isoTime(row.createdAtMs)),
  created_at_eat: (row) => value(ethiopianTimestamp(row.createdAtMs)),
  unique_id: (row) => row.uniqueId,
  uuid: (row) => row.uuid,
  payment_intent_id: (row) => String(row.number),
  environment: (row) => row.environment,
  kind: (row) => row.kind,
  status: (row) => row.status,
  failure_reason: (row) => row.failureReason ?? '',
  late: (row) => (row.late ? 'yes' : 'no'),
  method: (row) => row.method ?? '',
  currency: (row) => row.currency,
  amount: (row, { amount }) => amount(row.amountMinor),
  // Only a paid payment owes a commission.
  commission: (row, { amount }) => (isPaid(row) ? amount(row.commissionMinor) : ''),
  charged: (row, { amount }) => (isPaid(row) ? amount(row.chargedMinor) : ''),
  net: (row, { amount }) => (isPaid(row) ? amount(row.chargedMinor - row.commissionMinor) : ''),
  // Without commission, as `amount` is. What the merchant keeps is the rest of it.
  refunded: (row, { amount }) => (isPaid(row) ? amount(row.refundedMinor) : ''),
  amount_after_refunds: (row, { amount }) =>
    isPaid(row) ? amount(row.amountMinor - row.refundedMinor) : '',
  open_refunds: (row) => value(String(row.openRefunds)),
  unresolved_attempts: (row) => value(String(row.unresolvedAttempts)),
  anomalies: (row) => value(String(row.anomalies)),
  ended_at: (row) => (row.endedAtMs === null ? '' : value(isoTime(row.endedAtMs))),
  ended_at_eat: (row) => (row.endedAtMs === null ? '' : value(ethiopianTimestamp(row.endedAtMs))),
  updated_at: (row) => value(isoTime(row.updatedAtMs)),
  transaction_id: (row) => row.transactionId ?? '',
  provider_reference: ({ details: { providerReference = '', phone = '' } }, _format, phones) =>
    phones === 'full' ? providerReference : (idWithoutPhone(providerReference, phone) ?? ''),
  receipt: ({ details }) => details.receipt ?? '',
  phone: ({ details: { phone = '' } }, _format, phones) =>
    phones === 'full' || phone === '' ? phone : maskedPhone(phone),
  customer_name: ({ details }) => details.customerName ?? '',
  customer_email: ({ details }) => details.customerEmail ?? '',
  description: ({ details }) => details.description ?? '',
  metadata: ({ details: { metadata } }) => (metadata === undefined ? '' : JSON.stringify(metadata)),
  // Programs may read columns by their position, so later ones come last.
  paid_at: (row) => (row.paidAtMs === null ? '' : value(isoTime(row.paidAtMs))),
  paid_at_eat: (row) => (row.paidAtMs === null ? '' : value(ethiopianTimestamp(row.paidAtMs))),
} as const satisfies Readonly<
  Record<string, (row: ExportedPayment, format: Format, phones: Phones) => Cell>
>;

/** The lines of a file. */
export interface CsvLines<Row> {
  /** The first line, after the byte order mark. */
  readonly head: string;
  readonly lineOf: (row: Row) => string;
  /** The last line of an incomplete file. It has as many cells as the others. */
  readonly incomplete: string;
}

/** `remedy`: what an incomplete file says to do. */
export function csvLines<Row>(
  columns: Columns<Row>,
  separator: Separator,
  remedy = 'narrow the dates',
): CsvLines<Row> {
  const names = Object.keys(columns);
  const notice = `INCOMPLETE: only the newest ${EXPORT_ROWS_MAX} rows: ${remedy}`;
  return {
    head: BYTE_ORDER_MARK + csvLine(names, separator),
    lineOf: (row) =>
      csvLine(
        Object.values(columns).map((cell) => cell(row, FORMATS[separator])),
        separator,
      ),
    incomplete: csvLine([notice, ...names.slice(1).map(() => '')], separator),
  };
}

export function paymentLines(
  phones: Phones,
  separator: Separator = 'comma',
  remedy?: string,
): CsvLines<ExportedPayment> {
  const columns = Object.entries(PAYMENT_COLUMNS).map(
    ([name, cell]) =>
      [name, (row: ExportedPayment, format: Format) => cell(row, format, phones)] as const,
  );
  return csvLines(Object.fromEntries(columns), separator, remedy);
}

/** A formula, or a control character, which spreadsheets skip before one. */
const FORMULA = new RegExp(String.raw`^(?:${FORMULA_SIGN}|\p{Cc})`, 'u');
const NEEDS_QUOTES = /[",;\r\n\t]/;

/** The words in numbers, dates and times: `1E5`, `MAR1`, `1 a`. */
const WORD_OF_DATE =
  /^(?:[ap]m?|e|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)$/i;
const NEVER_IN_DATE = /[^\p{Nd}\s.,:/()+%'\p{Pd}\p{Sc}]/u;

/** Whether a spreadsheet reads the text as a number, a date or a truth value, and changes it. */
function isChanged(text: string): boolean {
  const rest = text.replaceAll(/\p{L}+/gu, (word) => (WORD_OF_DATE.test(word) ? '' : word));
  return (/\d/.test(text) && !NEVER_IN_DATE.test(rest)) || /^\s*(?:true|false)\s*$/i.test(text);
}

/** One record with its line end. */
export function csvLine(cells: readonly Cell[], separator: Separator = 'comma'): string {
  const format = FORMATS[separator];
  return cells.map((cell) => csvCell(cell, format)).join(format.separator) + LINE_END;
}

/**
 * Apostrophes keep spreadsheets from running customers' text as a formula, also where one that
 * expects the other separator splits the cell. A tab at the end of a cell keeps them from reading its
 * text as a number or date; `="0911"` would be text only where formulas of a file are computed.
 */
function csvCell(cell: Cell, { otherBeginnings }: Format): string {
  return quoted(typeof cell === 'string' ? harmless(cell, otherBeginnings) : cell.value);
}

function harmless(text: string, otherBeginnings: RegExp): string {
  const guarded = text.replace(otherBeginnings, "$1'");
  if (FORMULA.test(text)) {
    return `'${guarded}`;
  }
  return isChanged(text) ? `${guarded}\t` : guarded;
}

function quoted(text: string): string {
  return NEEDS_QUOTES.test(text) || text.startsWith("'") ? `"${text.replaceAll('"', '""')}"` : text;
}

export function fileHeaders(name: string): Readonly<Record<string, string>> {
  return {
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': `attachment; filename="${name}.csv"`,
    'cache-control': 'no-store',
  };
}

/**
 * The file, written as fast as the client reads it and never held whole. If a page throws, the
 * stream fails and the download breaks off: no client takes it for a complete file.
 */
export function csvStream<Row>(
  pages: Pages<readonly Row[]>,
  { head, lineOf, incomplete }: CsvLines<Row>,
  rowsMax = EXPORT_ROWS_MAX,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let rowsLeft = rowsMax;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode(head));
    },
    async pull(controller) {
      const { value: rows, done } = await pages.next();
      if (done === true) {
        controller.close();
        return;
      }
      const kept = rows.slice(0, rowsLeft);
      rowsLeft -= kept.length;
      const isCut = kept.length < rows.length;
      const text = kept.map(lineOf).join('') + (isCut ? incomplete : '');
      controller.enqueue(encoder.encode(text));
      if (isCut) {
        controller.close();
        await pages.return();
      }
    },
    async cancel() {
      await pages.return();
    },
  });
}

function isPaid({ status }: PaymentRow): boolean {
  return status === 'succeeded';
}
