import { describe, expect, test, vi } from 'vitest';
import { jsonReply } from '../../scripts/stand-ins/stand-in.ts';
import type { Rail } from '../../src/engine/rails/rail.ts';
import { fixture, HOSTILE_TEXT, headersOf } from '../support/rails/ethswitch-scene.ts';
import { PLAYERS } from '../support/rails/players.ts';
import { RailScene, useRailScene } from '../support/rails/scene.ts';

/** Goal: NBG gets exactly the documented calls, and only its answer about our order counts. */

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const scene = await useRailScene(PLAYERS.nbg);

/** The order in the published answers. */
const publishedOrder = () =>
  scene.order(
    {},
    { attempt: { reference: 'H7K2M9QX4T0B8ZC3VN5D' }, terms: { amountMinor: 150_000 } },
  );

describe('the plan', () => {
  test('is a redirect without queries, open until the payment expires, at most a day', () => {
    const { terms } = scene.order();
    const nowMs = terms.createdAtMs;
    const plan = {
      flow: 'redirect',
      deadlineAtMs: terms.expiresAtMs,
      windowIsFinal: false,
      checkAtMs: null,
    };
    expect(scene.rail.plan(terms, 'ETS_SWITCH', nowMs)).toEqual(plan);
    const longer = { ...terms, expiresAtMs: nowMs + 30 * 86_400_000 };
    const deadlineAtMs = nowMs + 86_400_000;
    expect(scene.rail.plan(longer, 'ETS_SWITCH', nowMs)).toEqual({ ...plan, deadlineAtMs });
  });

  test('gives a customer of the last second the page’s own window', () => {
    const { terms } = scene.order();
    const nowMs = terms.expiresAtMs - 1_000;
    const deadlineOf = (rail: Rail) => rail.plan(terms, 'ETS_SWITCH', nowMs).deadlineAtMs;
    expect(deadlineOf(scene.rail)).toBe(nowMs + 300_000);
    const shorter = scene.railWith({ pageWindowSeconds: 60 });
    expect(deadlineOf(shorter)).toBe(nowMs + 60_000);
  });

  test('has no status query and no page that the adapter could compute', () => {
    expect(scene.rail).not.toHaveProperty('query');
    expect(scene.rail).not.toHaveProperty('page');
  });
});

describe('the requests', () => {
  test('login and order.create have exactly these fields', async () => {
    const own = await RailScene.start(PLAYERS.nbg);
    const nbg = own.standIn;
    const order = own.order({}, { order: { chargedMinor: 152_250 } });
    await own.rail.start(order);
    await own.stop();
    const { reference } = order.attempt;
    const [login, create] = nbg.calls;
    if (login === undefined || create === undefined) {
      throw new Error('two calls');
    }
    expect(nbg.calls).toHaveLength(2);
    expect([login.method, login.url]).toEqual(['POST', '/user/auth/login']);
    expect(headersOf(login)).toEqual({
      'content-type': 'application/json',
      accept: 'application/json',
    });
    const { username, password } = nbg.settings;
    expect(JSON.parse(login.body)).toEqual({ username, password });

    expect(create.method).toBe('POST');
    expect(create.url).toBe('/nbg/api/v1/payment/order/handle?action=order.create');
    expect(headersOf(create)).toEqual({
      'content-type': 'application/json',
      accept: 'application/json',
      authorization: expect.stringMatching(/^Bearer [0-9a-f-]{36}\.[0-9a-f-]{36}$/),
      'x-correlation-id': order.attempt.id,
      'x-biller-bin': 'KEFLETAA',
      'idempotency-key': reference,
    });
    expect(create.body).toBe(
      `{"amount":1522.50,"currency":"ETB","merchant_order_number":"${reference}",` +
        `"idempotency_key":"${reference}","description":"Tomoca Coffee: order-1001",` +
        `"success_url":"${order.returnUrl}","cancel_url":"${order.checkoutUrl}",` +
        `"callback_url":"${order.callbackUrl}","line_items":[{"item_name":` +
        '"Tomoca Coffee: order-1001","quantity":1,"unit_price":1522.50,' +
        '"total_usage_amount":1522.50}]}',
    );
  });

  test('truncate and clean hostile texts', async () => {
    const terms = { merchantName: HOSTILE_TEXT, description: HOSTILE_TEXT, uniqueId: HOSTILE_TEXT };
    expect((await scene.rail.start(scene.order({}, { terms }))).type).toBe('accepted');
    const { description } = JSON.parse(scene.standIn.calls.at(-1)?.body ?? '');
    expect(description).toMatch(/^ቡና [\p{L}\p{M}\p{N}.,:_ -]{1,97}$/u);
  });
});

describe('the start', () => {
  test('sends the customer to the hosted page', async () => {
    expect(await scene.rail.start(scene.order())).toEqual({
      type: 'accepted',
      redirectUrl: expect.stringMatching(
        new RegExp(`^${scene.standIn.baseUrl}/nbg/pay/[0-9a-f-]{36}$`),
      ),
      railReference: expect.stringMatching(UUID),
    });
  });

  test('reads the published answer', async () => {
    const body = fixture('nbg-created.json');
    const rail = await scene.scripted({ type: 'answer', status: 201, body });
    expect(await rail.start(publishedOrder())).toEqual({
      type: 'accepted',
      redirectUrl: 'https://nbg.example.et/nbg/pay/7a0f6a52-6c4c-4f6f-8a34-0f2f8d3f5b11',
      railReference: '4c1d4d8a-3f5e-4b0e-9a57-1d1c5c2f7a10',
    });
  });

  test.each([
    ['another order', { merchant_order_number: 'A'.repeat(20) }],
    ['another amount', { amount: 1500.01 }],
    ['another currency', { currency: 'USD' }],
    ['no page', { hpp_url: null }],
    ['a malformed page', { hpp_url: 'javascript:alert(1)' }],
    ['no reference', { order_reference: undefined }],
  ])('an answer with %s is unknown', async (_, changed) => {
    const created = { ...JSON.parse(fixture('nbg-created.json')), ...changed };
    const rail = await scene.scripted(jsonReply(201, created));
    expect(await rail.start(publishedOrder())).toEqual({ type: 'unknown' });
  });

  test.each([
    [400, 'refused'],
    [403, 'refused'],
    [404, 'refused'],
    [422, 'refused'],
    [429, 'refused'],
    [301, 'unknown'],
    [204, 'unknown'],
    [408, 'unknown'],
    [409, 'unknown'],
    [500, 'unknown'],
    [503, 'unknown'],
  ])('HTTP %i is %s', async (status, type) => {
    const rail = await scene.scripted({ type: 'answer', status, body: '' });
    expect((await rail.start(scene.order())).type).toBe(type);
  });
});

describe('the login', () => {
  const since = (index: number, calls = scene.standIn.calls) =>
    calls.slice(index).map(({ url }) => (url === '/user/auth/login' ? 'login' : 'create'));

  test('is cached for nine tenths of its token’s lifetime', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    scene.standIn.expireTokens();
    const before = scene.standIn.calls.length;
    const rail = scene.railWith({ password: scene.standIn.settings.password });
    await rail.start(scene.order());
    const first = scene.standIn.calls.length;
    expect(since(before).slice(-2)).toEqual(['login', 'create']);
    vi.advanceTimersByTime(269_000);
    await rail.start(scene.order());
    expect(since(first)).toEqual(['create']);
    vi.advanceTimersByTime(2_000);
    expect((await rail.start(scene.order())).type).toBe('accepted');
    expect(since(first)).toEqual(['create', 'login', 'create']);
  });

  test('at a path that does not exist moved no money', async () => {
    const rail = await scene.scripted(jsonReply(500, {}), {
      type: 'answer',
      status: 404,
      body: '',
    });
    expect(await rail.start(scene.order())).toEqual({ type: 'refused', reason: 'misconfigured' });
  });

  test('brings a token without a lifetime, which is used once', async () => {
    const rail = await scene.scripted(
      jsonReply(500, {}),
      jsonReply(200, { access_token: 'a.b.c' }),
    );
    const before = scene.scriptedCalls.length;
    await rail.start(scene.order());
    await rail.start(scene.order());
    const calls = since(before, scene.scriptedCalls);
    expect(calls).toEqual(['login', 'create', 'login', 'create']);
  });
});
