import { describe, expect, test } from 'vitest';
import { type Fault, jsonReply, type Reply } from '../../scripts/stand-ins/stand-in.ts';
import { readRefundState } from '../../src/engine/rails/ethswitch/cards-refund.ts';
import type { RefundAnswer, RefundOrder } from '../../src/engine/rails/refund.ts';
import { fixture, headersOf } from '../support/rails/ethswitch-scene.ts';
import { freshReference, orderFor } from '../support/rails/order.ts';
import { PLAYERS } from '../support/rails/players.ts';
import {
  DECLINED,
  MISCONFIGURED,
  NOT_ENABLED,
  part,
  refundOrderFor,
  returnedAt,
  UNKNOWN,
  withAttempt,
} from '../support/rails/refund-order.ts';
import { useRailScene } from '../support/rails/scene.ts';
import { endTimeoutsOnSilence } from '../support/rails/timeouts.ts';

/**
 * Goal: a refund has succeeded or failed only if the gateway has proven it, and Kefel requests it
 * once.
 */

const MINUTE_MS = 60_000;

const scene = await useRailScene(PLAYERS.cards);

const REVERSING = { reversalMinutes: 30 };

const returned = (order: RefundOrder) => returnedAt(scene.standIn, order);

function lastForm(): { readonly call: string; readonly fields: Readonly<Record<string, string>> } {
  const call = scene.standIn.calls.at(-1);
  const fields = Object.fromEntries(new URLSearchParams(call?.body));
  return { call: call?.url ?? '', fields };
}

describe('a repeat of the operator', () => {
  test('has the same form', async () => {
    const order = await scene.paid({});
    const rail = scene.railWith({ refundRepeats: true });
    await rail.refund?.(order);
    const first = lastForm();
    expect(await rail.repeatRefund?.(order)).toMatchObject({ type: 'succeeded' });
    expect(lastForm()).toEqual(first);
  });

  test('is not offered for what may have been a reversal, which has no number', async () => {
    const order = await scene.paid({});
    const rail = scene.railWith({ ...REVERSING, refundRepeats: true });
    expect(rail.isRefundRepeatable?.(order)).toBe(false);
    expect(rail.isRefundRepeatable?.(part(order, 1))).toBe(true);
    expect(scene.railWith({ refundRepeats: true }).isRefundRepeatable?.(order)).toBe(true);
  });
});

describe('a refund', () => {
  test('is a form with our number and the amount that must be there', async () => {
    const whole = await scene.paid({});
    expect(await scene.rail.refund?.(part(whole, 1_001))).toMatchObject({ type: 'succeeded' });
    const { chargedMinor, attempt } = whole.payment;
    const second = part(whole, 2_002, { returnedBeforeMinor: 1_001, isFirst: false });
    expect(await scene.railWith({ language: 'am' }).refund?.(second)).toMatchObject({
      type: 'succeeded',
    });
    expect(lastForm()).toEqual({
      call: '/epg/rest/refund.do',
      fields: {
        userName: scene.standIn.settings.userName,
        password: scene.standIn.settings.password,
        orderId: attempt.railReference,
        amount: '2002',
        currency: '230',
        language: 'en',
        externalRefundId: second.refund.reference,
        expectedDepositedAmount: String(chargedMinor - 1_001),
      },
    });
    expect(headersOf(scene.standIn.calls.at(-1) ?? expect.fail())).toEqual({
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
    });
    expect(await returned(whole)).toEqual(['1001', '2002']);
  });

  test('after one that we do not know of is unknown: the amount there differs', async () => {
    const whole = await scene.paid({});
    expect(await scene.rail.refund?.(part(whole, 1_000))).toMatchObject({ type: 'succeeded' });
    const second = part(whole, 1_000);
    expect(await scene.rail.refund?.(second)).toEqual({ ...UNKNOWN, providerCode: 'errorCode 7' });
    expect(await scene.rail.refundStatus?.(second, Date.now())).toMatchObject(UNKNOWN);
    expect(await returned(whole)).toEqual(['1000']);
  });

  test.each<Fault>(['accepted_then_reset', 'accepted_then_hang'])(
    'that may have been a reversal is unknown after %s, until the order tells',
    async (fault) => {
      endTimeoutsOnSilence();
      const order = await scene.paid({ fault });
      const rail = scene.railWith(REVERSING);
      expect(await rail.refund?.(order)).toEqual(UNKNOWN);
      expect(await returned(order)).toHaveLength(1);
      expect(await rail.refundStatus?.(order, Date.now())).toMatchObject({ type: 'succeeded' });
    },
  );

  test('is found by its number, among others', async () => {
    const whole = await scene.paid({});
    const second = part(whole, 2_000, { returnedBeforeMinor: 1_000, isFirst: false });
    await scene.rail.refund?.(part(whole, 1_000));
    expect(await scene.rail.refundStatus?.(second, Date.now())).toMatchObject(UNKNOWN);
    await scene.rail.refund?.(second);
    expect(await scene.rail.refundStatus?.(second, Date.now())).toEqual({
      type: 'succeeded',
      railReference: expect.stringMatching(/^\d{12}$/),
      providerCode: 'orderStatus 4 actionCode 0',
    });
  });
});

describe('the stand-in', () => {
  async function problemOf(call: string, order: RefundOrder, changed: object): Promise<object> {
    const form = new URLSearchParams({
      userName: String(scene.standIn.settings.userName),
      password: String(scene.standIn.settings.password),
      orderId: order.payment.attempt.railReference ?? '',
      language: 'en',
      amount: '1000',
      currency: '230',
      externalRefundId: freshReference(),
      expectedDepositedAmount: String(order.payment.chargedMinor),
      ...changed,
    });
    const url = `${scene.standIn.settings.baseUrl}${call}`;
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const response = await fetch(url, { method: 'POST', headers, body: `${form}` });
    return response.json() as Promise<object>;
  }

  test.each<[string, string, object, string]>([
    ['a refund without a number', 'refund.do', { externalRefundId: '' }, 'externalRefundId'],
    ['a refund of everything by 0', 'refund.do', { amount: '0' }, 'amount'],
    ['a refund in major units', 'refund.do', { amount: '10.00' }, 'amount'],
    ['a currency by its letters', 'refund.do', { currency: 'ETB' }, 'currency'],
    ['one field more', 'refund.do', { orderNumber: 'A' }, 'orderNumber'],
    ['a reversal of a part', 'reverse.do', {}, 'amount'],
  ])('refuses %s', async (_what, call, changed, field) => {
    const order = await scene.paid({});
    expect(await problemOf(call, order, changed)).toEqual({
      errorCode: '5',
      errorMessage: `[${field}] is invalid`,
    });
    expect(await returned(order)).toEqual([]);
  });

  test('refuses other credentials and unknown orders', async () => {
    const order = await scene.paid({});
    expect(await problemOf('refund.do', order, { password: 'x' })).toMatchObject({
      errorCode: '5',
    });
    const orderId = crypto.randomUUID();
    expect(await problemOf('refund.do', order, { orderId })).toMatchObject({ errorCode: '6' });
  });
});

describe('a reversal', () => {
  test('is the whole amount, soon after the payment', async () => {
    const order = await scene.paid({});
    const rail = scene.railWith(REVERSING);
    expect(await rail.refund?.(order)).toMatchObject({ type: 'succeeded' });
    expect(lastForm()).toEqual({
      call: '/epg/rest/reverse.do',
      fields: {
        userName: scene.standIn.settings.userName,
        password: scene.standIn.settings.password,
        orderId: order.payment.attempt.railReference,
        language: 'en',
      },
    });
    expect(await rail.refundStatus?.(order, Date.now())).toMatchObject({
      type: 'succeeded',
      providerCode: 'orderStatus 3 actionCode 0',
    });
  });

  test.each<[string, Readonly<Record<string, unknown>>, (order: RefundOrder) => RefundOrder]>([
    ['is not allowed', {}, (order) => order],
    ['would return a part', REVERSING, (order) => part(order, 1_000)],
    ['is not the first refund', REVERSING, (order) => ({ ...order, isFirst: false })],
    [
      'would come too late',
      REVERSING,
      (order) => withAttempt(order, { updatedAtMs: Date.now() - 30 * MINUTE_MS }),
    ],
  ])('that %s is a refund', async (_why, settings, changed) => {
    const order = changed(await scene.paid({}));
    expect(await scene.railWith(settings).refund?.(order)).toMatchObject({ type: 'succeeded' });
    expect(lastForm().call).toBe('/epg/rest/refund.do');
  });

  test('fails when the gateway refuses it; the next return is a refund', async () => {
    const order = await scene.paid({ refuses: 'declines' });
    const rail = scene.railWith(REVERSING);
    expect(await rail.refund?.(order)).toMatchObject(DECLINED);
    scene.standIn.plan(String(order.payment.chargedMinor), {});
    expect(await rail.refund?.({ ...order, isFirst: false })).toMatchObject({ type: 'succeeded' });
    expect(lastForm().call).toBe('/epg/rest/refund.do');
    expect(await returned(order)).toHaveLength(1);
  });
});

const PAID = JSON.parse(fixture('cards-status-paid.json'));
const ATTEMPT = { railReference: '01491d0b-aaaa-7dd6-a20d-e96900a7d8c0' };

describe('an answer to the call', () => {
  async function answerTo(reply: Reply): Promise<RefundAnswer | undefined> {
    const rail = await scene.scripted(reply);
    return rail.refund?.(refundOrderFor(orderFor(rail, 'ETS_SWITCH', { attempt: ATTEMPT })));
  }

  test.each<[unknown, string | undefined, RefundAnswer]>([
    [0, 'Success', { type: 'succeeded', railReference: null }],
    ['0', undefined, { type: 'succeeded', railReference: null }],
    [5, 'Access denied', NOT_ENABLED],
    ['5', 'Access denied', NOT_ENABLED],
    [5, 'User must change his password', MISCONFIGURED],
    [5, '[amount] is invalid', MISCONFIGURED],
    [5, '[orderId] is empty', MISCONFIGURED],
    [5, 'externalRefundId already exists', UNKNOWN],
    [5, 'Deposited amount is not the expected amount', UNKNOWN],
    [5, 'Error', UNKNOWN],
    [5, undefined, UNKNOWN],
    [6, 'Unknown order id', MISCONFIGURED],
    [7, 'Refund amount exceeds deposited amount', DECLINED],
    [7, 'Refund is impossible for current transaction state', DECLINED],
    [7, 'Reversal is impossible for current transaction state', DECLINED],
    [7, 'Payment must be in a correct state', DECLINED],
    [7, 'System error', UNKNOWN],
    [7, undefined, UNKNOWN],
    [1, 'Order number is duplicated', UNKNOWN],
    [undefined, 'Success', UNKNOWN],
    ['done', 'Success', UNKNOWN],
  ])('errorCode %j, %j', async (errorCode, errorMessage, answer) => {
    expect(await answerTo(jsonReply(200, { errorCode, errorMessage }))).toMatchObject(answer);
  });

  test.each([
    [401, NOT_ENABLED],
    [403, NOT_ENABLED],
    [404, NOT_ENABLED],
    [405, NOT_ENABLED],
    [429, { type: 'failed', reason: 'rail_unavailable' }],
    [400, UNKNOWN],
    [500, UNKNOWN],
    [502, UNKNOWN],
    [504, UNKNOWN],
  ])('HTTP %i, with any body', async (status, answer) => {
    expect(await answerTo(jsonReply(status, { errorCode: 0 }))).toMatchObject(answer);
  });

  test.each(['', '<html>', '[]', 'null', '"0"', '{"errorCode":0'])(
    '%j proves nothing',
    async (body) => {
      expect(await answerTo({ type: 'answer', status: 200, body })).toEqual(UNKNOWN);
    },
  );
});

describe('the order’s state', () => {
  /** 200.00 of 1500.00, after a refund of 100.00. */
  const SECOND = { returnedBeforeMinor: 10_000, isFirst: false };
  const BOTH = { paymentState: 'REFUNDED', depositedAmount: 120_000, refundedAmount: 30_000 };

  function read(changed: object, order: Partial<RefundOrder> = SECOND, returnedMinor = 20_000) {
    const payment = orderFor(scene.rail, 'ETS_SWITCH', { attempt: ATTEMPT });
    const about = part({ ...refundOrderFor(payment), payment }, returnedMinor, order, {
      reference: 'R7K2M9QX4T0B8ZC3VN5D',
    });
    return readRefundState(JSON.stringify({ ...PAID, orderStatus: 4, ...changed }), about);
  }

  const LISTED = {
    externalRefundId: 'R7K2M9QX4T0B8ZC3VN5D',
    actionCode: '0',
    referenceNumber: '632509999999',
    amount: 20_000,
  };
  const OTHER = { ...LISTED, externalRefundId: 'A'.repeat(20), amount: 10_000 };

  test.each<[string, object]>([
    ['lists it', { refunds: [OTHER, LISTED] }],
    ['lists it alone, without sums', { refunds: [LISTED], paymentAmountInfo: null }],
    ['lists it in numbers', { refunds: [{ ...LISTED, amount: '20000', actionCode: 0 }] }],
  ])('%s: returned', (_what, changed) => {
    expect(read(changed)).toEqual({ type: 'succeeded', railReference: '632509999999' });
  });

  test.each<[string, object]>([
    ['has the sums after it', { paymentAmountInfo: BOTH }],
    [
      'has them as text',
      { paymentAmountInfo: { depositedAmount: '120000', refundedAmount: '30000' } },
    ],
    [
      'lists refunds without numbers',
      { paymentAmountInfo: BOTH, refunds: [{ amount: 10_000 }, 7, null] },
    ],
  ])('%s: returned', (_what, changed) => {
    expect(read(changed)).toEqual({ type: 'succeeded', railReference: null });
  });

  const REVERSED = {
    orderStatus: 3,
    paymentAmountInfo: { paymentState: 'REVERSED', depositedAmount: 0, refundedAmount: 0 },
  };

  test('reversed: returned, if that is the whole', () => {
    const first = { returnedBeforeMinor: 0, isFirst: true };
    expect(read(REVERSED, first, 150_000)).toMatchObject({ type: 'succeeded' });
    expect(read(REVERSED, first, 20_000)).toEqual(UNKNOWN);
    expect(read(REVERSED, SECOND, 140_000)).toEqual(UNKNOWN);
  });

  test.each<[string, object]>([
    [
      'has the sums before it',
      { paymentAmountInfo: { ...BOTH, depositedAmount: 140_000, refundedAmount: 10_000 } },
    ],
    [
      'has not returned what it no longer has',
      { paymentAmountInfo: { ...BOTH, refundedAmount: 0 } },
    ],
    ['still has what it returned', { paymentAmountInfo: { ...BOTH, depositedAmount: 150_000 } }],
    ['has no sums', { paymentAmountInfo: undefined }],
    ['has malformed sums', { paymentAmountInfo: 'REFUNDED' }],
    ['lists only others, with fitting sums', { refunds: [OTHER], paymentAmountInfo: BOTH }],
    ['lists it twice', { refunds: [LISTED, LISTED] }],
    ['lists it with another amount', { refunds: [{ ...LISTED, amount: 20_001 }] }],
    ['lists it as refused', { refunds: [{ ...LISTED, actionCode: '116' }] }],
    ['lists it without a result', { refunds: [{ ...LISTED, actionCode: undefined }] }],
    ['is another order', { refunds: [LISTED], orderNumber: 'A'.repeat(20) }],
    ['has another amount', { refunds: [LISTED], amount: 1 }],
    ['has another currency', { refunds: [LISTED], currency: '840' }],
    ['is an error', { refunds: [LISTED], errorCode: '7' }],
  ])('%s: nothing proven', (_what, changed) => {
    expect(read(changed)).toEqual(UNKNOWN);
  });

  test.each(['', '<html>', '[]', '{}'])('%j proves nothing', (text) => {
    const order = refundOrderFor(orderFor(scene.rail, 'ETS_SWITCH', { attempt: ATTEMPT }));
    expect(readRefundState(text, order)).toEqual(UNKNOWN);
  });
});
