import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { StandInOrder } from '../../scripts/stand-ins/stand-in.ts';
import { bodyText, type CallbackCall } from '../../src/rails/callback.ts';
import type { RailOrder } from '../../src/rails/rail-order.ts';
import { callbackCall } from '../support/rails/callback-call.ts';
import { watchRailAnswers } from '../support/rails/logged.ts';
import { SAMPLE_REQUEST } from '../support/rails/mpesa-fixtures.ts';
import { type MpesaScene, startMpesaScene } from '../support/rails/mpesa-scene.ts';
import { freshReference } from '../support/rails/order.ts';

let scene: MpesaScene;

beforeAll(async () => {
  scene = await startMpesaScene();
});
afterEach(() => {
  vi.restoreAllMocks();
});
afterAll(async () => {
  await scene.stop();
});

const ACCEPTED = { status: 200, body: '{"ResultCode":0,"ResultDesc":"Accepted"}' };
const REJECTED = { status: 400, body: '{"ResultCode":1,"ResultDesc":"Rejected"}' };

describe('plan, page and query', () => {
  it('wait three minutes for the phone, without a query and without a final window', async () => {
    const nowMs = Date.now();
    const rail = scene.railWith();
    const order = scene.order();
    expect(rail.plan(order.terms, 'M_PESA', nowMs)).toEqual({
      flow: 'push',
      deadlineAtMs: nowMs + 180_000,
      windowIsFinal: false,
      checkAtMs: null,
    });
    expect(rail).not.toHaveProperty('query');
    const asking = scene.railWith({ statusQuery: scene.standIn.statusQuery });
    expect(asking).toHaveProperty('query');
    expect(asking.plan(order.terms, 'M_PESA', nowMs).checkAtMs).toBe(nowMs + 30_000);
    expect(rail).toMatchObject({ id: 'stk-push', currencies: ['ETB'] });
    expect(rail.startTimeoutMs).toBe(15_000);
  });
});

describe('a callback', () => {
  it('gets a reply in M-PESA’s own format', async () => {
    const order = await startedOrder();
    const paid = await postedBy(order, (rail) => rail.act('pays'));
    expect((await scene.railWith().readCallback(paid, order)).reply).toMatchObject(ACCEPTED);
    const wrong = await postedBy(order, (rail) => rail.callback('wrong_amount'));
    expect((await scene.railWith().readCallback(wrong, order)).reply).toMatchObject(REJECTED);
  });

  it('is logged with its code when it reports a failure or an unknown code', async () => {
    const lines = watchRailAnswers();
    const order = await startedOrder();
    const { reference } = order.attempt;
    const read = async (posted: CallbackCall) => scene.railWith().readCallback(posted, order);
    await read(await postedBy(order, (rail) => rail.act('mistypes_pin')));
    const failed = await postedBy(order, (rail) => rail.callback());
    const body = bodyText(failed).replace('TP40087', '4999');
    await read(callbackCall({ url: order.callbackUrl, body }));
    await read(await postedBy(order, (rail) => rail.act('pays')));
    // Without M-PESA's own id, which contains the phone number.
    const line = { rail: 'stk-push', call: 'callback', reference };
    expect(lines).toEqual([
      { level: 'info', ...line, providerCode: 'TP40087' },
      { level: 'warn', ...line, providerCode: '4999' },
    ]);
  });
});

describe('the stand-in', () => {
  it('refuses what M-PESA would refuse', async () => {
    const order = scene.order();
    await scene.railWith().start(order);
    const good = scene.standIn.calls.at(-1);
    const resend = async (change: (body: Record<string, unknown>) => void, header = {}) => {
      const body = JSON.parse(good?.body ?? '');
      body.MerchantRequestID = freshReference();
      change(body);
      const { authorization = '' } = good?.headers ?? {};
      const headers = { authorization, 'content-type': 'application/json', ...header };
      const response = await fetch(`${scene.standIn.baseUrl}${good?.url}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      return (await response.json()) as Readonly<Record<string, string>>;
    };
    const same = (body: Record<string, unknown>) => body;
    expect(await resend(same)).toMatchObject({ ResponseCode: '0' });
    expect(await resend((body) => (body.Extra = 1))).toMatchObject({
      errorMessage: 'Bad Request - Invalid Extra',
    });
    const names = Object.keys(SAMPLE_REQUEST);
    for (const name of names) {
      expect(await resend((body) => delete body[name])).toMatchObject({
        errorMessage: `Bad Request - Invalid ${name}`,
      });
      expect(await resend((body) => (body[name] = '?'))).toMatchObject({
        errorMessage: `Bad Request - Invalid ${name}`,
      });
    }
    for (const Amount of ['20', 0, 1.005, 1e21]) {
      const answer = await resend((body) => (body.Amount = Amount));
      expect(answer).toMatchObject({ errorMessage: 'Bad Request - Invalid Amount' });
    }
    const repeated = (body: Record<string, unknown>) =>
      (body.MerchantRequestID = order.attempt.reference);
    expect(await resend(repeated)).toMatchObject({ ResponseCode: '1' });
    expect(await resend(same, { authorization: 'Bearer guessed' })).toMatchObject({
      errorCode: '404.001.03',
    });
  });
});

/** An order whose push M-PESA accepted, with M-PESA's id. */
async function startedOrder(): Promise<RailOrder> {
  const order = scene.order();
  const result = await scene.railWith().start(order);
  if (result.type !== 'accepted') {
    throw new Error(`not accepted: ${result.type}`);
  }
  return { ...order, attempt: { ...order.attempt, railReference: result.railReference } };
}

/** The callback that M-PESA posts when `make` has acted on the order. */
async function postedBy(
  { attempt }: RailOrder,
  make: (order: StandInOrder) => Promise<unknown>,
): Promise<CallbackCall> {
  const { length } = scene.gateway.calls;
  await make(await scene.standIn.order(attempt.reference));
  return requestOf(length);
}

/** The callback with that index, as the router passes it to the adapter. */
function requestOf(index: number): CallbackCall {
  const call = scene.gateway.calls[index];
  if (call === undefined) {
    throw new Error('M-PESA posted no callback');
  }
  const { method, url, body } = call;
  return callbackCall({ method, url: `${scene.gateway.baseUrl}${url}`, body });
}
