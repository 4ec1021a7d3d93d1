import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jsonReply, type Reply } from '../../scripts/stand-ins/stand-in.ts';
import type { Outcome } from '../../src/engine/domain/attempt.ts';
import type { RailOrder } from '../../src/engine/rails/rail-order.ts';
import {
  type Members,
  success,
  type TelebirrScene,
  telebirrScene,
} from '../support/rails/telebirr-h5.ts';

/** Goal: only a complete answer about this order changes a payment. */

let scene: TelebirrScene;
beforeAll(async () => {
  scene = await telebirrScene();
});
afterAll(() => scene.stop());

describe('answers to preOrder', () => {
  const prepay_id = '080075a4e3213924de2b3b84ad3cac0a6a6001';

  async function startAfter(reply: (order: RailOrder) => Reply) {
    const order = scene.order();
    return (await scene.scripted(reply(order))).start(order);
  }

  test('accepts a complete answer', async () => {
    const whole = await startAfter(({ attempt }) =>
      success({ merch_order_id: attempt.reference, prepay_id }),
    );
    expect(whole).toMatchObject({
      type: 'accepted',
      redirectUrl: expect.stringContaining(prepay_id),
    });
  });

  test.each<[string, (order: RailOrder) => Reply]>([
    ['of another order', () => success({ merch_order_id: 'H7K2M9QX4T0B8ZC3VN5E', prepay_id })],
    ['without prepay_id', ({ attempt }) => success({ merch_order_id: attempt.reference })],
    ['with an odd prepay_id', () => success({ prepay_id: 'a&b=c' })],
    ['without biz_content', () => success({}, { biz_content: undefined })],
    ['with a list for biz_content', () => success({}, { biz_content: [] })],
    ['not successful', () => success({ prepay_id }, { result: 'FAIL' })],
    ['with another code', () => success({ prepay_id }, { code: '1' })],
    ['with another HTTP status', () => ({ ...success({ prepay_id }), status: 202 }) as Reply],
    ['a refusal with a prepay_id', () => success({ prepay_id }, { result: 'FAIL', code: '1' })],
    [
      'a refusal with a prepayId',
      () => success({ prepayId: prepay_id }, { result: 'FAIL', code: '1' }),
    ],
    ['with an inherited property as its code', () => jsonReply(400, { errorCode: 'constructor' })],
    ['that contradicts itself', () => success({ prepay_id }, { errorCode: '60200099' })],
    ['403', () => jsonReply(403, {})],
    ['a redirect', () => ({ type: 'answer', status: 302, headers: { location: '/' }, body: '' })],
    ['no JSON', () => ({ type: 'answer', status: 200, body: '<html>' })],
    ['JSON that is not an object', () => jsonReply(200, ['SUCCESS'])],
    ['too large', () => success({ prepay_id }, { msg: 'a'.repeat(70_000) })],
  ])('%s: unknown', async (_what, reply) => {
    expect(await startAfter(reply)).toMatchObject({ type: 'unknown' });
  });

  test.each([
    ['60200099', 'misconfigured'],
    ['60200087', 'misconfigured'],
    ['49401024995', 'misconfigured'],
    ['60320006', 'misconfigured'],
    ['49401026001', 'misconfigured'],
    ['60200098', 'misconfigured'],
    ['401', 'misconfigured'],
    ['49401021002', 'rail_unavailable'],
    ['49401024991', 'rail_unavailable'],
    ['60320025', 'rail_unavailable'],
    ['60209999', 'declined'],
  ])('error %s is a refusal: %s', async (errorCode, reason) => {
    for (const reply of [
      jsonReply(500, { errorCode, errorMsg: 'no' }),
      jsonReply(400, { errorCode: Number(errorCode) }),
      jsonReply(200, { result: 'FAIL', code: errorCode }),
    ]) {
      expect(await startAfter(() => reply)).toEqual({
        type: 'refused',
        reason,
        providerCode: errorCode,
      });
    }
  });
});

test.each([
  [jsonReply(500, { errorCode: '500', errorMsg: 'System error' }), 'rail_unavailable'],
  [jsonReply(503, { result: 'FAIL', code: '500' }), 'rail_unavailable'],
  // Not the gateway's own error.
  [jsonReply(200, { result: 'FAIL', code: '500' }), 'declined'],
])('code 500 in %j refuses an order: %s', async (reply, reason) => {
  const rail = await scene.scripted(reply);
  expect(await rail.start(scene.order())).toMatchObject({ type: 'refused', reason });
});

async function answered(order: RailOrder, reply: Reply): Promise<Outcome | undefined> {
  return (await scene.scripted(reply)).query?.(order, Date.now());
}

describe('answers to queryOrder', () => {
  async function queryAfter(changed: Members, envelope: Members = {}) {
    const order = scene.order({}, { terms: { amountMinor: 126_000 } });
    const content = {
      merch_order_id: order.attempt.reference,
      order_status: 'PAY_SUCCESS',
      payment_order_id: '11801107AD19191408215009',
      trans_time: '2025-10-13 19:19:38',
      trans_currency: 'ETB',
      total_amount: '1260.00',
      trans_id: 'CJD7GBOXIP',
      ...changed,
    };
    return answered(order, success(content, envelope));
  }

  test.each<[string, Members, string | null]>([
    ['as documented', {}, 'CJD7GBOXIP'],
    [
      'state under its other name',
      { order_status: undefined, trade_status: 'PAY_SUCCESS' },
      'CJD7GBOXIP',
    ],
    ['state under both names', { trade_status: 'PAY_SUCCESS' }, 'CJD7GBOXIP'],
    ['amount without decimals', { total_amount: '1260' }, 'CJD7GBOXIP'],
    ['amount as a number', { total_amount: 1260 }, 'CJD7GBOXIP'],
    ['no transaction id', { trans_id: '' }, '11801107AD19191408215009'],
    ['no currency', { trans_currency: undefined }, 'CJD7GBOXIP'],
    ['no id at all', { trans_id: null, payment_order_id: '<script>' }, null],
  ])('paid: %s', async (_what, changed, receipt) => {
    expect(await queryAfter(changed)).toEqual({
      type: 'succeeded',
      receipt,
      paidAtMs: Date.parse('2025-10-13T19:19:38+03:00'),
      providerCode: 'PAY_SUCCESS',
    });
  });

  test.each([[undefined], [''], ['yesterday'], ['2025-13-41 19:19:38'], ['2025-10-13'], [7]])(
    'paid without a date: %j',
    async (trans_time) => {
      const outcome = await queryAfter({ trans_time });
      expect(outcome).toMatchObject({ type: 'succeeded', paidAtMs: null });
    },
  );

  test.each<[string, Members]>([
    ['the code 00000', { code: '00000' }],
    ['the code as a number', { code: 0 }],
    ['no result', { result: undefined }],
  ])('paid: an envelope with %s', async (_what, envelope) => {
    expect(await queryAfter({}, envelope)).toMatchObject({ type: 'succeeded' });
  });

  describe('in camel case', () => {
    async function queryCamel(changed: Members) {
      const order = scene.order({}, { terms: { amountMinor: 126_000 } });
      const content = {
        merchOrderId: order.attempt.reference,
        orderStatus: 'PAY_SUCCESS',
        paymentOrderId: '11801107AD19191408215009',
        totalAmount: '1260.00',
        transId: 'CJD7GBOXIP',
        transTime: '2025-10-13 19:19:38',
        ...changed,
      };
      return answered(
        order,
        jsonReply(200, { code: '00000', msg: 'success', bizContent: content }),
      );
    }

    test('paid', async () => {
      expect(await queryCamel({})).toEqual({
        type: 'succeeded',
        receipt: 'CJD7GBOXIP',
        paidAtMs: Date.parse('2025-10-13T19:19:38+03:00'),
        providerCode: 'PAY_SUCCESS',
      });
    });

    test.each<[string, Members]>([
      ['another amount', { totalAmount: '1.00' }],
      ['another order', { merchOrderId: 'OTHER' }],
      ['two states', { order_status: 'PAY_FAILED' }],
      ['two amounts', { total_amount: '1.00' }],
      ['another currency', { transCurrency: 'USD' }],
    ])('nothing proved: %s', async (_what, changed) => {
      expect((await queryCamel(changed))?.type).toBe('unknown');
    });
  });

  test.each<[string, Members]>([
    ['of another order', { merch_order_id: 'H7K2M9QX4T0B8ZC3VN5E' }],
    ['of no order', { merch_order_id: undefined }],
    ['of another merchant', { merch_code: '999999' }],
    ['of another app', { appid: '999999' }],
    ['another amount', { total_amount: '1260.01' }],
    ['a hundredth of the amount', { total_amount: '12.60' }],
    ['no amount', { total_amount: undefined }],
    ['a malformed amount', { total_amount: '1,260.00' }],
    ['a negative amount', { total_amount: '-1260.00' }],
    ['another currency', { trans_currency: 'USD' }],
    ['contradicting states', { trade_status: 'PAY_FAILED' }],
    ['no state', { order_status: undefined }],
    ['in lower case', { order_status: 'pay_success' }],
    ['an inherited property as its state', { order_status: 'constructor' }],
    ...['WAIT_PAY', 'PAYING', 'ACCEPTED', 'REFUNDING', 'REFUND_SUCCESS', 'REFUND_FAILED'].map(
      (state): [string, Members] => [state, { order_status: state }],
    ),
  ])('nothing proved: %s', async (_what, changed) => {
    expect((await queryAfter(changed))?.type).toBe('unknown');
  });

  test('proves nothing without success', async () => {
    expect((await queryAfter({}, { result: 'FAIL' }))?.type).toBe('unknown');
    expect((await queryAfter({}, { code: '1' }))?.type).toBe('unknown');
    expect((await queryAfter({}, { errorCode: '60200099' }))?.type).toBe('unknown');
  });

  test.each([
    ['PAY_FAILED', 'declined'],
    ['ORDER_CLOSED', 'timed_out'],
  ])('%s: failed, when it is about this order', async (order_status, reason) => {
    const bare = { payment_order_id: undefined, trans_id: undefined, total_amount: undefined };
    expect(await queryAfter({ order_status, ...bare })).toEqual({
      type: 'failed',
      reason,
      providerCode: order_status,
    });
    for (const other of [{ merch_order_id: 'OTHER' }, { total_amount: '1.00' }, { appid: '1' }]) {
      expect((await queryAfter({ order_status, ...other }))?.type).toBe('unknown');
    }
  });
});
