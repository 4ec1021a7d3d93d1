import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { sealedCallback } from '../../scripts/stand-ins/cbe-birr-crypto.ts';
import type { CallbackVariant, CustomerAct } from '../../scripts/stand-ins/stand-in.ts';
import type { CallbackReading } from '../../src/rails/callback.ts';
import { callbackCall } from '../support/rails/callback-call.ts';
import { CbeBirrScene, requestOf } from '../support/rails/cbe-birr-scene.ts';

let scene: CbeBirrScene;

beforeAll(async () => {
  scene = await CbeBirrScene.start();
});

afterAll(() => scene.stop());

function answerOf({ reply }: CallbackReading): { status: number; text: string | null } {
  return { status: reply.status, text: reply.body };
}

describe('callback', () => {
  test.each<[CustomerAct, object]>([
    ['pays', { type: 'succeeded', receipt: null }],
    ['declines', { type: 'failed', reason: 'declined' }],
  ])('the customer %s: confirmed by CBE before it is believed', async (act, outcome) => {
    const order = scene.newOrder();
    const atBank = await scene.visited(order);
    const call = await scene.callbackOf(() => atBank.act(act));
    expect(call.headers['content-type']).toBe('application/json');
    expect(Object.keys(JSON.parse(call.body))).toEqual(['EncVal']);

    expect(await scene.rail.openCallback(requestOf(call))).toMatchObject({
      orderId: order.orderId,
    });
    const before = scene.statusQueries;
    const result = await scene.rail.readCallback(requestOf(call), order);
    expect(scene.statusQueries).toBe(before + 1);
    expect(result).toMatchObject({ type: 'outcome', outcome });
    expect(answerOf(result)).toEqual({ status: 200, text: 'OK' });
  });

  test('gives the same outcome when it arrives twice', async () => {
    const order = scene.newOrder();
    const atBank = await scene.visited(order);
    const call = await scene.callbackOf(() => atBank.act('pays'));
    for (let time = 0; time < 2; time += 1) {
      const result = await scene.rail.readCallback(requestOf(call), order);
      expect(result).toMatchObject({ type: 'outcome', outcome: { type: 'succeeded' } });
    }
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

  test.each<[CallbackVariant, string, number]>([
    ['forged', 'not_authentic', 401],
    ['wrong_amount', 'not_authentic', 401],
    ['other_order', 'other_order', 409],
    ['unreadable', 'unreadable', 400],
  ])(
    '%s: refused without a query, even when the order is paid',
    async (variant, suspicion, status) => {
      const order = scene.newOrder();
      const atBank = await scene.visited(order);
      await atBank.act('pays', { silent: true });
      const call = await scene.callbackOf(() => atBank.callback(variant));
      const before = scene.statusQueries;
      const result = await scene.rail.readCallback(requestOf(call), order);
      expect(result).toMatchObject({ type: 'refused', suspicion });
      expect(answerOf(result).status).toBe(status);
      expect(scene.statusQueries).toBe(before);
    },
  );

  test('queries CBE even if the callback has an unlisted state', async () => {
    const order = scene.newOrder();
    const atBank = await scene.visited(order);
    const call = await scene.callbackOf(() => atBank.callback());
    const before = scene.statusQueries;
    const waiting = await scene.rail.readCallback(requestOf(call), order);
    expect(waiting).toMatchObject({ type: 'outcome', outcome: { type: 'unknown' } });
    expect(answerOf(waiting)).toEqual({ status: 200, text: 'OK' });
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
});
