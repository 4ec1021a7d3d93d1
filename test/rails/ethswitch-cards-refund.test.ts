import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type CardsStandIn,
  startEthswitchCardsStandIn,
} from '../../scripts/stand-ins/ethswitch-cards.ts';
import { type Fault, jsonReply, type Plan, type Reply } from '../../scripts/stand-ins/stand-in.ts';
import { readRefundState } from '../../src/rails/ethswitch/cards-refund.ts';
import type { RefundAnswer, RefundOrder } from '../../src/rails/refund.ts';
import {
  cardsRailOf,
  fixture,
  headersOf,
  type Receiver,
  started,
  startReceiver,
  startScripted,
} from '../support/rails/ethswitch-scene.ts';
import { CALL_FAULTS } from '../support/rails/faults.ts';
import { freshReference, orderFor } from '../support/rails/order.ts';
import {
  DECLINED,
  MISCONFIGURED,
  NOT_ENABLED,
  NOT_SUPPORTED,
  part,
  refundOrderFor,
  returnedAt,
  UNKNOWN,
  withAttempt,
} from '../support/rails/refund-order.ts';
import { endTimeoutsOnSilence } from '../support/rails/timeouts.ts';

/** Goal: a refund has succeeded or failed only if the gateway has proven it, and is asked for once. */

const MINUTE_MS = 60_000;

let epg: CardsStandIn;
let receiver: Receiver;
let scripted: Awaited<ReturnType<typeof startScripted>>;
let next: Reply;
let amountMinor = 150_000;
beforeAll(async () => {
  epg = await startEthswitchCardsStandIn();
  receiver = await startReceiver('cards');
  scripted = await startScripted(() => next);
});
afterAll(async () => {
  await Promise.all([epg.stop(), receiver.stop(), scripted.stop()]);
});

function railWith(changed: object = {}) {
  return cardsRailOf({ ...epg.settings, ...changed });
}

const REVERSING = { reversalMinutes: 30 };

/** A whole refund of a payment that the customer has made, under this plan. */
async function paid(plan: Plan['refund'] = {}): Promise<RefundOrder> {
  amountMinor += 1;
  epg.plan(String(amountMinor), { refund: plan });
  const reference = freshReference();
  const changed = { terms: { amountMinor }, attempt: { reference } };
  const payment = await started(railWith(), receiver, changed);
  await (await epg.order(reference)).act('pays', { silent: true });
  return refundOrderFor(payment);
}

const returned = (order: RefundOrder) => returnedAt(epg, order);

function lastForm(): { readonly call: string; readonly fields: Readonly<Record<string, string>> } {
  const call = epg.calls.at(-1);
  const fields = Object.fromEntries(new URLSearchParams(call?.body));
  return { call: call?.url ?? '', fields };
}

describe('a repeat of the operator', () => {
  test('is off by default', () => {
    expect(railWith()).not.toHaveProperty('repeatRefund');
    expect(railWith()).not.toHaveProperty('isRefundRepeatable');
  });

  test.each([true, false])('has the same form, and returns the money once: %s', async (isKnown) => {
    const order = await paid();
    const rail = railWith({ refundRepeats: true });
    await (isKnown ? rail.refund(order) : null);
    const first = isKnown ? lastForm() : null;
    expect(await rail.repeatRefund?.(order)).toMatchObject({ type: 'succeeded' });
    const { call, fields } = lastForm();
    expect(call).toMatch(/refund\.do$/);
    expect(fields).toMatchObject({
      externalRefundId: order.refund.reference,
      expectedDepositedAmount: String(order.payment.chargedMinor),
    });
    expect(first === null || first).toEqual(first === null || { call, fields });
    expect(await returned(order)).toHaveLength(1);
  });

  test('is not offered for what may have been a reversal, which has no number', async () => {
    const order = await paid();
    const rail = railWith({ ...REVERSING, refundRepeats: true });
    expect(rail.isRefundRepeatable?.(order)).toBe(false);
    expect(rail.isRefundRepeatable?.(part(order, 1))).toBe(true);
    expect(railWith({ refundRepeats: true }).isRefundRepeatable?.(order)).toBe(true);
  });
});

describe('a refund', () => {
  test('is a form with our number and the amount that must be there', async () => {
    const whole = await paid();
    expect(await railWith().refund(part(whole, 1_001))).toMatchObject({ type: 'succeeded' });
    const { chargedMinor, attempt } = whole.payment;
    const second = part(whole, 2_002, { returnedBeforeMinor: 1_001, isFirst: false });
    expect(await railWith({ language: 'am' }).refund(second)).toMatchObject({ type: 'succeeded' });
    expect(lastForm()).toEqual({
      call: '/epg/rest/refund.do',
      fields: {
        userName: epg.settings.userName,
        password: epg.settings.password,
        orderId: attempt.railReference,
        amount: '2002',
        currency: '230',
        language: 'en',
        externalRefundId: second.refund.reference,
        expectedDepositedAmount: String(chargedMinor - 1_001),
      },
    });
    expect(headersOf(epg.calls.at(-1) ?? expect.fail())).toEqual({
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
    });
    expect(await returned(whole)).toEqual(['1001', '2002']);
  });

  test.each([
    ['declines', { ...DECLINED, providerCode: 'errorCode 7' }],
    ['lacks_funds', { ...DECLINED, providerCode: 'errorCode 7' }],
    ['not_enabled', { ...NOT_ENABLED, providerCode: 'errorCode 5' }],
  ] as const)('that the gateway refuses (%s) ends as it says', async (refuses, answer) => {
    const order = await paid({ refuses });
    expect(await railWith().refund(order)).toEqual(answer);
    expect(await returned(order)).toEqual([]);
  });

  test.each([
    [100_22, DECLINED],
    [100_25, NOT_ENABLED],
    [100_00, { type: 'succeeded' }],
  ])('without a plan ends as the sandbox’s of the same amount: %i', async (minor, answer) => {
    const whole = await paid();
    epg.plan(String(whole.payment.chargedMinor), {});
    expect(await railWith().refund(part(whole, minor))).toMatchObject(answer);
  });

  test('of more than is left has failed', async () => {
    const whole = await paid();
    expect(await railWith().refund(part(whole, 1_000))).toMatchObject({ type: 'succeeded' });
    const tooMuch = part(whole, whole.payment.chargedMinor, { isFirst: false });
    expect(await railWith().refund(tooMuch)).toMatchObject(DECLINED);
    expect(await returned(whole)).toEqual(['1000']);
  });

  test('after one that we do not know of is unknown: the amount there differs', async () => {
    const whole = await paid();
    expect(await railWith().refund(part(whole, 1_000))).toMatchObject({ type: 'succeeded' });
    const second = part(whole, 1_000);
    expect(await railWith().refund(second)).toEqual({ ...UNKNOWN, providerCode: 'errorCode 7' });
    expect(await railWith().refundStatus(second, Date.now())).toMatchObject(UNKNOWN);
    expect(await returned(whole)).toEqual(['1000']);
  });

  test('under a repeated number moves no money again', async () => {
    const order = await paid();
    expect(await railWith().refund(order)).toMatchObject({ type: 'succeeded' });
    expect(await railWith().refund(order)).toMatchObject({ type: 'succeeded' });
    expect(await returned(order)).toHaveLength(1);
  });

  test('without the gateway’s id needs a person, and makes no call', async () => {
    const order = withAttempt(await paid(), { railReference: null });
    const before = epg.calls.length;
    expect(await railWith().refund(order)).toEqual(NOT_SUPPORTED);
    expect(epg.calls).toHaveLength(before);
  });

  test.each<readonly [Fault, number, object]>([
    ...CALL_FAULTS.map(([fault, count]) => [fault, count, {}] as const),
    ['accepted_then_reset', 1, REVERSING],
    ['accepted_then_hang', 1, REVERSING],
  ])('is unknown after %s, until the order tells: %i, %j', async (fault, count, settings) => {
    endTimeoutsOnSilence();
    const order = await paid({ fault });
    const rail = railWith(settings);
    expect(await rail.refund(order)).toEqual(UNKNOWN);
    expect(await returned(order)).toHaveLength(count);
    expect(await rail.refundStatus(order, Date.now())).toMatchObject(
      count === 1 ? { type: 'succeeded' } : UNKNOWN,
    );
  });

  test('is found by its number, among others', async () => {
    const whole = await paid();
    const second = part(whole, 2_000, { returnedBeforeMinor: 1_000, isFirst: false });
    await railWith().refund(part(whole, 1_000));
    expect(await railWith().refundStatus(second, Date.now())).toMatchObject(UNKNOWN);
    await railWith().refund(second);
    expect(await railWith().refundStatus(second, Date.now())).toEqual({
      type: 'succeeded',
      railReference: expect.stringMatching(/^\d{12}$/),
      providerCode: 'orderStatus 4 actionCode 0',
    });
  });
});

describe('the stand-in', () => {
  async function problemOf(call: string, order: RefundOrder, changed: object): Promise<object> {
    const form = new URLSearchParams({
      userName: String(epg.settings.userName),
      password: String(epg.settings.password),
      orderId: order.payment.attempt.railReference ?? '',
      language: 'en',
      amount: '1000',
      currency: '230',
      externalRefundId: freshReference(),
      expectedDepositedAmount: String(order.payment.chargedMinor),
      ...changed,
    });
    const url = `${epg.settings.baseUrl}${call}`;
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
    const order = await paid();
    expect(await problemOf(call, order, changed)).toEqual({
      errorCode: '5',
      errorMessage: `[${field}] is invalid`,
    });
    expect(await returned(order)).toEqual([]);
  });

  test('refuses other credentials and unknown orders', async () => {
    const order = await paid();
    expect(await problemOf('refund.do', order, { password: 'x' })).toMatchObject({
      errorCode: '5',
    });
    const orderId = crypto.randomUUID();
    expect(await problemOf('refund.do', order, { orderId })).toMatchObject({ errorCode: '6' });
  });
});

describe('a reversal', () => {
  test('is the whole amount, soon after the payment', async () => {
    const order = await paid();
    const rail = railWith(REVERSING);
    expect(await rail.refund(order)).toMatchObject({ type: 'succeeded' });
    expect(lastForm()).toEqual({
      call: '/epg/rest/reverse.do',
      fields: {
        userName: epg.settings.userName,
        password: epg.settings.password,
        orderId: order.payment.attempt.railReference,
        language: 'en',
      },
    });
    expect(await rail.refundStatus(order, Date.now())).toMatchObject({
      type: 'succeeded',
      providerCode: 'orderStatus 3 actionCode 0',
    });
  });

  test.each<[string, object, (order: RefundOrder) => RefundOrder]>([
    ['is not allowed', {}, (order) => order],
    ['would return a part', REVERSING, (order) => part(order, 1_000)],
    ['is not the first refund', REVERSING, (order) => ({ ...order, isFirst: false })],
    [
      'would come too late',
      REVERSING,
      (order) => withAttempt(order, { updatedAtMs: Date.now() - 30 * MINUTE_MS }),
    ],
  ])('that %s is a refund', async (_why, settings, changed) => {
    const order = changed(await paid());
    expect(await railWith(settings).refund(order)).toMatchObject({ type: 'succeeded' });
    expect(lastForm().call).toBe('/epg/rest/refund.do');
  });

  test('that the gateway refuses has failed; the next refund is none', async () => {
    const order = await paid({ refuses: 'declines' });
    const rail = railWith(REVERSING);
    expect(await rail.refund(order)).toMatchObject(DECLINED);
    epg.plan(String(order.payment.chargedMinor), {});
    expect(await rail.refund({ ...order, isFirst: false })).toMatchObject({ type: 'succeeded' });
    expect(lastForm().call).toBe('/epg/rest/refund.do');
    expect(await returned(order)).toHaveLength(1);
  });
});

const PAID = JSON.parse(fixture('cards-status-paid.json'));
const OFFLINE = cardsRailOf({
  gateway: 'cards',
  baseUrl: 'http://localhost:9',
  userName: 'u',
  password: 'p',
});
const ATTEMPT = { railReference: '01491d0b-aaaa-7dd6-a20d-e96900a7d8c0' };

describe('an answer to the call', () => {
  async function answerTo(reply: Reply): Promise<RefundAnswer> {
    next = reply;
    const rail = cardsRailOf({ ...epg.settings, baseUrl: scripted.baseUrl });
    return rail.refund(refundOrderFor(orderFor(rail, 'ETS_SWITCH', { attempt: ATTEMPT })));
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
    const payment = orderFor(OFFLINE, 'ETS_SWITCH', { attempt: ATTEMPT });
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
    const order = refundOrderFor(orderFor(OFFLINE, 'ETS_SWITCH', { attempt: ATTEMPT }));
    expect(readRefundState(text, order)).toEqual(UNKNOWN);
  });
});
