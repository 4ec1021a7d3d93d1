import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { opened, sealedStatus, sha256 } from '../../scripts/stand-ins/cbe-birr-crypto.ts';
import {
  type CustomerAct,
  type Fault,
  jsonReply,
  type Reply,
  StandInServer,
} from '../../scripts/stand-ins/stand-in.ts';
import {
  type CbeBirrOrder,
  CbeBirrScene,
  requestOf,
  someTransactionId,
} from '../support/rails/cbe-birr-scene.ts';
import { watchRailAnswers } from '../support/rails/logged.ts';

let scene: CbeBirrScene;

beforeAll(async () => {
  scene = await CbeBirrScene.start();
});

afterAll(() => scene.stop());

afterEach(() => {
  vi.restoreAllMocks();
});

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

  test('sends no text of the merchant’s or customer’s', async () => {
    const hostile = '👋ሰላም\u0000\u202e<script>&='.repeat(70);
    const ids = { chargedMinor: 4_200, orderId: someTransactionId() };
    const plain = scene.newOrder(ids);
    const terms = { ...plain.terms, merchantName: hostile, description: hostile };
    expect(await scene.rail.page({ ...plain, terms })).toEqual(await scene.rail.page(plain));
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

describe('the query', () => {
  test('sends exactly this request', async () => {
    const { tillCode, secret } = scene.standIn.settings;
    const order = scene.newOrder();
    await scene.visited(order);
    await scene.rail.query(order, Date.now());
    const call = scene.standIn.calls.at(-1);
    const transactionId = order.orderId;
    const hashInput = `Key=${secret}&Tillcode=${tillCode}&transactionId=${transactionId}`;
    expect(call?.method).toBe('POST');
    expect(call?.url).toBe('/api/cbebpg/TXNSTAT');
    expect(JSON.parse(call?.body ?? '')).toEqual({
      transactionId,
      Tillcode: tillCode,
      Signiture: sha256(hashInput),
    });
    const { host, connection, 'content-length': length, ...headers } = call?.headers ?? {};
    expect(length).toBe(String(call?.body.length));
    // What Node's fetch adds to every request.
    const added = ['accept-encoding', 'accept-language', 'sec-fetch-mode', 'user-agent'];
    const ours = Object.entries(headers).filter(([name]) => !added.includes(name));
    expect(Object.fromEntries(ours)).toEqual({
      'content-type': 'application/json',
      accept: 'application/json',
    });
  });

  test.each<CustomerAct | 'unavailable' | 'misconfigured'>(['lacks_funds', 'unavailable'])(
    'stays unknown when the page refuses: %s',
    async (refuses) => {
      const order = scene.planned({ refuses });
      expect((await scene.visit(order)).status).toBe(400);
      const outcome = await scene.rail.query(order, Date.now());
      expect(outcome.type).toBe(refuses === 'unavailable' ? 'unknown' : 'failed');
    },
  );

  test('is unknown before the customer visits the page, which needs no operator', async () => {
    const lines = watchRailAnswers();
    const order = scene.newOrder();
    const nowMs = order.attempt.startedAtMs + 30_000;
    const unknown = { type: 'unknown', checkAtMs: nowMs + 5_000 };
    expect(await scene.rail.query(order, nowMs)).toEqual(unknown);
    expect(lines).toMatchObject([{ level: 'info', status: 200, providerCode: null }]);
  });

  test('uses the relay for queries but not for the customer’s page', async () => {
    const order = scene.newOrder();
    const through = scene.railWith({
      baseUrl: 'https://cbe.example:8888',
      statusBaseUrl: scene.standIn.baseUrl,
    });
    await (await scene.visited(order)).act('pays', { silent: true });
    expect((await through.query(order, Date.now())).type).toBe('succeeded');
    expect((await through.page(order))?.redirectUrl).toMatch(
      /^https:\/\/cbe\.example:8888\/Default\.aspx\?r=/,
    );
  });

  describe('answers that prove nothing', () => {
    let answer: Reply;
    let liar: StandInServer;
    let asking: CbeBirrScene['rail'];

    beforeAll(async () => {
      liar = await StandInServer.start(async () => answer);
      asking = scene.railWith({ baseUrl: liar.baseUrl });
    });

    afterAll(() => liar.stop());

    const paid = (
      order: CbeBirrOrder,
      changed: object = {},
      secret = scene.standIn.settings.secret,
    ) =>
      sealedStatus(secret, {
        transactionId: order.orderId,
        tillCode: scene.standIn.settings.tillCode,
        state: 'Birr Moved',
        date: '2026-11-21',
        ...changed,
      });
    const reply = (EncryptedResponseValue: unknown) => jsonReply(200, { EncryptedResponseValue });

    test('except the right one', async () => {
      const order = scene.newOrder();
      answer = reply(paid(order));
      expect((await asking.query(order, Date.now())).type).toBe('succeeded');
    });

    test.each<[string, (order: CbeBirrOrder) => Reply]>([
      ['another order', (order) => reply(paid(order, { transactionId: someTransactionId() }))],
      ['another till', (order) => reply(paid(order, { tillCode: '1' }))],
      ['another secret', (order) => reply(paid(order, {}, 'another'))],
      ['an unlisted state', (order) => reply(paid(order, { state: 'AUTHORIZED' }))],
      ['a hash over another date', (order) => reply(paid(order, { hashedDate: '22-11-2026' }))],
      ['HTTP 202', (order) => jsonReply(202, { EncryptedResponseValue: paid(order) })],
      ['text', () => ({ type: 'answer', status: 200, body: 'Transaction not found' })],
      ['a JSON text', (order) => ({ type: 'answer', status: 200, body: `"${paid(order)}"` })],
      ['null', () => jsonReply(200, null)],
      ['a value of another type', () => reply({ State: 'Birr Moved' })],
      ['an empty value', () => reply('')],
      ['a redirect', () => ({ type: 'answer', status: 302, headers: { location: '/' }, body: '' })],
      ['64 KiB of blocks', () => reply('A'.repeat(65_000))],
      ['endless JSON', () => ({ type: 'answer', status: 200, body: '['.repeat(65_000) })],
      ['too many bytes', () => ({ type: 'answer', status: 200, body: ' '.repeat(70_000) })],
    ])('%s', async (_, lie) => {
      const order = scene.newOrder();
      answer = lie(order);
      expect((await asking.query(order, Date.now())).type).toBe('unknown');
    });
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
