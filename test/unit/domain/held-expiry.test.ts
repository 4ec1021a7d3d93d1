import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { heldExpiryWarnings } from '../../../src/engine/api/held-expiry.ts';
import { newAttempt, windowEndsByMs } from '../../../src/engine/attempts/start.ts';
import type { Command } from '../../../src/engine/domain/command.ts';
import { decide, nextWakeAtMs, openIntent } from '../../../src/engine/domain/decide.ts';
import type { Intent } from '../../../src/engine/domain/intent.ts';
import { METHODS, type Method } from '../../../src/engine/domain/method.ts';
import type { IntentTerms } from '../../../src/engine/domain/terms.ts';
import { expiryHeldUntilMs } from '../../../src/engine/domain/time.ts';
import type { Rail } from '../../../src/engine/rails/rail.ts';
import { railFor } from '../../../src/engine/rails/registry.ts';
import { configuredRail } from '../../../src/engine/rails/settings.ts';
import { fail, someTerms, startAttempt, succeed, TICK } from '../../support/intents.ts';
import { envOf, envWithAll, NBG } from '../rails/rail-settings-fixture.ts';

/**
 * Goal: every published `expireIn` works, and Kefel never contradicts itself about money: an attempt
 * that may still be reported holds the expiry, Kefel says until when, and a payment that the provider
 * dates after the expiry is late (docs/decisions.md#1, docs/promises.md#5). Method: the decision at
 * each edge, and every rail's plan for payments of many lengths.
 */

const EXPIRES_AT_MS = 60_000;

function openPayment(kind: 'hosted' | 'express' = 'hosted'): Intent {
  return openIntent(someTerms({ kind, expiresAtMs: EXPIRES_AT_MS }));
}

/** A payment with an attempt in flight whose window ends at `deadlineAtMs`. */
function inFlight(deadlineAtMs: number, startedAtMs = 0): Intent {
  const command = startAttempt('a', { flow: 'push', deadlineAtMs });
  return decide(openPayment(), [command], startedAtMs).intent;
}

/** A report of a payment that the provider dates. */
function paid(paidAtMs: number | null): Command {
  const outcome = { type: 'succeeded', receipt: 'R1', paidAtMs } as const;
  return { type: 'resolve_attempt', attemptId: 'a', outcome };
}

const eventsOf = ({ steps }: ReturnType<typeof decide>) =>
  steps.flatMap(({ event }) => event ?? []);

describe('a start', () => {
  test.each([
    ['the whole time left', 0, null],
    ['a millisecond left', EXPIRES_AT_MS - 1, null],
    // Time comes first: the payment has expired.
    ['no time left', EXPIRES_AT_MS, 'not_open'],
  ])('with %s: at %d ms: %s', (_name, nowMs, rejection) => {
    const start = startAttempt('a', { deadlineAtMs: nowMs + 180_000 });
    const decision = decide(openPayment(), [start], nowMs);
    expect(decision.rejection).toBe(rejection);
    expect(decision.intent.attempts).toHaveLength(rejection === null ? 1 : 0);
  });
});

describe('an attempt in flight at the expiry', () => {
  const UNTIL_MS = 240_000;

  test('holds it until the end of its window, and says so from the start', () => {
    const intent = inFlight(UNTIL_MS, EXPIRES_AT_MS - 1);
    expect(expiryHeldUntilMs(intent)).toBe(UNTIL_MS);
    const held = decide(intent, [TICK], UNTIL_MS - 1);
    expect(held).toMatchObject({ steps: [], intent: { status: 'processing' } });
    expect(nextWakeAtMs(held.intent)).toBe(UNTIL_MS);
    const over = decide(held.intent, [TICK], UNTIL_MS);
    expect(eventsOf(over)).toEqual(['payment_expired']);
    expect(expiryHeldUntilMs(over.intent)).toBeNull();
  });

  test('does not hold it if its window ends with the payment', () => {
    const intent = inFlight(EXPIRES_AT_MS);
    expect(expiryHeldUntilMs(intent)).toBeNull();
    expect(eventsOf(decide(intent, [TICK], EXPIRES_AT_MS))).toEqual(['payment_expired']);
  });

  test('expires it at once when it is proved unpaid', () => {
    const failed = decide(inFlight(UNTIL_MS), [fail('a')], EXPIRES_AT_MS);
    expect(eventsOf(failed)).toEqual(['payment_expired']);
  });

  test('lets no other attempt start meanwhile', () => {
    const second = startAttempt('b', { deadlineAtMs: UNTIL_MS });
    expect(decide(inFlight(UNTIL_MS), [second], EXPIRES_AT_MS).rejection).toBe('attempt_in_flight');
  });
});

describe('a success is late', () => {
  const UNTIL_MS = 240_000;

  test.each<[string, number | null, number, boolean]>([
    ['if the provider dates it after the expiry', EXPIRES_AT_MS + 1, 90_000, true],
    ['but not if the provider dates it at the expiry', EXPIRES_AT_MS, 90_000, false],
    ['but not if the provider dates it before', EXPIRES_AT_MS - 1, 90_000, false],
    ['but not if the provider gives no date', null, 90_000, false],
    [
      'but not if the date is far in the future, from a wrong clock',
      90_000 + 60_001,
      90_000,
      false,
    ],
    ['also if the provider’s clock is a little ahead', 90_000 + 60_000, 90_000, true],
  ])('%s', (_name, paidAtMs, nowMs, late) => {
    const decision = decide(inFlight(UNTIL_MS), [paid(paidAtMs)], nowMs);
    expect(eventsOf(decision)).toEqual(['payment_succeeded']);
    expect(decision.intent).toMatchObject({ status: 'succeeded', late });
  });

  test('for any date, once the expiry was announced', () => {
    const expired = decide(inFlight(UNTIL_MS), [TICK], UNTIL_MS).intent;
    const { intent } = decide(expired, [paid(1)], UNTIL_MS + 1);
    expect(intent).toMatchObject({ status: 'succeeded', late: true });
  });

  test('once the expiry is due, even if no alarm has announced it', () => {
    const decision = decide(inFlight(EXPIRES_AT_MS), [succeed('a')], EXPIRES_AT_MS);
    expect(eventsOf(decision)).toEqual(['payment_expired', 'payment_succeeded']);
    expect(decision.intent).toMatchObject({ status: 'succeeded', late: true });
  });
});

const ALL = envWithAll('production', 'sandbox') as Env;
const NBG_ENV = envOf({ RAIL_ETS_SWITCH_PRODUCTION: NBG }) as Env;

function railOf(method: Method, env = ALL): Rail {
  const rail = configuredRail(env, 'production', method);
  if (rail === null) {
    throw new Error(`${method} is not configured`);
  }
  return rail;
}

function termsOf(lifetimeMs: number, changes: Partial<IntentTerms> = {}): IntentTerms {
  const environment = 'production';
  return someTerms({ environment, kind: 'express', expiresAtMs: lifetimeMs, ...changes });
}

/** How long after the expiry an attempt can be reported that starts with so much time left. */
function heldMs(rail: Rail, leftMs: number): number {
  return windowEndsByMs(termsOf(leftMs), 'CBE', rail, 0) - leftMs;
}

/** The payment's time from which an attempt at its start no longer holds the expiry. */
function shortestUnheldMs(rail: Rail): number {
  let [held, unheld] = [0, 3_600_000];
  while (unheld - held > 1) {
    const middle = Math.floor((held + unheld) / 2);
    if (heldMs(rail, middle) > 0) {
      held = middle;
    } else {
      unheld = middle;
    }
  }
  return unheld;
}

const RAILS: readonly (readonly [string, Rail])[] = [
  ...METHODS.map((method) => {
    const name = method === 'ETS_SWITCH' ? `\`${method}\` by cards` : `\`${method}\``;
    return [name, railOf(method)] as const;
  }),
  ['`ETS_SWITCH` by NBG', railOf('ETS_SWITCH', NBG_ENV)],
];

describe('the rails', () => {
  test.each(RAILS)('%s: an attempt does not hold up a longer payment', (_name, rail) => {
    const shortestMs = shortestUnheldMs(rail);
    for (const moreMs of [0, 1, 59_999, 60_000, 500_000, 7_500_000, 90_000_000]) {
      expect(heldMs(rail, shortestMs + moreMs)).toBeLessThanOrEqual(0);
    }
  });

  test('the merchants’ guide states the defaults', () => {
    const guide = readFileSync('docs/api.md', 'utf8');
    const rows = [...guide.matchAll(/^\| (`[A-Z_]+`[^|]*?) +\| (\d+) s +\| (\d+) s +\|$/gm)];
    const stated = rows.map(([, name, shortest, held]) => [name, Number(shortest), Number(held)]);
    // The latest start is in the payment's last moment.
    const expected = RAILS.map(([name, rail]) => [
      name,
      shortestUnheldMs(rail) / 1_000,
      heldMs(rail, 0) / 1_000,
    ]);
    expect(stated.sort()).toEqual(expected.sort());
  });

  test('a start that no consumer has claimed by the expiry does not hold it', () => {
    const rail = railOf('E_BIRR');
    const terms = termsOf(5_000, { methods: [{ method: 'E_BIRR', commissionMinor: 0 }] });
    const attempt = newAttempt(terms, 'E_BIRR', '251911223344', rail, 0);
    const { intent } = decide(openIntent(terms), [{ type: 'start_attempt', attempt }], 0);
    const over = decide(intent, [TICK], 5_000);
    expect(eventsOf(over)).toEqual(['payment_expired']);
    // The customer was not prompted.
    expect(over.intent.attempts).toMatchObject([{ failureReason: 'rail_unavailable' }]);
  });
});

describe('a creation warns until when a provider may report', () => {
  const warningsFor = (terms: IntentTerms, env = ALL) =>
    heldExpiryWarnings(
      terms,
      terms.methods.map(({ method }) => ({ method, rail: railFor(env, terms, method) })),
    );
  const warningsOf = (method: Method, lifetimeMs: number, changes: Partial<IntentTerms> = {}) => {
    const methods = [{ method, commissionMinor: 0 }];
    return warningsFor(termsOf(lifetimeMs, { methods, ...changes }));
  };

  test.each([
    ['TELE_BIRR', 5_000, 90_000],
    ['TELE_BIRR_USSD', 30_000, 120_000],
    ['CBE', 5_000, 300_000],
    ['M_PESA', 30_000, 180_000],
    ['M_PESA', 179_999, 180_000],
    // The latest claim is at the expiry.
    ['E_BIRR', 30_000, 125_000],
    ['ETS_SWITCH', 30_000, 50_000],
  ] as const)('express, %s with %d ms: until %d ms', (method, lifetimeMs, untilMs) => {
    const [warning, ...others] = warningsOf(method, lifetimeMs);
    expect(others).toEqual([]);
    expect(warning).toContain(`expireIn is shorter than the time of ${method}`);
    expect(warning).toContain(new Date(untilMs).toISOString());
  });

  test('hosted: the customer may choose in the last moment', () => {
    const [warning] = warningsOf('M_PESA', 30_000, { kind: 'hosted' });
    expect(warning).toContain(new Date(30_000 + 180_000).toISOString());
  });

  test.each([
    ['express, which starts at once', 'express', 180_000],
    ['hosted, if the customer chooses within half a minute', 'hosted', 210_000],
  ] as const)('but not with enough time: %s', (_name, kind, lifetimeMs) => {
    expect(warningsOf('M_PESA', lifetimeMs, { kind })).toEqual([]);
    expect(warningsOf('M_PESA', lifetimeMs - 1, { kind })).toHaveLength(1);
  });

  test('names each method', () => {
    const methods = METHODS.map((method) => ({ method, commissionMinor: 0 }));
    const warnings = warningsFor(termsOf(5_000, { kind: 'hosted', methods }));
    expect(warnings.map((text) => METHODS.filter((name) => text.includes(` ${name}:`)))).toEqual(
      METHODS.map((method) => [method]),
    );
  });

  test('but not in the simulator, which never outlasts a payment', () => {
    for (const simulation of ['interactive', 'succeed', 'fail'] as const) {
      const changes = { environment: 'sandbox', simulation } as const;
      const terms = termsOf(5_000, {
        ...changes,
        methods: [{ method: 'CBE', commissionMinor: 0 }],
      });
      expect(warningsFor(terms, {} as Env)).toEqual([]);
    }
  });

  test('also of a provider’s test system', () => {
    const sandbox = { environment: 'sandbox', simulation: 'interactive' } as const;
    expect(warningsOf('M_PESA', 30_000, sandbox)).toHaveLength(1);
    expect(warningsOf('M_PESA', 30_000, { ...sandbox, simulation: 'succeed' })).toEqual([]);
  });
});
