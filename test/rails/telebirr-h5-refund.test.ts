import { describe, expect, test } from 'vitest';
import { jsonReply, type Reply } from '../../scripts/stand-ins/stand-in.ts';
import type { RefundAnswer, RefundOrder } from '../../src/engine/rails/refund.ts';
import { majorText } from '../../src/kit/money.ts';
import { freshReference } from '../support/rails/order.ts';
import { PLAYERS } from '../support/rails/players.ts';
import {
  DECLINED,
  MISCONFIGURED,
  NOT_ENABLED,
  part,
  refundOrderFor,
  refundsAt,
  UNKNOWN,
} from '../support/rails/refund-order.ts';
import { useRailScene } from '../support/rails/scene.ts';
import { type Members, success } from '../support/rails/telebirr-h5.ts';

/** Goal: a refund has succeeded or failed only if telebirr has proven it, by answer or by query. */

const scene = await useRailScene(PLAYERS.telebirrH5);

const DONE: RefundAnswer = {
  type: 'succeeded',
  railReference: expect.stringMatching(/^\d{24}$/),
  providerCode: 'REFUND_SUCCESS',
};
const REFUNDED: RefundAnswer = { ...DONE, railReference: null };

describe('a refund', () => {
  test('is the documented message, sent again after a token that telebirr ended early', async () => {
    const order = await scene.paid({});
    scene.standIn.dropTokens();
    expect(await scene.rail.refund?.(order)).toEqual(DONE);
    const call = scene.standIn.calls.at(-1);
    const message = JSON.parse(call?.body ?? '');
    expect(call?.url).toBe('/apiaccess/payment/gateway/payment/v1/merchant/refund');
    expect(message).toMatchObject({ method: 'payment.refund', version: '1.0' });
    expect(message.biz_content).toEqual({
      appid: scene.standIn.settings.merchantAppId,
      merch_code: scene.standIn.settings.merchantCode,
      merch_order_id: order.payment.attempt.reference,
      refund_request_no: order.refund.reference,
      actual_amount: majorText(order.payment.chargedMinor),
      trans_currency: 'ETB',
    });
    expect(await refundsAt(scene.standIn, order)).toHaveLength(1);
  });

  test.each([
    [undefined, REFUNDED],
    ['declines', { ...DECLINED, providerCode: 'REFUND_FAILED' }],
  ] as const)('that telebirr carries out later is asked about: %s', async (refuses, ending) => {
    const order = await scene.paid({ isSlow: true, ...(refuses && { refuses }) });
    const accepted = { ...UNKNOWN, providerCode: 'REFUNDING' };
    expect(await scene.rail.refund?.(order)).toMatchObject(accepted);
    expect(await scene.rail.refundStatus?.(order, Date.now())).toEqual(accepted);
    (await refundsAt(scene.standIn, order))[0]?.end?.();
    expect(await scene.rail.refundStatus?.(order, Date.now())).toEqual(ending);
  });

  test('without a plan behaves like the sandbox’s refund of the same amount', async () => {
    const order = part(await scene.paid(), 100_21);
    expect(await scene.rail.refund?.(order)).toMatchObject({ providerCode: 'REFUNDING' });
  });

  test('of an order that was not paid needs a person', async () => {
    const { order } = await scene.place();
    expect(await scene.rail.refund?.(refundOrderFor(order))).toMatchObject(NOT_ENABLED);
  });
});

describe('an answer to the call', () => {
  async function answerTo(reply: (order: RefundOrder) => Reply): Promise<RefundAnswer | undefined> {
    const order = part(refundOrderFor(scene.order()), 1_200);
    return (await scene.scripted(reply(order))).refund?.(order);
  }

  function about({ payment, refund }: RefundOrder): Members {
    return {
      merch_code: scene.standIn.settings.merchantCode,
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
    ['500: an error of the gateway', jsonReply(500, { errorCode: '500' })],
    ['49401021002: too many calls', jsonReply(400, { errorCode: '49401021002' })],
    ['a code that is not public', jsonReply(400, { errorCode: '60209999' })],
  ])('%s proves nothing', async (_what, reply) => {
    expect(await answerTo(() => reply)).toMatchObject(UNKNOWN);
  });

  test.each<[string, Reply, RefundAnswer]>([
    ['60320025', jsonReply(500, { errorCode: '60320025' }), NOT_ENABLED],
    ['60200098', jsonReply(500, { errorCode: '60200098' }), NOT_ENABLED],
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
  ): Promise<RefundAnswer | undefined> {
    const about = part(refundOrderFor(scene.order()), 1_200, order);
    const { attempt, chargedMinor } = about.payment;
    const reply = success({
      merch_order_id: attempt.reference,
      order_status: 'REFUND_SUCCESS',
      trans_currency: 'ETB',
      total_amount: majorText(chargedMinor),
      ...changed,
    });
    return (await scene.scripted(reply)).refundStatus?.(about, Date.now());
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
    const rail = await scene.scripted(jsonReply(400, { errorCode: '60201002' }));
    expect(await rail.refundStatus?.(refundOrderFor(scene.order()), Date.now())).toEqual({
      type: 'unknown',
      providerCode: '60201002',
    });
  });
});
