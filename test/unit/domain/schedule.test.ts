import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  CHECKS_STOP_AFTER_MS,
  CLAIM_LEASE_MS,
  DELIVERY_WAITS_MS,
  deliveryWaitMs,
  nextCheckAtMs,
  nextRefundCheckAtMs,
  ownFailureWaitMs,
  pausedDueAtMs,
  QUEUED_LEASE_MS,
  queuedLeaseMs,
} from '../../../src/engine/domain/schedule.ts';
import { TRY_TIMEOUT_MS } from '../../../src/engine/webhooks/transport.ts';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const middle = 0.5;
const chances = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('the webhook schedule (decisions.md#18)', () => {
  test('is ten tries: 0, 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h', () => {
    expect(DELIVERY_WAITS_MS).toEqual([
      0,
      5 * secondMs,
      5 * minuteMs,
      30 * minuteMs,
      2 * hourMs,
      5 * hourMs,
      10 * hourMs,
      14 * hourMs,
      20 * hourMs,
      24 * hourMs,
    ]);
  });

  test('waits exactly as written in the middle of the jitter, and ends after the tenth try', () => {
    for (let triesMade = 1; triesMade < 10; triesMade += 1) {
      expect(deliveryWaitMs(triesMade, middle, null)).toBe(DELIVERY_WAITS_MS[triesMade]);
    }
    expect(deliveryWaitMs(10, middle, null)).toBeNull();
    expect(deliveryWaitMs(11, middle, 5 * secondMs)).toBeNull();
  });

  test('spreads every wait by at most 10 % in both directions', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), chances, (triesMade, chance) => {
        const wait = DELIVERY_WAITS_MS[triesMade] ?? 0;
        const jittered = deliveryWaitMs(triesMade, chance, null) ?? Number.NaN;
        expect(Number.isInteger(jittered)).toBe(true);
        expect(jittered).toBeGreaterThanOrEqual(Math.floor(wait * 0.9));
        expect(jittered).toBeLessThanOrEqual(Math.ceil(wait * 1.1));
      }),
    );
    expect(deliveryWaitMs(1, 0, null)).toBe(4_500);
    expect(deliveryWaitMs(1, 1, null)).toBe(5_500);
  });

  test('Retry-After lengthens a wait, never shortens it, and never beyond a day', () => {
    expect(deliveryWaitMs(1, middle, minuteMs)).toBe(minuteMs);
    expect(deliveryWaitMs(2, middle, secondMs)).toBe(5 * minuteMs);
    expect(deliveryWaitMs(1, middle, 400 * dayMs)).toBe(dayMs);
    expect(deliveryWaitMs(9, middle, 0)).toBe(dayMs);
  });
});

describe('after the schedule (decisions.md#18)', () => {
  test('a paused event is tried daily, for 30 days', () => {
    expect(pausedDueAtMs(1_000, 5_000)).toBe(5_000 + dayMs);
    expect(pausedDueAtMs(1_000, 1_000 + 30 * dayMs - 1)).not.toBeNull();
    expect(pausedDueAtMs(1_000, 1_000 + 30 * dayMs)).toBeNull();
  });

  test('our own failures wait up to a minute for an hour, then up to an hour for a month', () => {
    const waits = [0, 1, 3, 4, 11, 60, 61, 62, 65, 66, 71, 779].map(ownFailureWaitMs);
    expect(waits).toEqual(
      [5, 10, 40, 60, 60, 60, 120, 240, 1_920, 3_600, 3_600, 3_600].map(
        (seconds) => seconds * secondMs,
      ),
    );
    expect(ownFailureWaitMs(780)).toBeNull();
  });
});

describe('leases (promises.md#6, docs/architecture.md)', () => {
  test('of a queued message double from 30 s to an hour, for every count', () => {
    expect([0, 1, 2, 3, 4, 5, 6].map(queuedLeaseMs)).toEqual(
      [30, 60, 120, 240, 480, 960, 1_920].map((seconds) => seconds * secondMs),
    );
    expect(QUEUED_LEASE_MS).toBe(queuedLeaseMs(0));
    expect(queuedLeaseMs(7)).toBe(hourMs);
    expect(queuedLeaseMs(1_000_000)).toBe(hourMs);
  });

  test('of a claimed delivery outlast the try, with time for the report', () => {
    expect(CLAIM_LEASE_MS).toBeGreaterThanOrEqual(TRY_TIMEOUT_MS + 10 * secondMs);
  });
});

describe('reconciliation (decisions.md#31)', () => {
  test('doubles from 5 s to 6 h', () => {
    const waits = [0, 1, 2, 3, 11, 12, 13, 1_000].map((checks) => nextCheckAtMs(checks, 0, 0));
    expect(waits).toEqual([
      5 * secondMs,
      10 * secondMs,
      20 * secondMs,
      40 * secondMs,
      10_240 * secondMs,
      20_480 * secondMs,
      6 * hourMs,
      6 * hourMs,
    ]);
  });

  test('counts from now, and stops 30 days after the start of the attempt', () => {
    expect(nextCheckAtMs(0, 1_000, 61_000)).toBe(66_000);
    expect(CHECKS_STOP_AFTER_MS).toBe(30 * dayMs);
    expect(nextCheckAtMs(50, 1_000, 1_000 + 30 * dayMs - 1)).not.toBeNull();
    expect(nextCheckAtMs(50, 1_000, 1_000 + 30 * dayMs)).toBeNull();
  });

  test('of a refund counts from its request to the provider, else from its creation', () => {
    const refund = { checks: 0, deadlineAtMs: dayMs, createdAtMs: 0 };
    expect(nextRefundCheckAtMs(refund, 30 * dayMs)).toBe(30 * dayMs + 5 * secondMs);
    expect(nextRefundCheckAtMs(refund, 31 * dayMs)).toBeNull();
    expect(nextRefundCheckAtMs({ ...refund, deadlineAtMs: null }, 30 * dayMs)).toBeNull();
  });

  test('is always in the future and never more than 6 h away', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat({ max: CHECKS_STOP_AFTER_MS - 1 }), (checks, nowMs) => {
        const waitMs = (nextCheckAtMs(checks, 0, nowMs) ?? Number.NaN) - nowMs;
        expect(waitMs).toBeGreaterThanOrEqual(5 * secondMs);
        expect(waitMs).toBeLessThanOrEqual(6 * hourMs);
      }),
    );
  });
});
