import { FileProblem } from './problem.ts';

/**
 * Reads rows of comma-separated text (RFC 4180) from any row on, because a file is read in steps. It
 * looks at bytes: each encoding has the signs of CSV as units of their own. Pure.
 */

export const ENCODINGS = ['utf-8', 'windows-1252'] as const;
export type Encoding = (typeof ENCODINGS)[number] | 'utf-16le' | 'utf-16be';

export const DELIMITERS = { comma: ',', semicolon: ';', tab: '\t', pipe: '|' } as const;

/** A row of a settlement has a few hundred. A missing quotation mark must not collect the whole file. */
export const ROW_BYTES_MAX = 64 * 1_024;
export const COLUMNS_MAX = 200;

/** Where a row begins. */
export interface RowPlace {
  /** Bytes from the beginning of the file. */
  readonly offset: number;
  readonly line: number;
}

export interface Row {
  readonly line: number;
  readonly cells: readonly Cell[];
  readonly next: RowPlace;
}

interface Cell {
  readonly bytes: Uint8Array;
  readonly isQuoted: boolean;
}

/** Of which files people forget that they are not text. XLSX, ODS and archives of Java are ZIP files. */
const SIGNATURES: readonly (readonly [name: string, bytes: readonly number[]])[] = [
  ['ZIP archive or Excel workbook', [0x50, 0x4b]],
  ['gzip archive', [0x1f, 0x8b]],
  ['old Excel workbook', [0xd0, 0xcf, 0x11, 0xe0]],
  ['PDF', [0x25, 0x50, 0x44, 0x46]],
  ['7-Zip archive', [0x37, 0x7a, 0xbc, 0xaf]],
  ['RAR archive', [0x52, 0x61, 0x72, 0x21]],
  ['bzip2 archive', [0x42, 0x5a, 0x68]],
  ['XZ archive', [0xfd, 0x37, 0x7a, 0x58]],
  ['Zstandard archive', [0x28, 0xb5, 0x2f, 0xfd]],
];

const BYTE_ORDER_MARKS: readonly (readonly [encoding: Encoding, bytes: readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** How the file is written, and where its first row begins. A byte order mark wins over `otherwise`. */
export function beginningOf(
  head: Uint8Array,
  otherwise: Encoding,
): { readonly encoding: Encoding; readonly place: RowPlace } {
  const begins = ([, bytes]: readonly [string, readonly number[]]) =>
    bytes.every((byte, index) => head[index] === byte);
  const archive = SIGNATURES.find(begins);
  if (archive !== undefined) {
    throw new FileProblem('archive', 1, null, archive[0]);
  }
  const [encoding, mark] = BYTE_ORDER_MARKS.find(begins) ?? [otherwise, []];
  return { encoding, place: { offset: mark.length, line: 1 } };
}

const [QUOTE, LF, CR, NUL, END] = [0x22, 0x0a, 0x0d, 0, -1];

/**
 * The rows of `bytes`, which begin at `place`. Stops before a row that may go on after them, unless the
 * file ends there. An empty row has no cells.
 */
export function* rowsIn(
  bytes: Uint8Array,
  place: RowPlace,
  encoding: Encoding,
  delimiter: string,
  isEnd: boolean,
): Generator<Row> {
  const width = encoding.startsWith('utf-16') ? 2 : 1;
  const separator = delimiter.charCodeAt(0);
  const unitAt = (index: number): number => {
    if (index + width > bytes.length) {
      return END;
    }
    const [one = 0, other = 0] = [bytes[index], bytes[index + 1]];
    return width === 1 ? one : encoding === 'utf-16le' ? one + other * 256 : one * 256 + other;
  };
  let [begin, line] = [0, place.line];
  while (begin < bytes.length) {
    const cells: Cell[] = [];
    let [at, lines, from, isOpen, isQuoted] = [begin, 0, begin, false, false];
    for (; ; at += width) {
      const unit = unitAt(at);
      const column = cells.length + 1;
      if (unit === END && !isEnd && at - begin <= ROW_BYTES_MAX) {
        return;
      }
      if (at - begin > ROW_BYTES_MAX || (unit === END && isOpen)) {
        throw isOpen
          ? new FileProblem('quote_open', line, column)
          : new FileProblem('row_too_long', line, null, String(ROW_BYTES_MAX));
      }
      if (unit === NUL) {
        throw new FileProblem('binary', line + lines, column);
      }
      if (unit === LF || (unit === CR && unitAt(at + width) !== LF)) {
        if (unit === CR && unitAt(at + width) === END && !isEnd) {
          return;
        }
        lines += 1;
      }
      if (isOpen) {
        if (unit === QUOTE && unitAt(at + width) === QUOTE) {
          at += width;
        } else if (unit === QUOTE) {
          if (unitAt(at + width) === END && !isEnd) {
            return;
          }
          isOpen = false;
        }
        continue;
      }
      if (unit === QUOTE && at === from) {
        [isOpen, isQuoted] = [true, true];
        continue;
      }
      const isOver = unit === LF || unit === CR || unit === END;
      if (unit !== separator && !isOver) {
        if (isQuoted) {
          throw new FileProblem('quote_text', line, column);
        }
        continue;
      }
      const [first, last] = isQuoted ? [from + width, at - width] : [from, at];
      cells.push({ bytes: bytes.subarray(first, last), isQuoted });
      if (cells.length > COLUMNS_MAX) {
        throw new FileProblem('columns_too_many', line, null, String(COLUMNS_MAX));
      }
      [from, isQuoted] = [at + width, false];
      if (unit === CR && unitAt(at + width) === LF) {
        at += width;
        lines += 1;
      }
      if (isOver) {
        break;
      }
    }
    const end = Math.min(at + width, bytes.length);
    const next = { offset: place.offset + end, line: line + lines };
    yield { line, cells: cells.some((cell) => cell.bytes.length > 0) ? cells : [], next };
    [begin, line] = [end, next.line];
  }
}

/** The text of a cell, without surrounding spaces; '' when the row has no such cell. */
export function cellText({ cells, line }: Row, index: number, decoder: TextDecoder): string {
  const cell = cells[index];
  if (cell === undefined) {
    return '';
  }
  let text: string;
  try {
    text = decoder.decode(cell.bytes);
  } catch {
    throw new FileProblem('encoding', line, index + 1, decoder.encoding.toUpperCase());
  }
  const whole = (cell.isQuoted ? text.replaceAll('""', '"') : text).trim();
  // What programs write so that a spreadsheet keeps zeros in front.
  return /^="(.*)"$/.exec(whole)?.[1] ?? whole;
}

export function decoderOf(encoding: Encoding): TextDecoder {
  return new TextDecoder(encoding, { fatal: true });
}
