import { describe, expect, test } from 'vitest';
import { METHODS } from '../../../src/engine/domain/method.ts';
import type { Simulation } from '../../../src/engine/domain/terms.ts';
import type { RailOrder } from '../../../src/engine/rails/rail-order.ts';
import { railFor } from '../../../src/engine/rails/registry.ts';
import { simulator } from '../../../src/engine/rails/simulator/rail.ts';
import { SCENARIOS, type ScenarioName } from '../../../src/engine/rails/simulator/scenarios.ts';
import { attemptWith, NOW_MS, termsWith } from '../../support/checkout-fixtures.ts';

function orderWith(simulation: Simulation | null): RailOrder {
  return {
    terms: termsWith({ simulation, kind: simulation === null ? 'hosted' : 'express' }),
    attempt: attemptWith(),
    chargedMinor: 150_000,
    attemptToken: 't1.abc',
    callbackUrl: 'https://pay.example.com/rails/simulator/t1.abc',
    checkoutUrl: 'https://pay.example.com/checkout/t1.def',
    returnUrl: 'https://pay.example.com/checkout/t1.def/returned',
  };
}

describe('decisions.md#22: the sandbox rail', () => {
  test.each([null, 'interactive'] as const)(
    '%s: the customer chooses the outcome',
    async (simulation) => {
      const order = orderWith(simulation);
      expect(simulator.plan(order.terms, 'CBE', NOW_MS)).toEqual({
        flow: 'redirect',
        deadlineAtMs: order.terms.expiresAtMs,
        windowIsFinal: true,
        checkAtMs: null,
      });
      expect(await simulator.start(order)).toMatchObject({
        type: 'accepted',
        redirectUrl: 'https://pay.example.com/simulator/t1.abc',
      });
      expect(await simulator.query(order, NOW_MS)).toEqual({ type: 'unknown', checkAtMs: null });
    },
  );

  const HELD: readonly ScenarioName[] = ['expired_held', 'paid_held'];

  test.each([1, 5_000, 60_000, 31_622_400_000])(
    'an attempt with %d ms left ends with the payment, except by two amounts',
    (leftMs) => {
      const expiresAtMs = NOW_MS + leftMs;
      const deadlineOf = (amountMinor: number) => {
        const terms = termsWith({ environment: 'sandbox', expiresAtMs, amountMinor });
        return simulator.plan(terms, 'M_PESA', NOW_MS).deadlineAtMs;
      };
      expect(deadlineOf(150_000)).toBe(expiresAtMs);
      for (const [name, { amountMinor }] of Object.entries(SCENARIOS)) {
        const isHeld = HELD.includes(name as ScenarioName);
        const heldMs = deadlineOf(amountMinor) - expiresAtMs;
        expect(isHeld ? heldMs : Math.max(0, heldMs)).toBe(isHeld ? 30_000 : 0);
      }
    },
  );

  test('serves every sandbox method and nothing in production (decisions.md#23)', () => {
    const env = {} as Env;
    const sandbox = {
      environment: 'sandbox',
      kind: 'hosted',
      simulation: null,
      currency: 'ETB',
    } as const;
    for (const method of METHODS) {
      expect(railFor(env, sandbox, method)).toBe(simulator);
      expect(railFor(env, { ...sandbox, environment: 'production' }, method)).toBeNull();
    }
  });
});
