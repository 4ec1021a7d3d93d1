import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sealedStatus, sha256 } from '../../scripts/stand-ins/cbe-birr-crypto.ts';
import {
  type CustomerAct,
  jsonReply,
  type Reply,
  StandInServer,
} from '../../scripts/stand-ins/stand-in.ts';
import {
  type CbeBirrOrder,
  CbeBirrScene,
  someTransactionId,
} from '../support/rails/cbe-birr-scene.ts';
import { FAULTS } from '../support/rails/faults.ts';
import { endTimeoutsOnSilence } from '../support/rails/timeouts.ts';

let scene: CbeBirrScene;

beforeAll(async () => {
  scene = await CbeBirrScene.start();
});

afterAll(() => scene.stop());

describe('query', () => {
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

  test.each<[CustomerAct, object]>([
    ['pays', { type: 'succeeded', receipt: null, providerCode: 'Birr Moved' }],
    ['declines', { type: 'failed', reason: 'declined', providerCode: 'Turned Down' }],
    ['lacks_funds', { type: 'failed', reason: 'declined', providerCode: 'Not Moved' }],
    ['mistypes_pin', { type: 'failed', reason: 'declined', providerCode: 'Not Moved' }],
    ['cancels', { type: 'failed', reason: 'declined', providerCode: 'Walked Away' }],
    ['times_out', { type: 'failed', reason: 'declined', providerCode: 'Not Moved' }],
  ])('the customer %s', async (act, outcome) => {
    const order = scene.newOrder();
    await (await scene.visited(order)).act(act, { silent: true });
    expect(await scene.rail.query(order, Date.now())).toEqual(outcome);
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

  test('is unknown and queried again until the customer visits the page and acts', async () => {
    const order = scene.newOrder();
    const nowMs = order.attempt.startedAtMs + 30_000;
    expect(await scene.rail.query(order, nowMs)).toEqual({
      type: 'unknown',
      checkAtMs: nowMs + 5_000,
    });
    await scene.visited(order);
    const later = { ...order, attempt: { ...order.attempt, checks: 3 } };
    expect(await scene.rail.query(later, nowMs)).toMatchObject({
      type: 'unknown',
      checkAtMs: nowMs + 40_000,
    });
    const dayMs = 86_400_000;
    expect(await scene.rail.query(order, nowMs + 31 * dayMs)).toEqual({
      type: 'unknown',
      checkAtMs: null,
      providerCode: 'At Counter',
    });
  });

  test.each(FAULTS)('%s is unknown, also after the customer has paid', async (query) => {
    endTimeoutsOnSilence();
    const order = scene.planned({ query });
    await (await scene.visited(order)).act('pays', { silent: true });
    expect((await scene.rail.query(order, Date.now())).type).toBe('unknown');
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
