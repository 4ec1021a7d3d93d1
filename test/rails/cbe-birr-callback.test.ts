import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { sealedCallback } from '../../scripts/stand-ins/cbe-birr-crypto.ts';
import type { CallbackReading } from '../../src/engine/rails/callback.ts';
import { callbackCall } from '../support/rails/callback-call.ts';
import { CbeBirrScene, requestOf } from '../support/rails/cbe-birr-scene.ts';
import { watchRailAnswers } from '../support/rails/logged.ts';

let scene: CbeBirrScene;

beforeAll(async () => {
  scene = await CbeBirrScene.start();
});

afterAll(() => scene.stop());

afterEach(() => {
  vi.restoreAllMocks();
});

function answerOf({ reply }: CallbackReading): { status: number; text: string | null } {
  return { status: reply.status, text: reply.body };
}

describe('callback', () => {
  test('is sealed JSON at the registered address, confirmed by one query before it is believed', async () => {
    const order = scene.newOrder();
    const atBank = await scene.visited(order);
    const call = await scene.callbackOf(() => atBank.act('pays'));
    expect(call.headers['content-type']).toBe('application/json');
    expect(Object.keys(JSON.parse(call.body))).toEqual(['EncVal']);

    expect(await scene.rail.openCallback(requestOf(call))).toMatchObject({
      orderId: order.orderId,
    });
    const before = scene.statusQueries;
    const result = await scene.rail.readCallback(requestOf(call), order);
    expect(scene.statusQueries).toBe(before + 1);
    expect(result).toMatchObject({ type: 'outcome', outcome: { type: 'succeeded' } });
  });

  test('resolves the attempt to what CBE says now, not to what an old callback says', async () => {
    const order = scene.newOrder();
    const atBank = await scene.visited(order);
    await atBank.act('declines', { silent: true });
    const declined = await scene.callbackOf(() => atBank.callback());
    await atBank.act('pays', { silent: true });
    const result = await scene.rail.readCallback(requestOf(declined), order);
    expect(result).toMatchObject({ type: 'outcome', outcome: { type: 'succeeded' } });
  });

  test('is unknown and queried again in five seconds when CBE does not confirm', async () => {
    const order = scene.planned({ query: 'http_500' });
    const checked = { ...order, attempt: { ...order.attempt, checks: 9 } };
    const atBank = await scene.visited(order);
    const call = await scene.callbackOf(() => atBank.act('pays'));
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const result = await scene.rail.readCallback(requestOf(call), checked);
    const outcome = { type: 'unknown', checkAtMs: Date.now() + 5_000 };
    expect(result).toMatchObject({ type: 'outcome', outcome });
    expect(answerOf(result).status).toBe(503);
  });

  test('stays unknown when CBE contradicts its own callback', async () => {
    const order = scene.newOrder();
    const atBank = await scene.visited(order);
    await scene.callbackOf(() => atBank.act('declines'));
    const saysPaid = {
      transactionId: order.orderId,
      state: scene.settings.paidStates[0] ?? '',
      date: '2026-11-21 12:30:00',
    };
    const body = JSON.stringify({ EncVal: sealedCallback(scene.settings.secret, saysPaid) });
    const request = () => callbackCall({ body });
    const pending = await scene.rail.readCallback(request(), order);
    expect(pending).toMatchObject({ type: 'outcome', outcome: { type: 'unknown' } });
    expect(answerOf(pending).status).toBe(503);
    // A resolved attempt is not queried again: an operator must look at it.
    const failed = { ...order, attempt: { ...order.attempt, status: 'failed' } } as const;
    const ended = await scene.rail.readCallback(request(), failed);
    expect(ended).toMatchObject({ type: 'refused', suspicion: 'not_confirmed' });
    expect(answerOf(ended).status).toBe(503);
  });

  test('queries CBE even if the callback has an unlisted state', async () => {
    const order = scene.newOrder();
    const atBank = await scene.visited(order);
    const call = await scene.callbackOf(() => atBank.callback());
    const lines = watchRailAnswers();
    const before = scene.statusQueries;
    const waiting = await scene.rail.readCallback(requestOf(call), order);
    expect(waiting).toMatchObject({ type: 'outcome', outcome: { type: 'unknown' } });
    expect(answerOf(waiting)).toEqual({ status: 200, text: 'OK' });
    // A callback says that something has ended; a query alone need not worry the operator.
    const { reference } = order.attempt;
    const line = { rail: 'cbe-birr', reference, railReference: order.orderId };
    expect(lines).toEqual([
      { level: 'warn', ...line, call: 'callback', providerCode: 'At Counter' },
      { level: 'info', ...line, call: 'TXNSTAT', status: 200, providerCode: 'At Counter' },
    ]);
    await atBank.act('pays', { silent: true });
    const paid = await scene.rail.readCallback(requestOf(call), order);
    expect(paid).toMatchObject({ type: 'outcome', outcome: { type: 'succeeded' } });
    expect(scene.statusQueries).toBe(before + 2);
  });

  test('gives states the meaning in the operator’s settings', async () => {
    const own = scene.railWith({ paidStates: ['turned down'], failedStates: ['BIRR MOVED'] });
    const order = scene.newOrder();
    const atBank = await scene.visited(order);
    const call = await scene.callbackOf(() => atBank.act('declines'));
    const result = await own.readCallback(requestOf(call), order);
    expect(result).toMatchObject({ type: 'outcome', outcome: { type: 'succeeded' } });
    await atBank.act('pays', { silent: true });
    expect((await own.query(order, Date.now())).type).toBe('failed');
  });

  test('does not log an unprintable state', async () => {
    const lines = watchRailAnswers();
    const order = scene.newOrder();
    const EncVal = sealedCallback(scene.settings.secret, {
      transactionId: order.orderId,
      state: 'Abebe, +251911234567',
      date: '2026-11-21',
    });
    const call = { method: 'POST', url: '/', headers: {}, body: JSON.stringify({ EncVal }) };
    await scene.rail.readCallback(requestOf(call), order);
    expect(lines).toMatchObject([
      { call: 'callback', providerCode: '(unprintable)' },
      { call: 'TXNSTAT' },
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/Abebe|2519/);
  });
});
