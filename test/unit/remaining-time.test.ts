import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { decide, nextWakeAtMs, openIntent } from '../../src/domain/decide.ts';
import type { Intent } from '../../src/domain/intent.ts';
import { METHODS, type Method } from '../../src/domain/method.ts';
import { isEnoughTimeLeft } from '../../src/domain/time.ts';
import { type Rail, STORING_TIME_MS } from '../../src/rails/rail.ts';
import { timeNeededMs } from '../../src/rails/registry.ts';
import { configuredRail } from '../../src/rails/settings.ts';
import { SIMULATED_WINDOW_MS } from '../../src/rails/simulator/rail.ts';
import { fail, someTerms, startAttempt, succeed } from '../support/intents.ts';
import { envOf, envWithAll, NBG } from './rail-settings-fixture.ts';

/**
 * Goal: no provider takes money for a payment that was announced as expired, wherever we know the
 * provider's window (docs/decisions.md#31, docs/promises.md#5). Method: the decision at each edge,
 * and every rail's plan for payments of many lengths.
 */

const EXPIRES_AT_MS = 60_000;

function openPayment(kind: 'hosted' | 'express' = 'hosted'): Intent {
  return openIntent(someTerms({ kind, expiresAtMs: EXPIRES_AT_MS }));
}

/** A start by a rail whose fixed window is `windowMs`. */
function start(nowMs: number, windowMs: number) {
  const attempt = { flow: 'push', deadlineAtMs: nowMs + windowMs } as const;
  return { ...startAttempt('a', attempt), timeNeededMs: windowMs };
}

describe('a start', () => {
  test.each([
    ['exactly enough time', 30_000, 30_000, null],
    ['a millisecond too little', 30_001, 30_000, 'too_little_time'],
    ['more than enough', 0, 30_000, null],
    ['the whole time', 0, EXPIRES_AT_MS, null],
    ['more than the whole time', 0, EXPIRES_AT_MS + 1, 'too_little_time'],
    ['no need of time, in the last millisecond', EXPIRES_AT_MS - 1, 0, null],
    ['any need, in the last millisecond', EXPIRES_AT_MS - 1, 2, 'too_little_time'],
    // Time comes first: the payment has expired.
    ['no need of time, at the expiry', EXPIRES_AT_MS, 0, 'not_open'],
    ['any need, at the expiry', EXPIRES_AT_MS, 1, 'not_open'],
  ])('with %s: at %d ms, needing %d ms: %s', (_name, nowMs, neededMs, rejection) => {
    const decision = decide(openPayment(), [start(nowMs, neededMs)], nowMs);
    expect(decision.rejection).toBe(rejection);
    expect(decision.intent.attempts).toHaveLength(rejection === null ? 1 : 0);
  });

  test('without a stated need starts at any time before the expiry', () => {
    const nowMs = EXPIRES_AT_MS - 1;
    const decision = decide(openPayment(), [startAttempt('a')], nowMs);
    expect(decision.rejection).toBeNull();
  });

  test('that is repeated after its answer was lost is not refused as too late', () => {
    const command = start(0, EXPIRES_AT_MS);
    const { intent } = decide(openPayment(), [command], 0);
    expect(decide(intent, [command], 1)).toMatchObject({ rejection: null, steps: [] });
  });

  test('that is refused changes nothing, and leaves other methods open', () => {
    const before = openPayment();
    const refused = decide(before, [start(30_001, 30_000)], 30_001);
    expect(refused).toMatchObject({ steps: [], intent: before });
    expect(decide(refused.intent, [start(30_001, 29_999)], 30_001).rejection).toBeNull();
  });
});

/** Deterministic numbers in [0, 1), so that a failure can be repeated. */
function* chances(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 32;
  }
}

describe('every accepted start', () => {
  test('ends before the expiry, which is then announced on time and only once', () => {
    const random = chances(20_261_122);
    const upTo = (max: number) => Math.floor(random.next().value * (max + 1));
    let accepted = 0;
    for (let round = 0; round < 2_000; round += 1) {
      const startedAtMs = upTo(EXPIRES_AT_MS - 1);
      const windowMs = upTo(EXPIRES_AT_MS);
      const { intent, rejection } = decide(
        openPayment(round % 2 === 0 ? 'hosted' : 'express'),
        [start(startedAtMs, windowMs)],
        startedAtMs,
      );
      const fits = isEnoughTimeLeft(intent.terms, windowMs, startedAtMs);
      expect(rejection).toBe(fits ? null : 'too_little_time');
      if (!fits) {
        continue;
      }
      accepted += 1;
      const deadlineAtMs = startedAtMs + windowMs;
      expect(deadlineAtMs).toBeLessThanOrEqual(EXPIRES_AT_MS);
      const lastMs = decide(intent, [{ type: 'tick' }], EXPIRES_AT_MS - 1).intent;
      expect(['processing']).toContain(lastMs.status);
      expect(nextWakeAtMs(lastMs)).toBe(EXPIRES_AT_MS);
      const expired = decide(lastMs, [{ type: 'tick' }], EXPIRES_AT_MS);
      expect(expired.steps.map(({ event }) => event)).toEqual(['payment_expired']);
      // A provider that is wrong about its own window is still believed.
      const late = decide(expired.intent, [succeed('a')], EXPIRES_AT_MS + 1);
      expect(late.intent).toMatchObject({ status: 'succeeded', late: true });
    }
    // Both sides of the rule were met.
    expect(accepted).toBeGreaterThan(100);
    expect(accepted).toBeLessThan(1_900);
  });

  test.each([
    ['a report in the last millisecond', EXPIRES_AT_MS - 1, ['payment_succeeded'], false],
    ['a report at the expiry', EXPIRES_AT_MS, ['payment_expired', 'payment_succeeded'], true],
  ])('%s is late only once the expiry was announced', (_name, atMs, events, late) => {
    const { intent } = decide(openPayment(), [start(0, EXPIRES_AT_MS)], 0);
    const { steps, intent: paid } = decide(intent, [succeed('a')], atMs);
    expect(steps.flatMap(({ event }) => event ?? [])).toEqual(events);
    expect(paid).toMatchObject({ status: 'succeeded', late });
  });

  test('a failure at the expiry is an expiry, announced once', () => {
    const { intent } = decide(openPayment(), [start(0, EXPIRES_AT_MS)], 0);
    const { steps } = decide(intent, [fail('a')], EXPIRES_AT_MS);
    expect(steps.flatMap(({ event }) => event ?? [])).toEqual(['payment_expired']);
  });
});

const ALL = envWithAll('production', 'sandbox');
const NBG_ENV = envOf({ RAIL_ETS_SWITCH_PRODUCTION: NBG });

function railOf(method: Method, env = ALL): Rail {
  const rail = configuredRail(env, 'production', method);
  if (rail === null) {
    throw new Error(`${method} is not configured`);
  }
  return rail;
}

/** When no attempt that starts now is in flight any more. */
function endsAtMs(rail: Rail, method: Method, lifetimeMs: number): number {
  const terms = someTerms({ environment: 'production', expiresAtMs: lifetimeMs });
  const { deadlineAtMs } = rail.plan(terms, method, 0);
  // A consumer may claim the start until the deadline; the claim sets another.
  return rail.startWaitsForCustomer
    ? deadlineAtMs + rail.startTimeoutMs + STORING_TIME_MS
    : deadlineAtMs;
}

describe('the rails', () => {
  /** The provider's window is known, and an attempt that would outlive the payment is not started. */
  const BOUNDED: readonly Method[] = [
    'TELE_BIRR',
    'TELE_BIRR_USSD',
    'ETS_SWITCH',
    'M_PESA',
    'E_BIRR',
  ];

  test.each(BOUNDED)('%s: an attempt in flight never delays the expiry', (method) => {
    const rail = railOf(method);
    expect(rail.timeNeededMs).toBeGreaterThan(0);
    // A rail may need no more than its shortest attempt takes.
    expect(endsAtMs(rail, method, rail.timeNeededMs)).toBe(rail.timeNeededMs);
    const random = chances(4_711);
    for (let round = 0; round < 500; round += 1) {
      const moreMs = Math.floor(random.next().value ** 4 * 200 * 60_000);
      const lifetimeMs = rail.timeNeededMs + moreMs;
      expect(endsAtMs(rail, method, lifetimeMs)).toBeLessThanOrEqual(lifetimeMs);
    }
  });

  test.each([
    ['CBE', railOf('CBE')],
    ['EthSwitch NBG', railOf('ETS_SWITCH', NBG_ENV)],
  ] as const)('%s: its own window is unknown, so it may delay the expiry', (_name, rail) => {
    expect(rail.timeNeededMs).toBe(0);
    expect(endsAtMs(rail, 'CBE', 1_000)).toBe(300_000);
    expect(endsAtMs(rail, 'CBE', 600_000)).toBe(600_000);
  });

  test('the merchants’ guide states the defaults', () => {
    const guide = readFileSync('docs/api.md', 'utf8');
    const rows = [...guide.matchAll(/^\| (`[A-Z_]+`[^|]*?) +\| (\S[^|]*?) +\| (\S[^|]*?) +\|$/gm)]
      .map(([, method, needed, latest]) => [method, needed, latest])
      .filter(([, , latest]) => latest?.includes('`expireIn`'));
    const nbg = railOf('ETS_SWITCH', NBG_ENV);
    const rails: readonly (readonly [string, Rail])[] = [
      ...METHODS.map((method) => [`\`${method}\``, railOf(method)] as const),
      ['`ETS_SWITCH` by NBG', nbg],
    ];
    const expected = rails.map(([name, rail]) => {
      const lateMs = endsAtMs(rail, 'CBE', rail.timeNeededMs) - rail.timeNeededMs;
      return [
        rail.id === 'ethswitch-cards' ? `${name} by cards` : name,
        rail.timeNeededMs === 0 ? 'none' : `${rail.timeNeededMs / 1_000} s`,
        lateMs === 0 ? 'at `expireIn`' : `${lateMs / 1_000} s after \`expireIn\``,
      ];
    });
    expect(rows.sort()).toEqual(expected.sort());
    expect(guide).toContain(`until ${SIMULATED_WINDOW_MS / 1_000} s after the choice`);
  });

  test('needs count in production only', () => {
    for (const method of METHODS) {
      expect(timeNeededMs(ALL, 'sandbox', method)).toBe(0);
      expect(timeNeededMs(ALL, 'production', method)).toBe(railOf(method).timeNeededMs);
      expect(timeNeededMs(envWithAll('sandbox'), 'production', method)).toBe(0);
    }
  });
});
