import { describe, expect, test } from 'vitest';
import { decideNotice, nextTryAtMs, type Told } from '../../../src/control/alerts/decide.ts';
import { countEvents, QUIET } from '../../../src/control/alerts/event-window.ts';
import {
  countAttempts,
  isFailing,
  type MethodHealth,
  NEW_METHOD,
} from '../../../src/control/alerts/method-health.ts';
import { REPEAT_EVERY_MS } from '../../../src/engine/alerts/subjects.ts';

/**
 * Goal: the pure steps of the operator's alerts: when something is said, when a method counts as
 * failing, and what is more than usual. Method: tables of states and the next one.
 */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const nowMs = Date.UTC(2026, 10, 28, 0, 0);
const soonMs = nowMs + REPEAT_EVERY_MS - MINUTE_MS;

describe('a subject', () => {
  const agoMs = nowMs - MINUTE_MS;
  const hourAgoMs = nowMs - REPEAT_EVERY_MS;
  const never: Told = { isOpen: false, saidAtMs: null, hasMore: true };
  const open = (saidAtMs: number, hasMore: boolean): Told => ({ isOpen: true, saidAtMs, hasMore });
  const over = (saidAtMs: number, hasMore: boolean): Told => ({ isOpen: false, saidAtMs, hasMore });

  test.each<[string, Told, number, 'new' | 'repeat' | 'resolved' | null, number | null]>([
    ['is told at once', never, 1, 'new', null],
    ['that never was is not told', never, 0, null, null],
    ['that stays as it is is not repeated', open(hourAgoMs, false), 1, null, null],
    ['that grows waits for the hour', open(agoMs, true), 2, null, soonMs],
    ['that grew is repeated after the hour', open(hourAgoMs, true), 2, 'repeat', null],
    ['that ends is resolved at once', open(agoMs, false), 0, 'resolved', null],
    ['is resolved once', over(agoMs, false), 0, null, null],
    ['that comes back waits for the hour', over(agoMs, true), 1, null, soonMs],
    ['that came back is told after the hour', over(hourAgoMs, true), 1, 'new', null],
    ['that came back and went is never told', over(agoMs, true), 0, null, null],
  ])('%s', (_, told, count, say, againAtMs) => {
    expect(decideNotice(told, count, nowMs)).toEqual({ say, againAtMs });
  });
});

describe('a message', () => {
  const tried = (isRefused: boolean, retryAfterMs: number | null = null) =>
    Array.from({ length: 40 }, (_, tries) =>
      nextTryAtMs(tries + 1, { isRefused, retryAfterMs }, nowMs),
    );

  test('is sent again for about a day', () => {
    const waits = tried(false).flatMap((atMs) => atMs ?? []);
    const wholeMs = waits.reduce((sum, atMs) => sum + atMs - nowMs, 0);
    expect(wholeMs / HOUR_MS).toBeGreaterThan(24);
    expect(wholeMs / HOUR_MS).toBeLessThan(25);
  });

  test('that a channel refuses makes room after the fifth try', () => {
    expect(tried(true).filter((atMs) => atMs !== null)).toHaveLength(4);
  });

  test.each([
    [40_000, 40_000],
    [1_000, 10_000],
    [10 * HOUR_MS, HOUR_MS],
  ])('waits %d ms if the channel asks for it, within the schedule and an hour', (asked, waits) => {
    expect(tried(false, asked)[0]).toBe(nowMs + waits);
  });
});

describe('a method', () => {
  const NONE = { succeeded: 0, refused: 0, unreached: 0 };
  const counting = (counts: Partial<typeof NONE>, health: MethodHealth = NEW_METHOD, times = 1) =>
    Array.from({ length: times }).reduce<MethodHealth>(
      (known) => countAttempts(known, { ...NONE, ...counts }, nowMs),
      health,
    );
  const usually = (succeeded: number, refused: number) =>
    counting({ succeeded, refused }, NEW_METHOD, 50);

  test.each<[string, MethodHealth, boolean]>([
    ['without attempts', NEW_METHOD, false],
    ['that four attempts in a row did not reach', counting({ unreached: 1 }, NEW_METHOD, 4), false],
    ['that five did not reach', counting({ unreached: 1 }, NEW_METHOD, 5), true],
    [
      'whose provider refused a customer between them',
      counting(
        { unreached: 1 },
        counting({ refused: 1 }, counting({ unreached: 1 }, NEW_METHOD, 4)),
        4,
      ),
      false,
    ],
    [
      'after one success',
      counting({ succeeded: 1 }, counting({ unreached: 1 }, NEW_METHOD, 50)),
      false,
    ],
    ['new, with 13 refusals in a row', counting({ refused: 13 }), false],
    ['new, with 14', counting({ refused: 14 }), true],
    [
      'where nine in ten succeed, with nine refusals',
      counting({ refused: 9 }, usually(9, 1)),
      false,
    ],
    ['where nine in ten succeed, with ten', counting({ refused: 10 }, usually(9, 1)), true],
    [
      'where one in ten succeeds, with 80 refusals',
      counting({ refused: 80 }, usually(1, 9)),
      false,
    ],
    ['where one in ten succeeds, with 90', counting({ refused: 90 }, usually(1, 9)), true],
  ])('%s', (_, health, failing) => {
    expect(isFailing(health)).toBe(failing);
  });

  test('forgets a fault that is over when it learns what is usual', () => {
    const health = usually(9, 1);
    const mended = counting({ succeeded: 1 }, counting({ unreached: 1_000 }, health));
    expect(mended.usualShare).toBeGreaterThan(health.usualShare - 0.01);
  });
});

describe('refused sign-ins', () => {
  const SUBJECT = 'sign_ins_refused';
  const hours = (counts: readonly number[]) =>
    counts.reduce(
      (window, count, hour) => countEvents(SUBJECT, window, count, null, nowMs + hour * HOUR_MS),
      QUIET,
    );

  test.each<[string, readonly number[], boolean]>([
    ['20 in an hour', [20], false],
    ['21', [21], true],
    ['a hundred each hour for two weeks', Array.from({ length: 336 }, () => 20), false],
    ['an hour after the flood', [500, 0], true],
    ['two hours after it', [500, 0, 0], false],
    ['a flood that goes on', [500, 500, 500], true],
  ])('%s', (_, counts, isOpen) => {
    expect(hours(counts).openSinceMs !== null).toBe(isOpen);
  });

  test('count as one flood until it ends', () => {
    expect(hours([500, 500]).total).toBe(1_000);
  });
});
