import { afterEach, describe, expect, test, vi } from 'vitest';
import type { CallbackVariant } from '../../scripts/stand-ins/stand-in.ts';
import type { RailOrder } from '../../src/rails/rail-order.ts';
import {
  callbackRequest,
  fixture,
  nbgScene,
  nbgSettingsAt,
  orderAt,
  outcomeOf,
  railOf,
  started,
} from '../support/rails/ethswitch-scene.ts';
import { watchRailAnswers } from '../support/rails/logged.ts';
import { orderFor } from '../support/rails/order.ts';

const REFERENCE = 'H7K2M9QX4T0B8ZC3VN5D';

afterEach(() => {
  vi.restoreAllMocks();
});

/** An adapter for stored texts, which makes no calls. */
const OFFLINE = railOf(nbgSettingsAt());

async function read(body: string, changed: Parameters<typeof orderFor>[2] = {}) {
  return OFFLINE.readCallback(callbackRequest(body), orderFor(OFFLINE, 'ETS_SWITCH', changed));
}

describe('callbacks of the stand-in', () => {
  test('report a payment, also when they come twice', async () => {
    const { nbg, rail, receiver } = await nbgScene();
    const order = await started(rail, receiver);
    const atNbg = await nbg.order(REFERENCE);
    await atNbg.act('pays');
    const result = await rail.readCallback(receiver.last(), order);
    expect(outcomeOf(result)).toMatchObject({
      type: 'succeeded',
      receipt: expect.stringMatching(/^PAY[0-9A-F]{8}$/),
    });
    expect(result.reply).toEqual({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: '{"code":"SUCCESS"}',
    });
    await atNbg.callback();
    expect(outcomeOf(await rail.readCallback(receiver.last(), order))).toEqual(outcomeOf(result));
  });

  test('report a decline, and then a payment on the same page', async () => {
    const { nbg, rail, receiver } = await nbgScene();
    const order = await started(rail, receiver);
    const atNbg = await nbg.order(REFERENCE);
    await atNbg.act('declines');
    expect(outcomeOf(await rail.readCallback(receiver.last(), order))).toMatchObject({
      type: 'failed',
      reason: 'declined',
    });
    await atNbg.act('pays');
    const { attempt } = order;
    const failed: RailOrder = {
      ...order,
      attempt: { ...attempt, status: 'failed', failureReason: 'declined' },
    };
    expect(outcomeOf(await rail.readCallback(receiver.last(), failed))).toMatchObject({
      type: 'succeeded',
    });
  });

  test.each<[CallbackVariant, string]>([
    ['forged', 'other_order'],
    ['wrong_amount', 'wrong_amount'],
    ['other_order', 'other_order'],
    ['unreadable', 'unreadable'],
  ])('%s is refused as %s', async (variant, suspicion) => {
    const { nbg, rail, receiver } = await nbgScene();
    const order = await started(rail, receiver);
    await (await nbg.order(REFERENCE)).callback(variant);
    const result = await rail.readCallback(receiver.last(), order);
    expect(outcomeOf(result)).toBe(suspicion);
    expect(result.reply).toMatchObject({ status: 400, body: '{"code":"FAILED"}' });
  });

  test('need only our order number before the answer to the start', async () => {
    const { nbg, rail, receiver } = await nbgScene();
    nbg.plan('1500.00', { act: 'pays', callback: 'before_answer', start: 'accepted_then_reset' });
    const order = orderAt(rail, receiver);
    expect(await rail.start(order)).toEqual({ type: 'unknown' });
    expect(outcomeOf(await rail.readCallback(receiver.last(), order))).toMatchObject({
      type: 'succeeded',
    });
  });

  test('are refused unread from other addresses than NBG’s', async () => {
    const { nbg, receiver } = await nbgScene();
    const callbackAddresses = ['196.188.1.2', '2001:DB8:0::0A'];
    const rail = railOf({ ...nbg.settings, callbackAddresses });
    const order = await started(rail, receiver);
    await (await nbg.order(REFERENCE)).act('pays');
    const from = (address: string | null) => {
      const call = receiver.last();
      const headers = address === null ? {} : { 'cf-connecting-ip': address };
      return rail.readCallback({ ...call, headers: { ...call.headers, ...headers } }, order);
    };
    for (const address of [null, '', 'x', '203.0.113.9', '2001:db8::b']) {
      const result = await from(address);
      expect(outcomeOf(result)).toBe('not_authentic');
      expect(result.type === 'refused' && result.reply.status).toBe(403);
    }
    for (const address of ['196.188.1.2', '2001:db8::a', '2001:0DB8:0000::000A']) {
      expect(outcomeOf(await from(address))).toMatchObject({ type: 'succeeded' });
    }
  });

  test('are logged, unless they report a payment', async () => {
    const lines = watchRailAnswers();
    const { nbg, rail, receiver } = await nbgScene();
    const order = await started(rail, receiver);
    const { railReference } = order.attempt;
    const atNbg = await nbg.order(REFERENCE);
    await atNbg.act('declines');
    await rail.readCallback(receiver.last(), order);
    await rail.readCallback(callbackRequest('{"status":"EXPIRED","http_status":500}'), order);
    await rail.readCallback(callbackRequest('{"status":"FAILED"}'), order);
    await atNbg.act('pays');
    await rail.readCallback(receiver.last(), order);
    const line = { rail: 'ethswitch-nbg', call: 'callback', reference: REFERENCE, railReference };
    expect(lines).toEqual([
      { level: 'info', ...line, providerCode: 'FAILED 200' },
      { level: 'warn', ...line, providerCode: 'EXPIRED 500' },
      { level: 'warn', ...line, providerCode: 'FAILED' },
    ]);
  });
});

describe('the published callback', () => {
  const paid = JSON.parse(fixture('nbg-callback.json'));
  const brief = JSON.parse(fixture('nbg-callback-brief.json'));
  const SUCCEEDED = { type: 'succeeded', receipt: 'PAY261121090312345', providerCode: 'PAID 200' };

  test('is believed with any `bill_info.status`', async () => {
    expect(outcomeOf(await read(fixture('nbg-callback.json')))).toEqual(SUCCEEDED);
  });

  test('with the outer members alone proves a payment but not a failure', async () => {
    expect(outcomeOf(await read(JSON.stringify(brief)))).toEqual(SUCCEEDED);
    const withNull = JSON.stringify({ ...brief, data: null });
    expect(outcomeOf(await read(withNull))).toEqual(SUCCEEDED);
    const failed = { ...brief, status: 'FAILED', current_status: 'FAILED' };
    const result = await read(JSON.stringify(failed));
    expect(outcomeOf(result)).toEqual({
      type: 'unknown',
      checkAtMs: null,
      providerCode: 'FAILED 200',
    });
    expect(result.type === 'outcome' && result.reply.status).toBe(200);
    const withoutReceipt = JSON.stringify({ ...brief, transaction_id: null });
    expect(outcomeOf(await read(withoutReceipt))).toBe('unreadable');
  });

  test.each<[string, object]>([
    ['no HTTP status and no errors', { http_status: undefined, errors: undefined }],
    ['the HTTP status as a string', { http_status: '200' }],
    ['an empty list of errors', { errors: [] }],
    ['empty errors', { errors: {} }],
    ['an empty string of errors', { errors: '' }],
  ])('with %s is believed', async (_, changed) => {
    expect(outcomeOf(await read(JSON.stringify({ ...paid, ...changed })))).toMatchObject({
      type: 'succeeded',
      receipt: SUCCEEDED.receipt,
    });
  });

  test('may give the reason of a failure', async () => {
    const failed = { status: 'FAILED', http_status: 402, errors: ['Declined'] };
    const data = { ...paid.data, current_status: 'FAILED' };
    const body = JSON.stringify({ ...paid, ...failed, current_status: 'FAILED', data });
    expect(outcomeOf(await read(body))).toEqual({
      type: 'failed',
      reason: 'declined',
      providerCode: 'FAILED 402',
    });
  });

  test('needs no receipt if it has our order number', async () => {
    const text = JSON.stringify({ ...paid, transaction_id: undefined });
    expect(outcomeOf(await read(text))).toMatchObject({ type: 'succeeded', receipt: null });
  });

  test('may use snake case and other small variations', async () => {
    const { bill_info: bill, biller, ...data } = paid.data;
    const snake = {
      ...paid,
      data: {
        ...data,
        biller: { biller_identification_number: biller.billerIdentificationNumber },
        bill_info: { currency: bill.currency, total_amount: '1500.0000' },
        merchant_order_number: REFERENCE,
      },
    };
    expect(outcomeOf(await read(JSON.stringify(snake)))).toEqual(SUCCEEDED);
  });

  test.each([
    ['paid', 'Paid', 'payment'],
    ['Paid', 'PAID', 'Payment'],
  ])('with states as %s is believed', async (status, within, type) => {
    const data = { ...paid.data, current_status: within, transaction_type: type };
    const text = JSON.stringify({ ...paid, status, current_status: status, data });
    expect(outcomeOf(await read(text))).toMatchObject({ type: 'succeeded' });
  });

  test.each<[string, object]>([
    ['in the bill', withFee(1_510, { fee: 10 })],
    ['as a decimal string', withFee('1510.0000', { fee: '10.0000' })],
    ['under another usual name', withFee(1_510, { serviceCharge: 10 })],
    ['twice', { fee: 10, ...withFee(1_510, { transaction_fee: 10 }) }],
    ['outside', { service_fee: 10, ...withFee(1_510, {}) }],
    ['that the merchant bears', withFee(1_500, { fee: 10 })],
    ['in one of two totals', { amount: 1_500, ...withFee(1_510, { fee: 10 }) }],
  ])('decisions.md#33: with its fee stated %s is believed', async (_, changed) => {
    expect(outcomeOf(await read(JSON.stringify({ ...paid, ...changed })))).toEqual(SUCCEEDED);
  });

  test.each<[string, object, string]>([
    ['another order number', { data: { ...paid.data, request_id: 'ORD-1' } }, 'other_order'],
    [
      'an order number that is not a string',
      { data: { ...paid.data, request_id: 7 } },
      'other_order',
    ],
    ['another number outside', { merchant_order_number: 'A'.repeat(20) }, 'other_order'],
    [
      'another biller',
      { data: { ...paid.data, biller: { billerIdentificationNumber: 'X' } } },
      'other_order',
    ],
    ['another order reference', { data: { ...paid.data, order_reference: 'x' } }, 'other_order'],
    ['less in total', withBill({ totalAmount: 1499.99 }), 'wrong_amount'],
    ['more in total', withBill({ totalAmount: 15_000 }), 'wrong_amount'],
    ['a malformed total', withBill({ totalAmount: '1500,00' }), 'wrong_amount'],
    ['less due, and no total', withBill({ totalAmount: null, amountDue: 1 }), 'wrong_amount'],
    ['another amount outside', { amount: 1 }, 'wrong_amount'],
    ['dollars', withBill({ currency: 'USD' }), 'wrong_amount'],
    ['dollars beside the bill', { data: { ...paid.data, currency: 'USD' } }, 'wrong_amount'],
    ['dollars outside', { currency: 'USD' }, 'wrong_amount'],
    ['more in total than the fee explains', withFee(1_510, { fee: 9.99 }), 'wrong_amount'],
    ['less in total, and a fee', withFee(1_490, { fee: 10 }), 'wrong_amount'],
    ['less in total, and a negative fee', withFee(1_490, { fee: -10 }), 'wrong_amount'],
    ['a total that is the fee', withFee(10, { fee: 10 }), 'wrong_amount'],
    ['a malformed fee', withFee(1_510, { fee: '10,00' }), 'wrong_amount'],
    ['two fees', withFee(1_510, { fee: 10, service_fee: 5 }), 'wrong_amount'],
    ['a fee under another name', withFee(1_510, { tip: 10 }), 'wrong_amount'],
    ['an unknown state', { status: 'SUCCESS' }, 'unknown_state'],
    ['two states', { current_status: 'FAILED' }, 'unknown_state'],
    ['two states within', { data: { ...paid.data, current_status: 'FAILED' } }, 'unknown_state'],
    ['a refund', { data: { ...paid.data, transaction_type: 'REFUND' } }, 'unknown_state'],
    ['an HTTP status of failure', { http_status: 500 }, 'unknown_state'],
    ['an HTTP status of another success', { http_status: 202 }, 'unknown_state'],
    ['a malformed HTTP status', { http_status: 'OK' }, 'unknown_state'],
    ['a list of errors', { errors: ['Declined'] }, 'unknown_state'],
    ['an error as a string', { errors: 'Declined' }, 'unknown_state'],
    ['an error as an object', { errors: { code: 51 } }, 'unknown_state'],
    ['errors within', { data: { ...paid.data, errors: ['Declined'] } }, 'unknown_state'],
    ['no state', { status: null }, 'unreadable'],
    ['a state that is not a string', { status: ['PAID'] }, 'unreadable'],
    ['data that are not an object', { data: 'PAID' }, 'unreadable'],
    ['data that are a list', { data: [paid.data] }, 'unreadable'],
  ])('with %s is refused', async (_, changed, suspicion) => {
    const attempt = { railReference: '4c1d4d8a-3f5e-4b0e-9a57-1d1c5c2f7a10' };
    const result = await read(JSON.stringify({ ...paid, ...changed }), { attempt });
    expect(outcomeOf(result)).toBe(suspicion);
  });

  function withFee(totalAmount: number | string, fees: object): object {
    return withBill({ totalAmount, ...fees });
  }

  function withBill(changed: object): object {
    return { data: { ...paid.data, bill_info: { ...paid.data.bill_info, ...changed } } };
  }

  test.each(['', 'PAID', '[]', 'null', '"PAID"', '{"status":"PAID"', '\u0000'])(
    'is not %j',
    async (body) => {
      expect(outcomeOf(await read(body))).toBe('unreadable');
    },
  );

  test('reads 64 hostile KiB in no time, and no more', async () => {
    const bodies = [
      '['.repeat(65_536),
      '{"data":'.repeat(8_000),
      `{"status":"${'A'.repeat(65_000)}"}`,
      `{"status":"PAID","transaction_id":"${'9'.repeat(65_000)}"}`,
      `{"status":"PAID","data":{"bill_info":{"totalAmount":"${'0'.repeat(65_000)}"}}}`,
      `{"status":"PAID","data":{${'"request_id":"x",'.repeat(3_800)}"request_id":"x"}}`,
    ];
    for (const body of bodies) {
      expect((await read(body)).type).toBe('refused');
    }
  });
});

describe('the stand-in’s page', () => {
  test('shows the order, and brings the customer back after paying', async () => {
    const { nbg, rail, receiver } = await nbgScene();
    const order = await started(rail, receiver);
    const pageUrl = order.attempt.redirectUrl ?? '';
    const html = await (await fetch(pageUrl)).text();
    expect(html).toContain('<b>This is a STAND-IN for tests. No money moves.</b>');
    expect(html).toContain(REFERENCE);
    expect(html).toContain('ETB 1500.00');
    expect(html).not.toContain('<script');
    const click = (act: string) =>
      fetch(pageUrl, {
        method: 'POST',
        body: new URLSearchParams({ orderId: REFERENCE, act }),
        redirect: 'manual',
      });
    const canceled = await click('cancels');
    const { checkoutUrl } = order;
    expect([canceled.status, canceled.headers.get('location')]).toEqual([303, checkoutUrl]);
    const paid = await click('pays');
    expect([paid.status, paid.headers.get('location')]).toEqual([303, receiver.returnUrl]);
    expect(outcomeOf(await rail.readCallback(receiver.last(), order))).toMatchObject({
      type: 'succeeded',
    });
    expect((await click('pays')).status).toBe(400);
    expect((await nbg.order(REFERENCE)).acted).toBe('pays');
  });
});
