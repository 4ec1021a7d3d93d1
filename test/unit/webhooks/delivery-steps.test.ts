import { describe, expect, test } from 'vitest';
import { CLAIM_LEASE_MS, queuedLeaseMs } from '../../../src/engine/domain/schedule.ts';
import {
  addressed,
  claimed,
  newDelivery,
  queued,
  reported,
  resent,
  superseded,
} from '../../../src/engine/intent/delivery.ts';
import type { DeliveryReport } from '../../../src/engine/intent/protocol.ts';
import type { StoredDelivery } from '../../../src/engine/intent/store.ts';

/** Goal: the steps of a delivery that only matter over many tries. */

const nowMs = 1_000_000;

const context = { createdAtMs: nowMs, chance: 0.5, nowMs };

const delivery: StoredDelivery = {
  endpointId: null,
  origin: 'https://shop.example.com',
  deliveryStatus: 'queued',
  claimId: null,
  dueAtMs: nowMs,
  timesQueued: 0,
  tries: 0,
  log: [],
  revision: 0,
};

/** The delivery after a claimed try with this outcome. */
function tried(
  before: StoredDelivery,
  outcome: DeliveryReport['outcome'],
  log: DeliveryReport['log'],
): StoredDelivery {
  const report = { sequence: 3, position: 0, claimId: 'claim', outcome, log };
  return reported(claimed(before, 'claim', nowMs), report, context);
}

describe('a claim', () => {
  test.each([
    [0, CLAIM_LEASE_MS],
    [3, queuedLeaseMs(3)],
    [10, queuedLeaseMs(10)],
  ])('without a report backs off: sent %i times, due in %i ms', (timesQueued, waitMs) => {
    const claim = claimed({ ...delivery, timesQueued }, 'claim', nowMs);
    expect(claim.dueAtMs).toBe(nowMs + waitMs);
  });
});

describe('the message of a delivery', () => {
  test.each([
    ['for a new try', 'waiting', 0],
    ['for the daily probe of a paused endpoint', 'paused', 0],
    ['again, because the message before was lost', 'queued', 4],
    ['again, because its consumer was lost', 'claimed', 4],
  ] as const)('is sent %s: it backs off only when repeated', (_name, deliveryStatus, times) => {
    expect(queued({ ...delivery, deliveryStatus, timesQueued: 3 }, nowMs)).toMatchObject({
      deliveryStatus: 'queued',
      timesQueued: times,
      dueAtMs: nowMs + queuedLeaseMs(times),
    });
  });
});

test('a manual resend starts the schedule again, and its message has a lease', () => {
  const dead = { ...delivery, deliveryStatus: 'dead', timesQueued: 3, tries: 10, dueAtMs: null };
  expect(resent(dead as StoredDelivery, nowMs)).toMatchObject({
    ...{ deliveryStatus: 'queued', timesQueued: 0, tries: 0 },
    dueAtMs: nowMs + queuedLeaseMs(0),
  });
});

describe('the log of tries', () => {
  test('keeps the newest forty', () => {
    let logged = delivery;
    for (let atMs = 0; atMs < 60; atMs += 1) {
      const log = { atMs, durationMs: 1, httpStatus: 500, error: null, answerExcerpt: '' };
      const outcome = { type: 'failed', retryAfterMs: null, isEndpointPaused: false } as const;
      logged = tried({ ...logged, tries: 0 }, outcome, log);
    }
    expect(logged.log.map(({ atMs }) => atMs)).toEqual(
      Array.from({ length: 40 }, (_none, index) => 20 + index),
    );
  });
});

describe('an internal failure', () => {
  test('uses no try and is retried within a minute, even when repeated', () => {
    let failing = delivery;
    for (let times = 0; times < 10; times += 1) {
      failing = tried({ ...failing, timesQueued: times }, { type: 'not_sent' }, null);
      expect(failing).toMatchObject({ deliveryStatus: 'queued', tries: 0, log: [] });
      expect((failing.dueAtMs ?? 0) - nowMs).toBeLessThanOrEqual(60_000);
    }
  });

  test('that never ends backs off to an hour, and is visibly given up after a month', () => {
    const failedTimes = (timesQueued: number) =>
      tried({ ...delivery, timesQueued }, { type: 'not_sent' }, null);
    expect(failedTimes(60).dueAtMs).toBe(nowMs + 60_000);
    expect(failedTimes(70).dueAtMs).toBe(nowMs + 3_600_000);
    expect(failedTimes(779)).toMatchObject({ deliveryStatus: 'queued', tries: 0 });
    expect(failedTimes(780)).toMatchObject({ deliveryStatus: 'dead', dueAtMs: null });
  });
});

describe('choosing the endpoints', () => {
  const waiting = newDelivery({ endpointId: null, origin: null }, nowMs);
  const endpoints = [
    { endpointId: 'we_a', origin: 'https://a.example.com' },
    { endpointId: 'we_b', origin: 'https://b.example.com' },
  ];

  test('gives each its own delivery, and the first the lease of the one before', () => {
    const queuedOften = { ...waiting, timesQueued: 3, dueAtMs: nowMs + 7 };
    expect(addressed(queuedOften, endpoints, nowMs + 1)).toMatchObject([
      { endpointId: 'we_a', timesQueued: 3, dueAtMs: nowMs + 7 },
      { endpointId: 'we_b', timesQueued: 0, dueAtMs: nowMs + 1 + queuedLeaseMs(0) },
    ]);
  });

  test.each([
    ['again', addressed(waiting, endpoints, nowMs)[0], endpoints],
    ['of a payment with a callbackUrl', delivery, endpoints],
    ['none', waiting, []],
  ])('%s changes nothing', (_name, before, chosen) => {
    expect(addressed(before, chosen, nowMs)).toEqual([before]);
  });

  test.each([
    ['delivered', 'delivered'],
    ['skipped', 'skipped'],
    ['queued', 'superseded'],
    ['undeliverable', 'superseded'],
  ] as const)('a later event leaves one that is %s as %s', (before, after) => {
    expect(superseded({ ...waiting, deliveryStatus: before }).deliveryStatus).toBe(after);
  });
});
