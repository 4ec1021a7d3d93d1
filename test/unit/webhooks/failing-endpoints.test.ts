import { describe, expect, test } from 'vitest';
import { dateOf, readDays } from '../../../back-office/dashboard/days.ts';
import { endpointOrigin } from '../../../src/engine/webhooks/endpoints.ts';
import {
  FAILURE_WRITTEN_EVERY_MS,
  type FailingEndpoint,
  needsRecording,
  PAUSE_AFTER_MS,
} from '../../../src/engine/webhooks/failing-endpoints.ts';
import { mayEnd } from '../../../src/engine/webhooks/secret-rules.ts';

/** Goal: the pure steps behind paused endpoints and the webhook pages. */

const nowMs = Date.UTC(2026, 10, 21, 12);

const known = (changes: Partial<FailingEndpoint>): FailingEndpoint => ({
  endpoint: 'https://shop.example.com',
  failingSinceMs: nowMs - 1,
  lastFailureAtMs: nowMs - 1,
  lastError: 'HTTP 500',
  pausedAtMs: null,
  ...changes,
});

test.each([
  ['https://shop.example.com/hook/order-1?x=1', 'https://shop.example.com'],
  ['https://SHOP.example.com:443/', 'https://shop.example.com'],
  ['http://shop.example.com:8080', 'http://shop.example.com:8080'],
  ['https://u:p@shop.example.com/', 'https://shop.example.com'],
  ['mailto:shop@example.com', 'mailto:'],
  ['telegram:-1001234', 'telegram:'],
  ['ftp://shop.example.com', null],
  ['no address', null],
])('the endpoint of %s is %s', (url, origin) => {
  expect(endpointOrigin(url)).toBe(origin);
});

test.each([
  ['records', 'of an endpoint without failures', undefined, true],
  ['skips', 'a moment after another one', known({}), false],
  [
    'records',
    'some minutes after another one',
    known({ lastFailureAtMs: nowMs - FAILURE_WRITTEN_EVERY_MS, failingSinceMs: nowMs - 9e5 }),
    true,
  ],
  ['records', 'that pauses the endpoint', known({ failingSinceMs: nowMs - PAUSE_AFTER_MS }), true],
  [
    'skips',
    'a millisecond before the pause',
    known({ failingSinceMs: nowMs - PAUSE_AFTER_MS + 1 }),
    false,
  ],
  [
    'skips',
    'of a paused endpoint',
    known({ failingSinceMs: 0, lastFailureAtMs: 0, pausedAtMs: 1 }),
    false,
  ],
])('%s a failure %s', (_verb, _failure, endpoint, expected) => {
  expect(needsRecording(endpoint, nowMs)).toBe(expected);
});

test('a secret may end while another one stays', () => {
  const secret = (id: string, expiresAtMs: number | null) => ({ id, createdAtMs: 0, expiresAtMs });
  const old = secret('old', nowMs + 1);
  const fresh = secret('new', null);
  expect([mayEnd(old, [fresh, old]), mayEnd(fresh, [fresh, old])]).toEqual([true, false]);
  expect(mayEnd(fresh, [fresh])).toBe(false);
  expect(mayEnd(fresh, [fresh, secret('newer', null)])).toBe(true);
});

describe('days of a form', () => {
  const startMs = Date.UTC(2026, 10, 20, 21);

  test.each([
    ['2026-11-21', '2026-11-21', { fromMs: startMs, toMs: startMs + 86_400_000 }],
    ['2026-11-21', '', { fromMs: startMs, toMs: undefined }],
    ['', '2026-11-20', { fromMs: undefined, toMs: startMs }],
    ['', '', { fromMs: undefined, toMs: undefined }],
  ])('from "%s" to "%s" are days in Addis Ababa, both included', (from, to, range) => {
    expect(readDays(from, to)).toEqual({ from, to, problem: null, range });
  });

  test.each([
    ['2026-02-30', '', 'from', 'badDate'],
    ['', '2026-2-1', 'to', 'badDate'],
    ['x'.repeat(100_000), '', 'from', 'badDate'],
    ['2026-11-22', '2026-11-21', 'to', 'datesReversed'],
  ])('from "%.12s" to "%s" are rejected', (from, to, field, kind) => {
    expect(readDays(from, to)).toMatchObject({
      problem: { field, kind },
      range: { fromMs: 0, toMs: 0 },
    });
  });

  test('today begins at midnight in Addis Ababa', () => {
    expect([dateOf(startMs - 1), dateOf(startMs)]).toEqual(['2026-11-20', '2026-11-21']);
  });
});
