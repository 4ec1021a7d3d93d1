import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { dateReader } from '../../../../src/control/provider-files/dates.ts';
import {
  beginReading,
  type FileLine,
  keyOf,
  readStep,
} from '../../../../src/control/provider-files/lines.ts';
import { FileProblem, fileProblemText } from '../../../../src/control/provider-files/problem.ts';
import { type Profile, profileField } from '../../../../src/control/provider-files/profile.ts';
import { ethiopianTimestamp } from '../../../../src/kit/ethiopian-time.ts';

const NOW_MS = Date.parse('2026-11-29T12:00:00+03:00');

const PROFILE: Profile = v.parse(profileField, {
  name: 'Portal',
  delimiter: 'comma',
  headerRow: 1,
  footer: 'Total',
  dateFormat: 'yyyy-MM-dd HH:mm:ss',
  decimal: 'point',
  currency: 'ETB',
  columns: { amount: 'Amount', fee: 'Fee', date: 'Date', receipt: 'Receipt', reference: 'Order' },
});
const HEAD = 'Date,Receipt,Order,Amount,Fee\n';
const ROW = '2026-11-28 10:00:00,CK1,ORD1,100.00,2.00\n';

function bytesOf(text: string, encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252') {
  if (encoding === 'utf-8') {
    return new TextEncoder().encode(text);
  }
  if (encoding === 'windows-1252') {
    return Uint8Array.from(text, (sign) => sign.charCodeAt(0));
  }
  const units = [...`\ufeff${text}`].map((sign) => sign.charCodeAt(0));
  return Uint8Array.from(
    units.flatMap((unit) =>
      encoding === 'utf-16le' ? [unit % 256, unit >> 8] : [unit >> 8, unit % 256],
    ),
  );
}

/** Reads it in steps: `linesMax` lines, and `windowBytes` bytes at a time. */
function read(
  file: string | Uint8Array,
  profile: Profile = PROFILE,
  { linesMax = 1_000, windowBytes = 1_000_000 } = {},
): readonly FileLine[] {
  const bytes = typeof file === 'string' ? bytesOf(file, 'utf-8') : file;
  const lines: FileLine[] = [];
  for (let state = beginReading(profile, bytes); !state.isOver; ) {
    const { offset } = state.place;
    const window = bytes.subarray(offset, offset + windowBytes);
    const isEnd = offset + windowBytes >= bytes.length;
    // A state survives storage.
    const step = readStep(profile, JSON.parse(JSON.stringify(state)), window, {
      isEnd,
      linesMax,
      nowMs: NOW_MS,
    });
    lines.push(...step.lines);
    state = step.state;
  }
  return lines;
}

function problemIn(file: string | Uint8Array, profile = PROFILE): string {
  try {
    read(file, profile);
  } catch (error) {
    return error instanceof FileProblem ? fileProblemText(error) : String(error);
  }
  return 'read';
}

describe('a provider’s file', () => {
  test('gives payments and refunds with what the profile names', () => {
    const file = `${HEAD}${ROW}2026-11-28 23:59:59,,ORD2,"-1,250.5",\n\nTotal,,,1,\nrubbish\n`;
    expect(read(file)).toEqual([
      {
        line: 2,
        type: 'payment',
        amountMinor: 10_000,
        feeMinor: 200,
        netMinor: null,
        currency: 'ETB',
        atMs: Date.parse('2026-11-28T10:00:00+03:00'),
        receipt: 'CK1',
        reference: 'ORD1',
      },
      {
        line: 3,
        type: 'refund',
        amountMinor: 125_050,
        feeMinor: null,
        netMinor: null,
        currency: 'ETB',
        atMs: Date.parse('2026-11-28T23:59:59+03:00'),
        receipt: null,
        reference: 'ORD2',
      },
    ]);
  });

  test.each(['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const)(
    'is read in %s',
    (encoding) => {
      const file = bytesOf(`${HEAD}2026-11-28 10:00:00,CKé1,ORD1,100.00,2.00\r\n`, encoding);
      const otherwise = encoding === 'windows-1252' ? encoding : 'utf-8';
      expect(read(file, { ...PROFILE, encoding: otherwise })).toMatchObject([{ receipt: 'CKé1' }]);
    },
  );

  test.each([1, 3, 7])('is the same in steps of %i lines and small windows', (linesMax) => {
    const rows = Array.from(
      { length: 20 },
      (_, index) => `2026-11-28 10:00:00,"CK""\n${index}",ORD,100.00,2.00\r\n`,
    );
    const file = `\ufeff${HEAD}${rows.join('')}`;
    expect(read(file, PROFILE, { linesMax, windowBytes: 100 })).toEqual(read(file));
    expect(read(file).map(({ line }) => line)).toEqual(rows.map((_, index) => 2 + 2 * index));
    expect(read(file)[19]?.receipt).toBe('CK"\n19');
  });

  test('may have no header, other signs, a column of types and one of the time', () => {
    const profile: Profile = v.parse(profileField, {
      ...{ name: 'Bank', delimiter: 'semicolon', headerRow: 0, currency: 'USD', decimal: 'comma' },
      dateFormat: 'd.M.yyyy h:mm a',
      columns: { date: 1, time: 2, type: 3, amount: 4, receipt: 5, currency: 6, net: 7 },
      types: { payment: ['Credit'], refund: ['Debit'] },
    });
    const file = [
      '1.11.2026;9:05 PM;CREDIT;1.000,50 ETB;="007";etb;990,50',
      '2.11.2026;9:05 am;fee;x;;;',
      "2.11.2026;9:05 am;debit;(1'000,5000);8;;",
    ].join('\n');
    expect(read(file, profile)).toMatchObject([
      { type: 'payment', amountMinor: 100_050, netMinor: 99_050, receipt: '007', currency: 'ETB' },
      { type: 'refund', amountMinor: 100_050, netMinor: null, receipt: '8', currency: 'USD' },
    ]);
  });

  const LEDGER: Profile = v.parse(profileField, {
    ...PROFILE,
    columns: { amount: 'Credit', refundAmount: 'Debit', date: 'Date', reference: 'Order' },
  });
  const LEDGER_HEAD = 'Date,Order,Debit,Credit\n2026-11-28 10:00:00,A';

  test.each([
    [',"1,000.00"', 'payment'],
    ['0.00,"1,000.00"', 'payment'],
    ['1000,', 'refund'],
    ['-1000.00,0.00', 'refund'],
    ['(1000.00),0', 'refund'],
  ])('may have debits in a column of their own: %s is a %s', (amounts, type) => {
    const file = `${LEDGER_HEAD},${amounts}\n`;
    expect(read(file, LEDGER)).toMatchObject([{ type, amountMinor: 100_000 }]);
  });

  test.each([
    [',', 'Line 2, column 4: "" is not an amount'],
    ['0.00,0.00', 'Line 2, column 4: "0.00" is not an amount'],
    ['5.00,1.00', 'Line 2, column 3: "5.00" is a refund beside a payment'],
    ['x,1.00', 'Line 2, column 3: "x" is not an amount'],
  ])('with %s as debit and credit is refused', (amounts, text) => {
    expect(problemIn(`${LEDGER_HEAD},${amounts}\n`, LEDGER)).toContain(text);
  });

  test('keeps the key of a line when its amount is corrected', () => {
    const [line, other] = [read(`${HEAD}${ROW}`), read(`${HEAD}${ROW.replace('CK1', 'ck-1')}`)];
    expect(line.map(keyOf)).toEqual(other.map(keyOf));
  });

  const row = (cells: Record<string, string>) =>
    Object.values({
      date: '2026-11-28 10:00:00',
      receipt: 'A',
      order: 'B',
      amount: '1',
      fee: '',
      ...cells,
    }).join(',');

  test.each([
    ['an archive', 'PK\u0003\u0004', 'Line 1: is a ZIP archive or Excel workbook, not text'],
    ['a PDF', '%PDF-1.7', 'Line 1: is a PDF, not text'],
    ['bytes of no text', `${HEAD}${row({ fee: '\0' })}`, 'Line 2, column 5: is not text'],
    ['an open quotation mark', `${HEAD}${ROW}a,"b\nc\n`, 'Line 3, column 2: the quotation mark'],
    ['nested quotes', `${HEAD}"a "b" c",d`, 'Line 2, column 1: there is text after'],
    ['a formula', `${HEAD}${row({ amount: '=1+1' })}`, 'Line 2, column 4: "=1+1" is not an amount'],
    ['three decimals', `${HEAD}${row({ amount: '1.005' })}`, 'Line 2, column 4: "1.005" is not'],
    ['no amount', `${HEAD}${row({ amount: '' })}`, 'Line 2, column 4: "" is not an amount'],
    ['amounts without a quote', `${HEAD}${row({ amount: '1,000' })}`, 'Line 2: has 6 columns'],
    ['another column', HEAD.replace('Fee', 'Tax'), 'Line 1: the header has no column "Fee"'],
    [
      'a column twice',
      HEAD.replace('Order', 'Fee'),
      'Line 1: the header has the column "Fee" twice',
    ],
    ['no id', `${HEAD}${row({ receipt: '', order: '' })}`, 'Line 2, column 2: must not be empty'],
    [
      'a date of another form',
      `${HEAD}${row({ date: '28/11/2026' })}`,
      'Line 2, column 1: "28/11/2026" is not a date',
    ],
    [
      '30 February',
      `${HEAD}${row({ date: '2026-02-30 10:00:00' })}`,
      'Line 2, column 1: "2026-02-30',
    ],
    [
      'an Ethiopian date',
      `${HEAD}${ROW}${row({ date: '2019-03-19 10:00:00' })}`,
      'Line 3, column 1: "2019-03-19 10:00:00" is too long ago',
    ],
    [
      'a date in the future',
      `${HEAD}${row({ date: '2027-01-01 10:00:00' })}`,
      'Line 2, column 1: "2027-01-01 10:00:00" is in the future',
    ],
    [
      'days far apart',
      `${HEAD}${ROW}${row({ date: '2026-06-01 10:00:00' })}`,
      'Line 3, column 1: "2026-06-01 10:00:00" is more than two months',
    ],
    ['no lines', HEAD, 'Line 2: the file has no payments'],
    ['a footer alone', `${HEAD}Total,,,,\n`, 'Line 2: the file has no payments'],
    [
      'bytes that are not UTF-8',
      bytesOf(`${HEAD}${row({ receipt: 'é' })}`, 'windows-1252'),
      'Line 2, column 2: is not UTF-8',
    ],
  ])('with %s is refused with the place', (_, file, text) => {
    expect(problemIn(file)).toContain(text);
  });

  test.each([
    ['a currency', 'EUR', 'Line 2, column 5: "EUR" is not ETB or USD'],
    ['two currencies', 'USD', 'read'],
  ])('with %s in a column: %s', (_, currency, text) => {
    const profile = {
      ...PROFILE,
      columns: { ...PROFILE.columns, fee: undefined, currency: 'Fee' },
    };
    expect(problemIn(`${HEAD}${row({ fee: currency })}`, profile)).toContain(text);
  });

  test('refuses a row of any length after 64 KiB', () => {
    const step = { isEnd: false, linesMax: 10, nowMs: NOW_MS };
    const state = beginReading(PROFILE, new Uint8Array());
    for (const [sign, text] of [
      ['x', 'Line 1: is longer than 65536 bytes'],
      ['"', 'Line 1, column 1: the quotation mark is never closed'],
    ] as const) {
      // An endless row, as a stream brings it.
      const bytes = bytesOf(sign + 'x'.repeat(100_000), 'utf-8');
      expect(() => readStep(PROFILE, state, bytes, step)).toThrow(
        expect.objectContaining({ name: 'FileProblem', line: 1 }),
      );
      expect(problemIn(bytes)).toContain(text);
    }
  });
});

describe('a form of dates', () => {
  test.each([
    ['yyyyMMddHHmmss', '20261128100000', '2026-11-28 10:00:00'],
    ['dd/MM/yyyy HH:mm', '28/11/2026 10:00', '2026-11-28 10:00:00'],
    ['M/d/yyyy h:mm:ss a', '11/8/2026 12:00:01 AM', '2026-11-08 00:00:01'],
    ['d-MMM-yyyy', '8-Nov-2026', '2026-11-08 00:00:00'],
    ['d MMM yyyy', '8 november 2026', '2026-11-08 00:00:00'],
    ['yyyy-MM-ddTHH:mm:ss.S', '2026-11-28T10:00:00.0', '2026-11-28 10:00:00'],
    ['yyyy-MM-dd HH:mm:ss.SSS', '2026-11-28 10:00:00.125', '2026-11-28 10:00:00'],
    ['yyyy-MM-dd HH:mm:ss.SSSSSSSSS', `2026-11-28 10:00:00.${'1'.repeat(60_000)}x`, null],
    ['yyyy-MM-dd', '2026-11-28 10:00', null],
    ['dd/MM/yyyy', '11/28/2026', null],
    ['yyyy-MM-dd h:mm a', '2026-11-28 13:00 PM', null],
  ])('%s reads %s', (format, text, shown) => {
    const atMs = dateReader(format)?.(text) ?? null;
    expect(atMs && ethiopianTimestamp(atMs)).toBe(shown);
  });

  test.each(['', 'yyyy-MM', 'HH:mm', 'yyyy-yyyy-MM-dd', 'yyyy-MM-dd Z', 'yyyy MM dd (('])(
    '%j is one only with a day',
    (format) => expect(dateReader(format) !== null).toBe(format.includes('((')),
  );
});
