import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type {
  CallbackVariant,
  CustomerAct,
  Fault,
  StandInOrder,
} from '../../scripts/stand-ins/stand-in.ts';
import type { FailureReason } from '../../src/domain/intent.ts';
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
  it.each<readonly [CustomerAct, FailureReason, string]>([
    ['declines', 'declined', '17'],
    ['lacks_funds', 'insufficient_funds', '1'],
    ['mistypes_pin', 'wrong_pin', 'TP40087'],
    ['cancels', 'canceled_by_customer', '1032'],
    ['times_out', 'timed_out', '1037'],
  ])('of a customer who %s fails the attempt: %s, by %s', async (act, reason, providerCode) => {
    const order = await startedOrder();
    const posted = await postedBy(order, (rail) => rail.act(act));
    const result = await scene.railWith().readCallback(posted, order);
    expect(result).toMatchObject({
      type: 'outcome',
      outcome: { type: 'failed', reason, providerCode },
    });
    expect(result).toMatchObject({ type: 'outcome', reply: ACCEPTED });
  });

  it('resolves the attempt with the receipt when the customer pays, each time it comes', async () => {
    const order = await startedOrder();
    for (const again of [false, true]) {
      const posted = await postedBy(order, (rail) => (again ? rail.callback() : rail.act('pays')));
      const result = await scene.railWith().readCallback(posted, order);
      expect(result).toMatchObject({
        type: 'outcome',
        outcome: {
          type: 'succeeded',
          receipt: expect.stringMatching(/^[A-Z0-9]{10}$/),
          providerCode: '0',
        },
        reply: ACCEPTED,
      });
    }
  });

  it('that proves a payment counts after a failure or the end of the window', async () => {
    const order = await startedOrder();
    await postedBy(order, (rail) => rail.act('times_out'));
    for (const status of ['failed', 'unresolved'] as const) {
      const posted = await postedBy(order, (rail) => rail.act('pays'));
      const late = { ...order, attempt: { ...order.attempt, status, deadlineAtMs: 0 } };
      const result = await scene.railWith().readCallback(posted, late);
      expect(result).toMatchObject({ type: 'outcome', outcome: { type: 'succeeded' } });
    }
  });

  it.each<readonly [CallbackVariant, string]>([
    ['forged', 'other_order'],
    ['other_order', 'other_order'],
    ['wrong_amount', 'wrong_amount'],
    ['unreadable', 'unreadable'],
  ])('that is %s changes nothing: %s', async (variant, suspicion) => {
    const order = await startedOrder();
    const posted = await postedBy(order, (rail) => rail.callback(variant));
    const result = await scene.railWith().readCallback(posted, order);
    expect(result).toMatchObject({ type: 'refused', suspicion });
    expect(result).toMatchObject({ type: 'refused', reply: REJECTED });
  });

  it('needs no id of M-PESA’s when it overtakes the answer to the push', async () => {
    const order = scene.plannedOrder({ act: 'pays', callback: 'before_answer' });
    const { length } = scene.gateway.calls;
    const started = await scene.railWith().start(order);
    expect(started).toMatchObject({ type: 'accepted' });
    const result = await scene.railWith().readCallback(requestOf(length), order);
    expect(result).toMatchObject({ type: 'outcome', outcome: { type: 'succeeded' } });
  });

  it.each<Fault>(['accepted_then_reset', 'truncated'])(
    'resolves an attempt whose start was unknown (%s)',
    async (start) => {
      const order = scene.plannedOrder({ start });
      expect(await scene.railWith().start(order)).toEqual({ type: 'unknown' });
      const posted = await postedBy(order, (rail) => rail.act('pays'));
      const result = await scene.railWith().readCallback(posted, order);
      expect(result).toMatchObject({ type: 'outcome', outcome: { type: 'succeeded' } });
    },
  );

  it('comes after the answer by default', async () => {
    const order = scene.plannedOrder({ act: 'cancels' });
    const { length } = scene.gateway.calls;
    await scene.railWith().start(order);
    await expect.poll(() => scene.gateway.calls.length).toBe(length + 1);
    const result = await scene.railWith().readCallback(requestOf(length), order);
    expect(result).toMatchObject({ outcome: { type: 'failed', reason: 'canceled_by_customer' } });
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

  it('shows waiting prompts and lets a person answer them', async () => {
    const order = await startedOrder();
    const { reference } = order.attempt;
    const page = () => fetch(scene.standIn.baseUrl).then((response) => response.text());
    expect(await page()).toContain(reference);
    expect(await page()).toContain('STAND-IN');
    const { length } = scene.gateway.calls;
    const form = new URLSearchParams({ orderId: reference, act: 'pays' });
    const acted = await fetch(`${scene.standIn.baseUrl}/desk`, {
      method: 'POST',
      body: form,
      redirect: 'manual',
    });
    expect([acted.status, acted.headers.get('location')]).toEqual([303, '/']);
    expect(await page()).not.toContain(reference);
    const result = await scene.railWith().readCallback(requestOf(length), order);
    expect(result).toMatchObject({ type: 'outcome', outcome: { type: 'succeeded' } });
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
