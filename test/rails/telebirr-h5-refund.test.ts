import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { jsonReply, type Plan, type Reply } from '../../scripts/stand-ins/stand-in.ts';
import { majorText } from '../../src/domain/money.ts';
import type { RailOrder } from '../../src/rails/rail-order.ts';
import type { RefundAnswer, RefundOrder } from '../../src/rails/refund.ts';
import { CALL_FAULTS } from '../support/rails/faults.ts';
import { freshReference } from '../support/rails/order.ts';
import {
  DECLINED,
  MISCONFIGURED,
  NOT_ENABLED,
  part,
  refundOrderFor,
  returnedAt,
  UNKNOWN,
} from '../support/rails/refund-order.ts';
import {
  type Members,
  scriptedRail,
  success,
  type TelebirrScene,
  telebirrScene,
} from '../support/rails/telebirr-h5-scene.ts';
import { endTimeoutsOnSilence } from '../support/rails/timeouts.ts';

/** Goal: a refund has succeeded or failed only if telebirr has proven it, and is asked for once. */

let scene: TelebirrScene;
let scripted: Awaited<ReturnType<typeof scriptedRail>>;
let next: Reply;
beforeAll(async () => {
  scene = await telebirrScene();
  scripted = await scriptedRail(scene.telebirr.settings, () => next);
});
afterAll(async () => {
  await Promise.all([scene.stop(), scripted.stop()]);
});

/** A whole refund of a payment that the customer has made, under this plan. */
async function paid(plan: Plan['refund'] = {}): Promise<RefundOrder> {
  const payment = scene.order();
  scene.telebirr.plan(majorText(payment.chargedMinor), { refund: plan });
  expect((await scene.rail.start(payment)).type).toBe('accepted');
  await (await atTelebirr(payment)).act('pays', { silent: true });
  return refundOrderFor(payment);
}

function atTelebirr({ attempt }: RailOrder) {
  return scene.telebirr.order(attempt.reference);
}

const returned = (order: RefundOrder) => returnedAt(scene.telebirr, order);

const DONE: RefundAnswer = {
  type: 'succeeded',
  railReference: expect.stringMatching(/^\d{24}$/),
  providerCode: 'REFUND_SUCCESS',
};
const REFUNDED: RefundAnswer = { ...DONE, railReference: null };

describe('a refund', () => {
  test('is the documented message', async () => {
    const order = await paid();
    expect(await scene.rail.refund(order)).toEqual(DONE);
    const call = scene.telebirr.calls.at(-1);
    const message = JSON.parse(call?.body ?? '');
    expect(call?.url).toBe('/apiaccess/payment/gateway/payment/v1/merchant/refund');
    expect(message).toMatchObject({ method: 'payment.refund', version: '1.0' });
    expect(message.biz_content).toEqual({
      appid: scene.telebirr.settings.merchantAppId,
      merch_code: scene.telebirr.settings.merchantCode,
      merch_order_id: order.payment.attempt.reference,
      refund_request_no: order.refund.reference,
      actual_amount: majorText(order.payment.chargedMinor),
      trans_currency: 'ETB',
    });
  });

  test('may be a part, and the rest follows', async () => {
    const whole = await paid();
    const { chargedMinor } = whole.payment;
    expect(await scene.rail.refund(part(whole, 1_001))).toEqual(DONE);
    const rest = part(whole, chargedMinor - 1_001, { returnedBeforeMinor: 1_001, isFirst: false });
    expect(await scene.rail.refund(rest)).toEqual(DONE);
    expect(await returned(whole)).toEqual(['10.01', majorText(chargedMinor - 1_001)]);
  });

  test('of more than is left is not known to have failed, and moves no money', async () => {
    const whole = await paid();
    expect(await scene.rail.refund(part(whole, 1_000))).toEqual(DONE);
    const tooMuch = part(whole, whole.payment.chargedMinor, { isFirst: false });
    expect(await scene.rail.refund(tooMuch)).toEqual({ ...UNKNOWN, providerCode: '60201003' });
    expect(await returned(whole)).toEqual(['10.00']);
  });

  test.each([
    ['declines', { ...DECLINED, providerCode: 'REFUND_FAILED' }],
    ['lacks_funds', { ...DECLINED, providerCode: 'REFUND_FAILED' }],
    ['not_enabled', { ...NOT_ENABLED, providerCode: '60320025' }],
  ] as const)('that telebirr refuses (%s) ends as it says', async (refuses, answer) => {
    const order = await paid({ refuses });
    expect(await scene.rail.refund(order)).toEqual(answer);
    expect(await returned(order)).toEqual([]);
  });

  test.each([
    [undefined, REFUNDED],
    ['declines', { ...DECLINED, providerCode: 'REFUND_FAILED' }],
  ] as const)('that telebirr carries out later is asked about: %s', async (refuses, ending) => {
    const order = await paid({ isSlow: true, ...(refuses && { refuses }) });
    const accepted = { ...UNKNOWN, providerCode: 'REFUNDING' };
    expect(await scene.rail.refund(order)).toMatchObject(accepted);
    expect(await scene.rail.refundStatus(order, Date.now())).toEqual(accepted);
    (await atTelebirr(order.payment)).refunds?.[0]?.end?.();
    expect(await scene.rail.refundStatus(order, Date.now())).toEqual(ending);
  });

  test('under a number that telebirr has seen is not a failure', async () => {
    const order = await paid();
    expect(await scene.rail.refund(order)).toEqual(DONE);
    const again = await scene.rail.refund(order);
    expect(again).toMatchObject({ ...UNKNOWN, providerCode: 'REFUND_DUPLICATED' });
    expect(await scene.rail.refundStatus(order, Date.now())).toEqual(REFUNDED);
    expect(await returned(order)).toHaveLength(1);
  });

  test.each([
    [100_21, { ...UNKNOWN, providerCode: 'REFUNDING' }],
    [100_22, DECLINED],
    [100_25, NOT_ENABLED],
    [100_00, DONE],
  ])('without a plan ends as the sandbox’s of the same amount: %i', async (amountMinor, answer) => {
    const whole = await paid();
    scene.telebirr.plan(majorText(whole.payment.chargedMinor), {});
    expect(await scene.rail.refund(part(whole, amountMinor))).toMatchObject(answer);
  });

  test('of an order that was not paid needs a person', async () => {
    const payment = scene.order();
    expect((await scene.rail.start(payment)).type).toBe('accepted');
    expect(await scene.rail.refund(refundOrderFor(payment))).toMatchObject(NOT_ENABLED);
  });

  test.each(CALL_FAULTS)('is unknown after %s, until the order tells', async (fault, count) => {
    endTimeoutsOnSilence();
    const order = await paid({ fault });
    expect(await scene.rail.refund(order)).toEqual(UNKNOWN);
    expect(await returned(order)).toHaveLength(count);
    expect(await scene.rail.refundStatus(order, Date.now())).toEqual(
      count === 1 ? REFUNDED : { ...UNKNOWN, providerCode: 'PAY_SUCCESS' },
    );
  });

  describe('without a token', () => {
    beforeEach(() => {
      scene.telebirr.dropTokens();
    });

    test('has certainly failed, because telebirr got no request', async () => {
      const order = await paid();
      const rail = scene.railWith({ appSecret: 'wrong' });
      const before = scene.telebirr.calls.length;
      expect(await rail.refund(order)).toMatchObject(MISCONFIGURED);
      const urls = scene.telebirr.calls.slice(before).map(({ url }) => url);
      expect(urls.every((url) => url.endsWith('/token'))).toBe(true);
    });

    test('that telebirr ended early is sent again with a new one, once', async () => {
      const order = await paid();
      scene.telebirr.dropTokens();
      expect(await scene.rail.refund(order)).toEqual(DONE);
      expect(await returned(order)).toHaveLength(1);
    });
  });

  test('from an unreachable provider has failed', async () => {
    const order = await paid();
    const rail = scene.railWith({ apiBaseUrl: 'http://localhost:9' });
    expect(await rail.refund(order)).toEqual({ type: 'failed', reason: 'rail_unavailable' });
  });
});

describe('a repeat of the operator', () => {
  const repeating = () => scene.railWith({ refundRepeats: true });

  test('is off by default', () => {
    expect(scene.rail).not.toHaveProperty('repeatRefund');
    expect(scene.rail).not.toHaveProperty('isRefundRepeatable');
  });

  test.each<[string, Plan['refund'], RefundAnswer]>([
    ['that telebirr has', {}, expect.objectContaining({ type: 'unknown' })],
    ['that never reached telebirr', undefined, DONE],
  ])(
    'of a refund %s has the same number, and returns the money once',
    async (_name, plan, result) => {
      const order = await paid();
      const rail = repeating();
      expect(rail.isRefundRepeatable?.(order)).toBe(true);
      if (plan !== undefined) {
        await rail.refund(order);
      }
      expect(await rail.repeatRefund?.(order)).toEqual(result);
      expect(scene.telebirr.calls.at(-1)?.body).toContain(
        `"refund_request_no":"${order.refund.reference}"`,
      );
      expect(await returned(order)).toHaveLength(1);
    },
  );
});

describe('an answer to the call', () => {
  async function answerTo(reply: (order: RefundOrder) => Reply): Promise<RefundAnswer> {
    const order = part(refundOrderFor(scene.order()), 1_200);
    next = reply(order);
    return scripted.rail.refund(order);
  }

  function about({ payment, refund }: RefundOrder): Members {
    return {
      merch_code: scene.telebirr.settings.merchantCode,
      merch_order_id: payment.attempt.reference,
      trans_order_id: '49485948475845',
      refund_order_id: 'RF-1',
      refund_amount: majorText(refund.returnedMinor),
      refund_currency: 'ETB',
      refund_status: 'REFUND_SUCCESS',
      refund_time: '1760371178000',
    };
  }

  test.each<[string, Members]>([
    ['as documented', {}],
    ['without what it need not repeat', { merch_code: undefined, refund_currency: undefined }],
    ['with another format of the amount', { refund_amount: '12' }],
    ['with a code of five zeros', {}],
  ])('%s succeeds', async (what, changed) => {
    const envelope = what.includes('zeros') ? { code: '00000' } : {};
    const answer = await answerTo((order) => success({ ...about(order), ...changed }, envelope));
    expect(answer).toEqual({ ...DONE, railReference: 'RF-1' });
  });

  test('drops an id that fits no receipt', async () => {
    const answer = await answerTo((order) =>
      success({ ...about(order), refund_order_id: '<b>'.repeat(99) }),
    );
    expect(answer).toEqual(REFUNDED);
  });

  test.each<[string, Members, Members?]>([
    ['of another order', { merch_order_id: 'H7K2M9QX4T0B8ZC3VN5E' }],
    ['without an order', { merch_order_id: undefined }],
    ['of another merchant', { merch_code: '1' }],
    ['of another refund', { refund_request_no: freshReference() }],
    ['with another amount', { refund_amount: '12.01' }],
    ['with a negative amount', { refund_amount: '-12.00' }],
    ['without an amount', { refund_amount: undefined }],
    ['in another currency', { refund_currency: 'USD' }],
    ['with an unknown state', { refund_status: 'DONE' }],
    ['without a state', { refund_status: undefined }],
    ['that has failed and succeeded', {}, { code: '60209999' }],
    ['that is not whole', {}, { result: 'FAIL' }],
    ['with a failure of another order', { refund_status: 'REFUND_FAILED', merch_order_id: 'X' }],
    ['with a refusal and a state', {}, { result: 'FAIL', code: '60200099' }],
  ])('%s proves nothing', async (_what, changed, envelope) => {
    const answer = await answerTo((order) => success({ ...about(order), ...changed }, envelope));
    expect(answer).toMatchObject(UNKNOWN);
  });

  test.each<[string, Reply]>([
    ['no JSON', { type: 'answer', status: 200, body: '<html>' }],
    ['502', { type: 'answer', status: 502, body: '<html>' }],
    ['405', jsonReply(405, { errorCode: '40500001', errorMsg: 'Method not allowed' })],
    ['a redirect', { type: 'answer', status: 302, headers: { location: '/' }, body: '' }],
    ['49401024991: southbound service unavailable', jsonReply(500, { errorCode: '49401024991' })],
    ['49401021002: too many calls', jsonReply(400, { errorCode: '49401021002' })],
    ['a code that is not public', jsonReply(400, { errorCode: '60209999' })],
  ])('%s proves nothing', async (_what, reply) => {
    expect(await answerTo(() => reply)).toMatchObject(UNKNOWN);
  });

  test.each<[string, Reply, RefundAnswer]>([
    ['60320025', jsonReply(500, { errorCode: '60320025' }), NOT_ENABLED],
    ['60320025 at 200', jsonReply(200, { result: 'FAIL', code: '60320025' }), NOT_ENABLED],
    ['no such API', jsonReply(404, { errorCode: '49401026001' }), NOT_ENABLED],
    ['404 of a proxy', { type: 'answer', status: 404, body: 'Not found' }, NOT_ENABLED],
    ['an invalid signature', jsonReply(500, { errorCode: '60200099' }), MISCONFIGURED],
    ['an empty parameter', jsonReply(400, { errorCode: '60320006' }), MISCONFIGURED],
  ])('%s tells that nothing was returned', async (_what, reply, answer) => {
    expect(await answerTo(() => reply)).toMatchObject(answer);
  });
});

describe('the order’s state', () => {
  async function statusOf(
    changed: Members,
    order: Partial<RefundOrder> = {},
  ): Promise<RefundAnswer> {
    const about = part(refundOrderFor(scene.order()), 1_200, order);
    const { attempt, chargedMinor } = about.payment;
    next = success({
      merch_order_id: attempt.reference,
      order_status: 'REFUND_SUCCESS',
      trans_currency: 'ETB',
      total_amount: majorText(chargedMinor),
      ...changed,
    });
    return scripted.rail.refundStatus(about, Date.now());
  }

  test.each<[string, Members, RefundAnswer]>([
    ['returned', {}, REFUNDED],
    ['returned, with its id', { refund_order_id: 'RF-1' }, { ...DONE, railReference: 'RF-1' }],
    ['returned, without a total', { total_amount: undefined }, REFUNDED],
    [
      'not returned',
      { order_status: 'REFUND_FAILED' },
      { ...DECLINED, providerCode: 'REFUND_FAILED' },
    ],
  ])('%s: proven while the order has no other refund', async (_what, changed, answer) => {
    expect(await statusOf(changed)).toEqual(answer);
    const other: readonly Partial<RefundOrder>[] = [
      { returnedBeforeMinor: 300 },
      { isFirst: false },
      { returnedBeforeMinor: 300, isFirst: false },
    ];
    for (const order of other) {
      expect(await statusOf(changed, order)).toMatchObject(UNKNOWN);
    }
  });

  test.each<[string, Members]>([
    ['of another order', { merch_order_id: 'H7K2M9QX4T0B8ZC3VN5E' }],
    ['of no order', { merch_order_id: undefined }],
    ['of another app', { appid: '1' }],
    ['of another merchant', { merch_code: '1' }],
    ['with another total', { total_amount: '12.00' }],
    ['in another currency', { trans_currency: 'USD' }],
    ['that contradicts itself', { trade_status: 'PAY_SUCCESS' }],
    ['still in progress', { order_status: 'REFUNDING' }],
    ['still paid', { order_status: 'PAY_SUCCESS' }],
    ['accepted', { order_status: 'ACCEPTED' }],
    ['not documented', { order_status: 'REFUNDED' }],
    ['missing', { order_status: undefined }],
  ])('%s proves nothing', async (_what, changed) => {
    expect(await statusOf(changed)).toMatchObject(UNKNOWN);
  });

  test('that telebirr does not answer proves nothing', async () => {
    next = jsonReply(400, { errorCode: '60201002' });
    const order = refundOrderFor(scene.order());
    expect(await scripted.rail.refundStatus(order, Date.now())).toEqual({
      type: 'unknown',
      providerCode: '60201002',
    });
  });
});
