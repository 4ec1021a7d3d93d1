import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clockText, nextTickMs } from '../../../src/engine/checkout/browser/clock.ts';

/** Goal: the customer's clock is right at its edges, and its text changes with the second. */

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

describe('text of the remaining time', () => {
  test.each([
    { remainingMs: -5_000, text: '0:00' },
    { remainingMs: -0.5, text: '0:00' },
    { remainingMs: 0, text: '0:00' },
    { remainingMs: 0.1, text: '0:01' },
    { remainingMs: 1, text: '0:01' },
    { remainingMs: SECOND_MS, text: '0:01' },
    { remainingMs: SECOND_MS + 1, text: '0:02' },
    { remainingMs: 9 * SECOND_MS, text: '0:09' },
    { remainingMs: 59 * SECOND_MS + 1, text: '1:00' },
    { remainingMs: MINUTE_MS, text: '1:00' },
    { remainingMs: 899_000, text: '14:59' },
    { remainingMs: 15 * MINUTE_MS, text: '15:00' },
    { remainingMs: 15 * MINUTE_MS + 1, text: null },
    { remainingMs: DAY_MS, text: null },
    { remainingMs: 366 * DAY_MS, text: null },
  ])('$remainingMs ms: $text', ({ remainingMs, text }) => {
    expect(clockText(remainingMs)).toBe(text);
  });
});

describe('delay until the text changes', () => {
  test.each([
    { remainingMs: 899_000, delayMs: 1_000 },
    { remainingMs: 899_001, delayMs: 1 },
    { remainingMs: 898_999, delayMs: 999 },
    { remainingMs: 899_000.25, delayMs: 1 },
    { remainingMs: 898_999.75, delayMs: 1_000 },
    { remainingMs: 0.25, delayMs: 1 },
  ])('$remainingMs ms left: $delayMs ms', ({ remainingMs, delayMs }) => {
    expect(nextTickMs(remainingMs)).toBe(delayMs);
  });

  test('is a whole number of milliseconds, at least one, until exactly the next text', () => {
    fc.assert(
      fc.property(fc.double({ min: 1, max: 15 * MINUTE_MS, noNaN: true }), (remainingMs) => {
        const delayMs = nextTickMs(remainingMs);
        expect(Number.isInteger(delayMs) && delayMs >= 1 && delayMs <= SECOND_MS).toBe(true);
        expect(clockText(remainingMs - delayMs)).toBe(clockText(remainingMs - SECOND_MS));
      }),
    );
  });
});
