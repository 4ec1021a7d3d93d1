import { describe, expect, test } from 'vitest';
import type { Simulation } from '../../src/domain/intent.ts';
import { METHODS } from '../../src/domain/method.ts';
import type { RailOrder } from '../../src/rails/rail.ts';
import { railFor } from '../../src/rails/registry.ts';
import { SIMULATED_SETTLE_AFTER_MS, simulator } from '../../src/rails/simulator/rail.ts';
import { attemptWith, NOW_MS, termsWith } from '../support/checkout-fixtures.ts';

function orderWith(simulation: Simulation | null): RailOrder {
  return {
    terms: termsWith({ simulation, kind: simulation === null ? 'hosted' : 'express' }),
    attempt: attemptWith(),
    chargedMinor: 150_000,
    attemptToken: 't1.abc',
    callbackUrl: 'https://pay.example.com/rails/simulator/t1.abc',
    selfDescribingId: 'A'.repeat(79),
    checkoutUrl: 'https://pay.example.com/checkout/t1.def',
    returnUrl: 'https://pay.example.com/checkout/t1.def/returned',
  };
}

function post(body: string, headers: Record<string, string> = {}): Request {
  return new Request('https://pay.example.com/rails/simulator/t1.abc', {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  });
}

describe('decisions.md#22: the sandbox rail', () => {
  test.each([null, 'interactive'] as const)(
    '%s: the customer plays the rail',
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

  test.each([
    ['succeed', { type: 'succeeded', receipt: null }],
    ['fail', { type: 'failed', reason: 'declined' }],
  ] as const)('%s: settles by itself', async (simulation, outcome) => {
    const order = orderWith(simulation);
    expect(simulator.plan(order.terms, 'CBE', NOW_MS)).toMatchObject({
      flow: 'push',
      checkAtMs: NOW_MS + SIMULATED_SETTLE_AFTER_MS,
    });
    expect(await simulator.start(order)).toMatchObject({ type: 'accepted', redirectUrl: null });
    expect(await simulator.query(order, NOW_MS)).toEqual(outcome);
    const refused = await simulator.handleCallback(post('outcome=approve'), order);
    expect(refused.type).toBe('refused');
  });

  test.each([
    ['approve', { type: 'succeeded', receipt: null }, false],
    ['decline', { type: 'failed', reason: 'declined' }, false],
    ['give_up', { type: 'failed', reason: 'abandoned' }, true],
  ])('the button %s', async (button, outcome, givesUp) => {
    const result = await simulator.handleCallback(post(`outcome=${button}`), orderWith(null));
    expect(result).toMatchObject({ type: 'outcome', outcome, givesUp, onlyPending: true });
    if (result.type === 'outcome') {
      const answer = result.answer({ customerUrl: 'https://a.example/x' });
      expect(answer.status).toBe(303);
      expect(answer.headers.get('location')).toBe('https://a.example/x');
    }
  });

  test.each([
    ['no outcome', post('')],
    ['an unknown outcome', post('outcome=win')],
    ['another type', post('outcome=approve', { 'content-type': 'text/plain' })],
    ['a form of another site', post('outcome=approve', { 'sec-fetch-site': 'cross-site' })],
    ['too long', post(`outcome=approve&x=${'y'.repeat(1e6)}`)],
  ])('refused: %s', async (_name, request) => {
    const result = await simulator.handleCallback(request, orderWith(null));
    expect(result.type === 'refused' && result.answer.status).toBe(400);
  });

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
