import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { opened, sha256 } from '../../scripts/stand-ins/cbe-birr-crypto.ts';
import type { Fault } from '../../scripts/stand-ins/stand-in.ts';
import { CbeBirrScene, requestOf, someTransactionId } from '../support/rails/cbe-birr-scene.ts';

let scene: CbeBirrScene;

beforeAll(async () => {
  scene = await CbeBirrScene.start();
});

afterAll(() => scene.stop());

describe('plan', () => {
  test('is a redirect without a final window, first queried after half a minute', () => {
    const { terms } = scene.newOrder();
    const nowMs = terms.createdAtMs;
    expect(scene.rail.plan(terms, 'CBE', nowMs)).toEqual({
      flow: 'redirect',
      deadlineAtMs: terms.expiresAtMs,
      windowIsFinal: false,
      checkAtMs: nowMs + 30_000,
    });
  });

  test('gives a customer of the last moment five minutes', () => {
    const { terms } = scene.newOrder();
    const nowMs = terms.expiresAtMs - 1_000;
    expect(scene.rail.plan(terms, 'CBE', nowMs).deadlineAtMs).toBe(nowMs + 300_000);
  });
});

describe('start', () => {
  test('makes no call and returns the page computed from the order', async () => {
    const order = scene.newOrder();
    const before = scene.standIn.calls.length;
    const first = await scene.rail.start(order);
    expect(first).toEqual({
      type: 'accepted',
      redirectUrl: (await scene.rail.page(order))?.redirectUrl,
      railReference: order.orderId,
    });
    expect(await scene.rail.start(order)).toEqual(first);
    // Microsoft's web server accepts a query of 2,048 characters by default.
    expect((await scene.rail.page(order))?.redirectUrl.length).toBeLessThan(1_500);
    expect(scene.standIn.calls.length).toBe(before);
  });

  test('encrypts exactly these fields', async () => {
    const { user, password, tillCode, secret, baseUrl } = scene.standIn.settings;
    const order = scene.newOrder({ chargedMinor: 150_050 });
    const url = new URL((await scene.rail.page(order))?.redirectUrl ?? '');
    expect(`${url.origin}${url.pathname}`).toBe(`${baseUrl}/Default.aspx`);
    expect([...url.searchParams.keys()]).toEqual(['r']);
    // Percent-encoded, because a form decoder would turn plus signs into spaces.
    expect(url.search).toMatch(/^\?r=[A-Za-z0-9%]+$/);
    const fields = JSON.parse(opened(secret, url.searchParams.get('r') ?? '') ?? '');
    const plain = Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [name, opened(secret, String(value))]),
    );
    const T = order.orderId;
    expect(plain).toEqual({
      A: '1500.5',
      MC: tillCode,
      T,
      U: user,
      W: password,
      HV: sha256(`A=1500.5&Key=${secret}&MC=${tillCode}&T=${T}&U=${user}&W=${password}`),
    });
  });

  test.each([100, 150_000, 150_050, 150_005, 99_999_999_999])(
    'CBE accepts the amount %i',
    async (minor) => {
      const { status, html } = await scene.visit(scene.newOrder({ chargedMinor: minor }));
      expect(status).toBe(200);
      expect(html).toContain('<b>This is a STAND-IN for tests. No money moves.</b>');
    },
  );

  test('sends no text of the merchant’s or customer’s', async () => {
    const hostile = '👋ሰላም\u0000\u202e<script>&='.repeat(70);
    const ids = { chargedMinor: 4_200, orderId: someTransactionId() };
    const plain = scene.newOrder(ids);
    const terms = { ...plain.terms, merchantName: hostile, description: hostile };
    expect(await scene.rail.page({ ...plain, terms })).toEqual(await scene.rail.page(plain));
    expect((await scene.visit({ ...plain, terms })).status).toBe(200);
  });

  test('keeps the id of its start when the signing keys are rotated', async () => {
    const order = scene.newOrder();
    const atBank = await scene.visited(order);
    const attempt = { ...order.attempt, railReference: order.orderId };
    const rotated = { ...order, attempt, orderId: someTransactionId() };
    expect(await scene.rail.page(rotated)).toEqual(await scene.rail.page(order));
    const call = await scene.callbackOf(() => atBank.act('pays'));
    expect((await scene.rail.query(rotated, Date.now())).type).toBe('succeeded');
    const result = await scene.rail.readCallback(requestOf(call), rotated);
    expect(result).toMatchObject({ type: 'outcome', outcome: { type: 'succeeded' } });
  });

  test('gives the same page again, even after a crash before the start was stored', async () => {
    const order = scene.newOrder();
    await scene.visit(order);
    expect((await scene.visit(order)).status).toBe(200);
  });

  test.each([
    ['wrong password', { password: 'wrong' }],
    ['wrong till', { tillCode: '1' }],
    ['wrong secret', { secret: 'wrong' }],
  ])('the stand-in refuses: %s', async (_, changed) => {
    const page = await scene.railWith(changed).page(scene.newOrder());
    expect((await fetch(page?.redirectUrl ?? '')).status).toBe(400);
  });

  test('the stand-in refuses a malformed id, and a second amount for the same id', async () => {
    const malformed = scene.newOrder({ orderId: 'ORDER-1' });
    expect((await scene.visit(malformed)).status).toBe(400);
    const order = scene.newOrder();
    await scene.visit(order);
    expect((await scene.visit({ ...order, chargedMinor: 1 })).status).toBe(400);
  });
});

describe('a bank that accepts 36 characters', () => {
  test('gets the reference as the id, in every call', async () => {
    const short = await CbeBirrScene.start(36);
    const order = short.newOrder();
    const { reference } = order.attempt;
    expect(await short.rail.start(order)).toMatchObject({ railReference: reference });
    expect((await short.visit(order)).status).toBe(200);
    const atBank = await short.standIn.order(reference);
    const call = await short.callbackOf(() => atBank.act('pays'));
    expect(await short.rail.openCallback(requestOf(call))).toMatchObject({ orderId: reference });
    expect((await short.rail.query(order, Date.now())).type).toBe('succeeded');
    await short.stop();
  });

  test('refuses a longer id', async () => {
    const short = await CbeBirrScene.start(36);
    const page = await short.railWith({ transactionIdCharactersMax: 79 }).page(short.newOrder());
    expect((await fetch(page?.redirectUrl ?? '')).status).toBe(400);
    await short.stop();
  });
});

describe('faults of the page', () => {
  test.each<[Fault, string]>([
    ['http_500', 'unknown'],
    ['reset', 'unknown'],
    ['truncated', 'succeeded'],
    ['accepted_then_reset', 'succeeded'],
  ])('%s: meets the customer, not the start', async (start, known) => {
    const order = scene.planned({ start, act: 'pays', callback: 'never' });
    expect((await scene.rail.start(order)).type).toBe('accepted');
    const page = await scene.visit(order).catch(() => null);
    expect(page?.status ?? null).toBe(start === 'http_500' ? 500 : null);
    expect((await scene.rail.query(order, Date.now())).type).toBe(known);
  });
});

describe('the stand-in', () => {
  test('plays the customer by itself and sends the callback before its own answer', async () => {
    const order = scene.planned({ act: 'pays', callback: 'before_answer' });
    const before = scene.callbacks;
    expect((await scene.visit(order)).html).toContain('paid');
    expect(scene.callbacks).toBe(before + 1);
    expect((await scene.rail.query(order, Date.now())).type).toBe('succeeded');
  });
});
