import { describe, expect, test } from 'vitest';
import { CLAIM_LEASE_MS, queuedLeaseMs } from '../../src/domain/schedule.ts';
import { claimed, reported } from '../../src/intent/delivery.ts';
import type { StoredEvent } from '../../src/intent/store.ts';

/** Goal: the steps of a delivery that only matter over many tries. */

const nowMs = 1_000_000;

const event: StoredEvent = {
  sequence: 3,
  eventId: 'evt_1',
  type: 'payment_succeeded',
  body: '{}',
  signature: null,
  createdAtMs: nowMs,
  deliveryStatus: 'queued',
  claimId: null,
  dueAtMs: nowMs,
  timesQueued: 0,
  tries: 0,
  log: [],
  revision: 0,
};

describe('a claim', () => {
  test.each([
    [0, CLAIM_LEASE_MS],
    [3, queuedLeaseMs(3)],
    [10, queuedLeaseMs(10)],
  ])('without a report backs off: sent %i times, due in %i ms', (timesQueued, waitMs) => {
    const claim = claimed({ ...event, timesQueued }, 'claim', 'signature', nowMs);
    expect(claim.dueAtMs).toBe(nowMs + waitMs);
  });
});

describe('the log of tries', () => {
  test('keeps the newest forty', () => {
    let logged = event;
    for (let atMs = 0; atMs < 60; atMs += 1) {
      const claim = claimed({ ...logged, tries: 0 }, 'claim', 'signature', nowMs);
      const log = { atMs, durationMs: 1, httpStatus: 500, error: null, answerExcerpt: '' };
      const outcome = { type: 'failed', retryAfterMs: null, isEndpointPaused: false } as const;
      logged = reported(claim, { sequence: 3, claimId: 'claim', outcome, log }, 0.5, nowMs);
    }
    expect(logged.log.map(({ atMs }) => atMs)).toEqual(
      Array.from({ length: 40 }, (_none, index) => 20 + index),
    );
  });
});

describe('an internal failure', () => {
  test('uses no try and is retried within a minute, even when repeated', () => {
    let failing = event;
    for (let times = 0; times < 10; times += 1) {
      const claim = claimed({ ...failing, timesQueued: times }, 'claim', 'signature', nowMs);
      const report = { sequence: 3, claimId: 'claim', outcome: { type: 'not_sent' }, log: null };
      failing = reported(claim, report as Parameters<typeof reported>[1], 0.5, nowMs);
      expect(failing).toMatchObject({ deliveryStatus: 'queued', tries: 0, log: [] });
      expect((failing.dueAtMs ?? 0) - nowMs).toBeLessThanOrEqual(60_000);
    }
  });

  test('that never ends backs off to an hour, and is visibly given up after a month', () => {
    const failedTimes = (timesQueued: number) => {
      const claim = claimed({ ...event, timesQueued }, 'claim', 'signature', nowMs);
      const report = { sequence: 3, claimId: 'claim', outcome: { type: 'not_sent' }, log: null };
      return reported(claim, report as Parameters<typeof reported>[1], 0.5, nowMs);
    };
    expect(failedTimes(60).dueAtMs).toBe(nowMs + 60_000);
    expect(failedTimes(70).dueAtMs).toBe(nowMs + 3_600_000);
    expect(failedTimes(779)).toMatchObject({ deliveryStatus: 'queued', tries: 0 });
    expect(failedTimes(780)).toMatchObject({ deliveryStatus: 'dead', dueAtMs: null });
  });
});
