import { majorText } from '../../domain/money.ts';
import type { PaymentRow } from '../../read-model/payment-row.ts';

/** Payments as a file for spreadsheets and programs (RFC 4180). Pure but for the stream. */

/**
 * Rows of one file. At 500 a query that is some hundred queries, below the thousand that one request
 * may make, and a spreadsheet still opens it. A file that would be longer says so in its last line.
 */
export const EXPORT_ROWS_MAX = 100_000;

/**
 * Excel takes a file without it for the computer's old code page and garbles Ethiopic; programs
 * know it as the mark of UTF-8.
 */
const BYTE_ORDER_MARK = '\ufeff';
const LINE_END = '\r\n';

/** The same in every language: programs read them. Times in UTC, amounts in major units. */
const COLUMNS = {
  created_at: (row) => isoTime(row.createdAtMs),
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
  amount: (row) => majorText(row.amountMinor),
  // Of what was not paid nothing is due.
  commission: (row) => (isPaid(row) ? majorText(row.commissionMinor) : ''),
  charged: (row) => (isPaid(row) ? majorText(row.chargedMinor) : ''),
  net: (row) => (isPaid(row) ? majorText(row.chargedMinor - row.commissionMinor) : ''),
  unresolved_attempts: (row) => String(row.unresolvedAttempts),
  anomalies: (row) => String(row.anomalies),
  ended_at: (row) => (row.endedAtMs === null ? '' : isoTime(row.endedAtMs)),
  updated_at: (row) => isoTime(row.updatedAtMs),
} as const satisfies Readonly<Record<string, (row: PaymentRow) => string>>;

/** The first line, with the mark of UTF-8 before it. */
export function csvHead(): string {
  return BYTE_ORDER_MARK + csvLine(Object.keys(COLUMNS));
}

export function csvRow(row: PaymentRow): string {
  return csvLine(Object.values(COLUMNS).map((cell) => cell(row)));
}

/** The last line of a file that does not hold all: as many cells as the others. */
export function csvIncomplete(): string {
  const words = `INCOMPLETE: only the newest ${EXPORT_ROWS_MAX} payments; narrow the dates`;
  return csvLine([
    words,
    ...Object.keys(COLUMNS)
      .slice(1)
      .map(() => ''),
  ]);
}

/** What spreadsheets take for the beginning of a formula, in full-width forms too. */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const NEEDS_QUOTES = /[",\r\n]/;

/** One record with its line end. */
export function csvLine(cells: readonly string[]): string {
  return cells.map(csvCell).join(',') + LINE_END;
}

/** A cell; the apostrophe before what would be a formula is how spreadsheets write text. */
function csvCell(text: string): string {
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  const quoted = NEEDS_QUOTES.test(harmless) || harmless !== text;
  return quoted ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/**
 * The file, made as fast as it is read and never held as a whole. When the pages throw, the stream
 * fails: the reader's download breaks off and is not taken for a complete file.
 */
export function csvStream(
  pages: AsyncGenerator<readonly PaymentRow[], void, void>,
  rowsMax = EXPORT_ROWS_MAX,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let rowsLeft = rowsMax;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode(csvHead()));
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
      const text = kept.map(csvRow).join('') + (isCut ? csvIncomplete() : '');
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

function isoTime(atMs: number): string {
  return new Date(atMs).toISOString();
}
