import { expect, test } from 'vitest';
import { dayFile, fileFormOf } from '../../../scripts/stand-ins/day-file.ts';
import type { DayLine } from '../../../scripts/stand-ins/stand-in.ts';

/** The stand-ins' files of the day, from which operators learn to find differences. */

const DAY = '2026-11-28';

function lineAt(time: string, changes: Partial<DayLine> = {}): DayLine {
  const atMs = Date.parse(`${time}+03:00`);
  return {
    type: 'payment',
    receipt: `R${atMs}`,
    reference: 'ORDER',
    amountMinor: 10_000,
    atMs,
    ...changes,
  };
}

const LINES = [
  lineAt('2026-11-28T23:59:59'),
  lineAt('2026-11-29T00:00:00'),
  ...[8, 9, 10, 11].map((hour) => lineAt(`2026-11-28T${String(hour).padStart(2, '0')}:00:00`)),
  lineAt('2026-11-28T12:00:00', { type: 'refund', amountMinor: 2_550 }),
];

function rowsOf(file: Buffer, encoding: 'utf8' | 'utf16le', delimiter: string) {
  const [head, ...rows] = file.toString(encoding).trimEnd().split('\r\n');
  expect(head?.startsWith('\uFEFF')).toBe(true);
  return rows.map((row) => row.split(delimiter)).map((row) => [...row.slice(2, 6), row.at(-1)]);
}

test('a file has the day’s payments and refunds, in order', () => {
  const rows = rowsOf(dayFile(LINES, DAY, fileFormOf('TELE_BIRR'), false), 'utf8', ',');
  const paid = ['Payment', '100.00', '1.00', '99.00'];
  expect(rows).toEqual([
    ...['08', '09', '10', '11'].map((hour) => [...paid, `${DAY} ${hour}:00:00`]),
    ['Refund', '-25.50', '0.00', '-25.50', `${DAY} 12:00:00`],
    [...paid, `${DAY} 23:59:59`],
  ]);
});

test('a file has the planned differences', () => {
  const rows = rowsOf(dayFile(LINES, DAY, fileFormOf('ETS_SWITCH'), true), 'utf16le', '\t');
  expect(rows.map((row) => [row[1], row[2], row.at(-1)?.slice(11)])).toEqual([
    ['101.00', '1.00', '08:00:00'],
    ['100.00', '2.00', '09:00:00'],
    ['100.00', '1.00', '10:00:00'],
    ['100.00', '1.00', '10:00:00'],
    ['-25.50', '0.00', '12:00:00'],
    ['100.00', '1.00', '23:59:59'],
    ['123.45', '1.23', '12:00:00'],
  ]);
});
