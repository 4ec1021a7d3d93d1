import { afterEach, describe, expect, test, vi } from 'vitest';
import { jsonReply } from '../../scripts/stand-ins/stand-in.ts';
import type { Rail } from '../../src/rails/rail.ts';
import {
  fixture,
  HOSTILE_TEXT,
  headersOf,
  nbgScene,
  nbgSettingsAt,
  orderAt,
  railOf,
  scriptedProvider,
} from '../support/rails/ethswitch-scene.ts';
import { FAULTS } from '../support/rails/faults.ts';
import { watchRailAnswers } from '../support/rails/logged.ts';
import { orderFor } from '../support/rails/order.ts';
import { endTimeoutsOnSilence } from '../support/rails/timeouts.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const REFERENCE = 'H7K2M9QX4T0B8ZC3VN5D';

afterEach(() => {
  vi.restoreAllMocks();
});

const OFFLINE = railOf(nbgSettingsAt());

describe('the plan', () => {
  test('is a redirect without queries, open until the payment expires, at most a day', () => {
    const { terms } = orderFor(OFFLINE, 'ETS_SWITCH');
    const nowMs = terms.createdAtMs;
    const plan = {
      flow: 'redirect',
      deadlineAtMs: terms.expiresAtMs,
      windowIsFinal: false,
      checkAtMs: null,
    };
    expect(OFFLINE.plan(terms, 'ETS_SWITCH', nowMs)).toEqual(plan);
    const longer = { ...terms, expiresAtMs: nowMs + 30 * 86_400_000 };
    const deadlineAtMs = nowMs + 86_400_000;
    expect(OFFLINE.plan(longer, 'ETS_SWITCH', nowMs)).toEqual({ ...plan, deadlineAtMs });
  });

  test('gives a customer of the last second the page’s own window', () => {
    const { terms } = orderFor(OFFLINE, 'ETS_SWITCH');
    const nowMs = terms.expiresAtMs - 1_000;
    const deadlineOf = (rail: Rail) => rail.plan(terms, 'ETS_SWITCH', nowMs).deadlineAtMs;
    expect(deadlineOf(OFFLINE)).toBe(nowMs + 300_000);
    const shorter = railOf({ ...nbgSettingsAt(), pageWindowSeconds: 60 });
    expect(deadlineOf(shorter)).toBe(nowMs + 60_000);
  });

  test('has no status query and no page that the adapter could compute', () => {
    expect(OFFLINE).not.toHaveProperty('query');
    expect(OFFLINE).not.toHaveProperty('page');
  });
});

describe('the requests', () => {
  test('login and order.create have exactly these fields', async () => {
    const { nbg, rail, receiver } = await nbgScene();
    const order = orderAt(rail, receiver, { order: { chargedMinor: 152_250 } });
    await rail.start(order);
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
      'idempotency-key': REFERENCE,
    });
    expect(create.body).toBe(
      `{"amount":1522.50,"currency":"ETB","merchant_order_number":"${REFERENCE}",` +
        `"idempotency_key":"${REFERENCE}","description":"Tomoca Coffee: order-1001",` +
        `"success_url":"${receiver.returnUrl}","cancel_url":"${order.checkoutUrl}",` +
        `"callback_url":"${receiver.callbackUrl}","line_items":[{"item_name":` +
        '"Tomoca Coffee: order-1001","quantity":1,"unit_price":1522.50,' +
        '"total_usage_amount":1522.50}]}',
    );
  });

  test.each([
    [1, '0.01'],
    [10, '0.10'],
    [115, '1.15'],
    [2_000, '20.00'],
    [6_000_000_001, '60000000.01'],
    [99_999_999_999, '999999999.99'],
  ])('%i minor units are the number %s', async (chargedMinor, amountText) => {
    const { nbg, rail, receiver } = await nbgScene();
    const result = await rail.start(orderAt(rail, receiver, { order: { chargedMinor } }));
    expect(result.type).toBe('accepted');
    expect(nbg.calls[1]?.body).toMatch(`{"amount":${amountText},`);
    expect((await nbg.order(REFERENCE)).amountText).toBe(amountText);
  });

  test('truncate and clean hostile texts', async () => {
    const { nbg, rail, receiver } = await nbgScene();
    const terms = { merchantName: HOSTILE_TEXT, description: HOSTILE_TEXT, uniqueId: HOSTILE_TEXT };
    expect((await rail.start(orderAt(rail, receiver, { terms }))).type).toBe('accepted');
    const { description } = JSON.parse(nbg.calls[1]?.body ?? '');
    expect(description).toMatch(/^ቡና [\p{L}\p{M}\p{N}.,:_ -]{1,97}$/u);
  });
});

describe('the start', () => {
  test('is refused without a call for another currency', async () => {
    const { nbg, rail, receiver } = await nbgScene();
    const order = orderAt(rail, receiver, { terms: { currency: 'USD' } });
    expect(await rail.start(order)).toEqual({ type: 'refused', reason: 'misconfigured' });
    expect(nbg.calls).toHaveLength(0);
  });

  test('is logged when NBG refuses it', async () => {
    endTimeoutsOnSilence();
    const lines = watchRailAnswers();
    const { nbg, rail, receiver } = await nbgScene();
    const order = orderAt(rail, receiver);
    nbg.plan('1500.00', { refuses: 'misconfigured' });
    await rail.start(order);
    nbg.plan('1500.00', { start: 'hang' });
    await rail.start(order);
    nbg.plan('1500.00', {});
    await railOf({ ...nbg.settings, password: 'old' }).start(order);
    await OFFLINE.start(order);
    await rail.start(order);
    const line = { level: 'warn', rail: 'ethswitch-nbg', reference: REFERENCE, providerCode: null };
    expect(lines).toEqual([
      { ...line, call: 'order.create', status: 403 },
      { ...line, call: 'order.create' },
      { ...line, call: 'login', status: 401 },
      { ...line, call: 'login' },
    ]);
  });

  test('sends the customer to the hosted page', async () => {
    const { nbg, rail, receiver } = await nbgScene();
    expect(await rail.start(orderAt(rail, receiver))).toEqual({
      type: 'accepted',
      redirectUrl: expect.stringMatching(new RegExp(`^${nbg.baseUrl}/nbg/pay/[0-9a-f-]{36}$`)),
      railReference: expect.stringMatching(UUID),
    });
  });

  test('reads the published answer', async () => {
    const server = await scriptedProvider(({ url }) =>
      url === '/user/auth/login'
        ? jsonReply(200, { access_token: 'a.b.c', expires_in: 300 })
        : { type: 'answer', status: 201, body: fixture('nbg-created.json') },
    );
    const rail = railOf(nbgSettingsAt(server.baseUrl));
    expect(await rail.start(orderFor(rail, 'ETS_SWITCH'))).toEqual({
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
    const server = await scriptedProvider(({ url }) =>
      url === '/user/auth/login'
        ? jsonReply(200, { access_token: 'a.b.c', expires_in: 300 })
        : jsonReply(201, { ...JSON.parse(fixture('nbg-created.json')), ...changed }),
    );
    const rail = railOf(nbgSettingsAt(server.baseUrl));
    expect(await rail.start(orderFor(rail, 'ETS_SWITCH'))).toEqual({ type: 'unknown' });
  });

  test.each(FAULTS)('%s of order.create is unknown, and tried once', async (fault) => {
    endTimeoutsOnSilence();
    const { nbg, rail, receiver } = await nbgScene();
    nbg.plan('1500.00', { start: fault });
    expect(await rail.start(orderAt(rail, receiver))).toEqual({ type: 'unknown' });
    expect(nbg.calls.map(({ url }) => url.split('?')[0])).toEqual([
      '/user/auth/login',
      '/nbg/api/v1/payment/order/handle',
    ]);
  });

  test('is refused by NBG’s HTTP status', async () => {
    const { nbg, rail, receiver } = await nbgScene();
    nbg.plan('1500.00', { refuses: 'misconfigured' });
    nbg.plan('1600.00', { refuses: 'unavailable' });
    expect(await rail.start(orderAt(rail, receiver))).toEqual({
      type: 'refused',
      reason: 'misconfigured',
    });
    const other = orderAt(rail, receiver, { order: { chargedMinor: 160_000 } });
    expect(await rail.start(other)).toEqual({ type: 'refused', reason: 'rail_unavailable' });
  });

  test('is unknown when NBG already has the order number, perhaps from our own call', async () => {
    const { rail, receiver } = await nbgScene();
    await rail.start(orderAt(rail, receiver));
    expect(await rail.start(orderAt(rail, receiver))).toEqual({ type: 'unknown' });
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
    const server = await scriptedProvider(({ url }) =>
      url === '/user/auth/login'
        ? jsonReply(200, { access_token: 'a.b.c', expires_in: 300 })
        : { type: 'answer', status, body: '' },
    );
    const rail = railOf(nbgSettingsAt(server.baseUrl));
    expect((await rail.start(orderFor(rail, 'ETS_SWITCH'))).type).toBe(type);
  });
});
