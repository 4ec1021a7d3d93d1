import { describe, expect, test } from 'vitest';
import {
  pollDelayMs,
  retryAfterMs,
  retryDelayMs,
} from '../../../src/engine/checkout/browser/schedule.ts';

/**
 * Goal: a waiting customer gets news soon, and polls never overload a device or a failing gateway.
 */

const HOUR_MS = 3_600_000;

describe('delay before the next poll', () => {
  test.each([
    { isFast: true, pollCount: 0, delayMs: 1_500 },
    { isFast: true, pollCount: 19, delayMs: 1_500 },
    { isFast: true, pollCount: 20, delayMs: 3_000 },
    { isFast: true, pollCount: 59, delayMs: 3_000 },
    { isFast: true, pollCount: 60, delayMs: 10_000 },
    { isFast: true, pollCount: 1_000_000, delayMs: 10_000 },
    { isFast: false, pollCount: 0, delayMs: 5_000 },
    { isFast: false, pollCount: 59, delayMs: 5_000 },
    { isFast: false, pollCount: 60, delayMs: 15_000 },
    { isFast: false, pollCount: 1_000_000, delayMs: 15_000 },
  ])('$delayMs ms after $pollCount polls, fast: $isFast', ({ isFast, pollCount, delayMs }) => {
    expect(pollDelayMs(isFast, pollCount)).toBe(delayMs);
  });
});

describe('delay after failures', () => {
  test.each([
    { failureCount: 1, delayMs: 2_000 },
    { failureCount: 2, delayMs: 4_000 },
    { failureCount: 3, delayMs: 8_000 },
    { failureCount: 4, delayMs: 16_000 },
    { failureCount: 5, delayMs: 30_000 },
    { failureCount: 6, delayMs: 30_000 },
    { failureCount: 5_000, delayMs: 30_000 },
  ])('$failureCount in a row: up to $delayMs ms', ({ failureCount, delayMs }) => {
    expect(retryDelayMs(failureCount, 0, null)).toBe(delayMs);
    expect(retryDelayMs(failureCount, 1, null)).toBe(delayMs * 0.75);
    const delays = [0.1, 0.2, 0.3].map((random) => retryDelayMs(failureCount, random, null));
    expect(new Set(delays).size, 'pages come back at different times').toBe(3);
  });

  test.each([
    { failureCount: 1, retryAfter: '1', delayMs: 2_000 },
    { failureCount: 1, retryAfter: '7', delayMs: 7_000 },
    { failureCount: 3, retryAfter: '7', delayMs: 8_000 },
    { failureCount: 5, retryAfter: '120', delayMs: 120_000 },
  ])('Retry-After $retryAfter is a minimum of $delayMs ms', (row) => {
    expect(retryDelayMs(row.failureCount, 0, row.retryAfter)).toBe(row.delayMs);
    expect(retryDelayMs(row.failureCount, 1, row.retryAfter)).toBeGreaterThanOrEqual(
      Number(row.retryAfter) * 1_000,
    );
  });
});

describe('Retry-After', () => {
  test.each([
    { retryAfter: null, delayMs: 0 },
    { retryAfter: '', delayMs: 0 },
    { retryAfter: '0', delayMs: 0 },
    { retryAfter: '10', delayMs: 10_000 },
    { retryAfter: ' 10 ', delayMs: 10_000 },
    { retryAfter: 'Wed, 21 Oct 2026 07:28:00 GMT', delayMs: 0 },
    { retryAfter: 'soon', delayMs: 0 },
    { retryAfter: '86400', delayMs: HOUR_MS },
    { retryAfter: '99999999999999999999', delayMs: HOUR_MS },
    { retryAfter: 'Infinity', delayMs: HOUR_MS },
  ])('$retryAfter is $delayMs ms', ({ retryAfter, delayMs }) => {
    expect(retryAfterMs(retryAfter)).toBe(delayMs);
  });

  test('a negative delay does not hasten a poll', () => {
    expect(retryDelayMs(1, 0, '-5')).toBe(2_000);
  });
});
