import type { Profile } from '../../src/control/provider-files/profile.ts';
import type { Method } from '../../src/engine/domain/method.ts';
import { commissionMinor } from '../../src/engine/domain/money.ts';
import { addisTime } from './clock.ts';
import type { DayLine, Reply } from './stand-in.ts';

/**
 * The file in which a provider says what it took on a day. Providers publish none: each stand-in has
 * columns of its own choice, and the differences that an operator learns to find.
 */

/** What the provider keeps of a payment. */
const FEE = { basisPoints: 100, fixedMinor: 0 };
/** What the planned differences differ by. */
const DIFFERENCE_MINOR = 100;

interface FileForm {
  readonly delimiter: string;
  readonly encoding: 'utf-8' | 'utf-16le';
  readonly columns: readonly string[];
}

/** Each form of a file once, among the providers. */
const COMMAS: FileForm = {
  delimiter: ',',
  encoding: 'utf-8',
  columns: ['Receipt No.', 'Order No.', 'Type', 'Amount', 'Fee', 'Net', 'Currency', 'Time'],
};
const SEMICOLONS: FileForm = { ...COMMAS, delimiter: ';' };
const TABS: FileForm = { ...COMMAS, delimiter: '\t', encoding: 'utf-16le' };

const OTHER_FORMS: Readonly<Partial<Record<Method, FileForm>>> = {
  CBE: SEMICOLONS,
  ETS_SWITCH: TABS,
  E_BIRR: SEMICOLONS,
};

export function fileFormOf(method: Method): FileForm {
  return OTHER_FORMS[method] ?? COMMAS;
}

interface WrittenLine extends DayLine {
  readonly feeMinor: number;
}

const DELIMITER_NAMES: Readonly<Record<string, Profile['delimiter']>> = {
  ',': 'comma',
  ';': 'semicolon',
  '\t': 'tab',
};

/** By which the operator's commands and the desk read such a file. */
export function profileOf({ delimiter }: FileForm): Profile {
  return {
    name: 'Stand-in',
    delimiter: DELIMITER_NAMES[delimiter] ?? 'comma',
    encoding: 'utf-8',
    headerRow: 1,
    dateFormat: 'yyyy-MM-dd HH:mm:ss',
    decimal: 'point',
    currency: 'ETB',
    columns: {
      amount: 'Amount',
      fee: 'Fee',
      net: 'Net',
      date: 'Time',
      receipt: 'Receipt No.',
      reference: 'Order No.',
      type: 'Type',
      currency: 'Currency',
    },
    types: { payment: ['Payment'], refund: ['Refund'] },
    fee: FEE,
  };
}

/**
 * The file of a day of Addis Ababa, `2026-11-28`. `planned`: with five lines that differ, as far as the
 * day has payments: the first has another amount, the second another fee, the third comes twice, the
 * fourth is left out, and a line of a stranger's order ends the file.
 */
export function dayFile(
  lines: readonly DayLine[],
  day: string,
  { delimiter, encoding, columns }: FileForm,
  planned: boolean,
): Buffer {
  const ofDay = lines
    .filter(({ atMs }) => addisTime(atMs).startsWith(day))
    .toSorted((one, other) => one.atMs - other.atMs)
    .map((line) => ({ ...line, feeMinor: feeOf(line) }));
  const written = planned ? withDifferences(ofDay, day) : ofDay;
  const rows = [columns, ...written.map(cellsOf)].map((cells) => cells.join(delimiter));
  const text = `\uFEFF${rows.join('\r\n')}\r\n`;
  return Buffer.from(text, encoding === 'utf-8' ? 'utf8' : 'utf16le');
}

function feeOf({ type, amountMinor }: DayLine): number {
  return type === 'payment' ? commissionMinor(amountMinor, FEE) : 0;
}

function withDifferences(lines: readonly WrittenLine[], day: string): readonly WrittenLine[] {
  const [first, second, third, fourth] = lines.filter(({ type }) => type === 'payment');
  const changed = lines.flatMap((line): readonly WrittenLine[] => {
    switch (line) {
      case first:
        return [{ ...line, amountMinor: line.amountMinor + DIFFERENCE_MINOR }];
      case second:
        return [{ ...line, feeMinor: line.feeMinor + DIFFERENCE_MINOR }];
      case third:
        return [line, line];
      case fourth:
        return [];
      default:
        return [line];
    }
  });
  const stranger: WrittenLine = {
    type: 'payment',
    receipt: 'STRANGER01',
    reference: 'SOMEBODYELSESORDER00',
    amountMinor: 12_345,
    feeMinor: 123,
    atMs: Date.parse(`${day}T12:00:00+03:00`),
  };
  return [...changed, stranger];
}

function cellsOf(line: WrittenLine): readonly string[] {
  const { receipt, reference, type, amountMinor, feeMinor, atMs } = line;
  const sign = type === 'payment' ? 1 : -1;
  return [
    ...[receipt ?? '', reference, type === 'payment' ? 'Payment' : 'Refund'],
    ...[sign * amountMinor, feeMinor, sign * amountMinor - feeMinor].map(textOf),
    ...['ETB', addisTime(atMs)],
  ];
}

function textOf(minor: number): string {
  return (minor / 100).toFixed(2);
}

/** Answers a download of the file. */
export function dayFileReply(name: string, file: Buffer): Reply {
  const headers = {
    'content-type': 'text/csv',
    'content-disposition': `attachment; filename="${name}"`,
  };
  return { type: 'answer', status: 200, headers, body: file };
}
