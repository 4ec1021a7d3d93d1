import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { VOLUME_PAYMENTS_MAX } from '../../../src/lists/book/next-volume.ts';

/**
 * Goal: the table of large merchants in docs/scale.md follows from the constants of the code. Method:
 * compute its rows.
 */

/** Calls of a book a second, from docs/benchmarks.md, and the most that one payment makes. */
const BOOK_CALLS_PER_SECOND = 1_000;
const CALLS_OF_A_PAYMENT_MAX = 4;
const HOUR_SECONDS = 3_600;

const PAYMENTS_PER_SECOND = BOOK_CALLS_PER_SECOND / CALLS_OF_A_PAYMENT_MAX;

const document = readFileSync('docs/scale.md', 'utf8');
const section = document.slice(document.indexOf('## Large merchants'));
const rows = [...section.matchAll(/^\| +([\d,]+) \| +(\d+) \| +([\d.]+) h \|$/gm)];

test('the section has merchants of several sizes', () => {
  expect(rows.length).toBeGreaterThan(2);
});

test.each(rows.map(([, ...cells]) => cells))(
  '%s payments a second need %s books, which are full after %s h',
  (payments, books, hours) => {
    const perSecond = Number(payments?.replaceAll(',', ''));
    const needed = Math.ceil(perSecond / PAYMENTS_PER_SECOND);
    expect(Number(books)).toBe(needed);
    const fullAfterHours = VOLUME_PAYMENTS_MAX / (perSecond / needed) / HOUR_SECONDS;
    expect(hours).toBe(fullAfterHours.toFixed(1));
  },
);
