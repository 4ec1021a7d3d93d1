import { describe, expect, test } from 'vitest';
import type { CallbackReading } from '../../src/engine/rails/callback.ts';
import { callbackRequest, fixture, outcomeOf } from '../support/rails/ethswitch-scene.ts';
import { watchRailAnswers } from '../support/rails/logged.ts';
import { orderFor } from '../support/rails/order.ts';
import { PLAYERS } from '../support/rails/players.ts';
import { useRailScene } from '../support/rails/scene.ts';

/** Goal: NBG's unsigned report counts only from NBG's addresses, about our order and its amount. */

const REFERENCE = 'H7K2M9QX4T0B8ZC3VN5D';

const scene = await useRailScene(PLAYERS.nbg);

/** The adapter's reading of a text about the order in the published callbacks. */
async function read(
  body: string,
  changed: Parameters<typeof orderFor>[2] = {},
): Promise<CallbackReading> {
  const rail = scene.railWith({ billerBin: 'KEFLETAA' });
  const reading = await rail.readCallback?.(
    callbackRequest(body),
    orderFor(rail, 'ETS_SWITCH', changed),
  );
  return reading ?? expect.fail();
}

test('are refused unread from other addresses than NBG’s', async () => {
  const { order, atProvider } = await scene.place();
  await atProvider.act('pays');
  const rail = scene.railWith({ callbackAddresses: ['196.188.1.2', '2001:DB8:0::0A'] });
  const from = (address: string | null) => {
    const { 'cf-connecting-ip': _, ...headers } = scene.lastReport.headers;
    const named = address === null ? headers : { ...headers, 'cf-connecting-ip': address };
    return rail.readCallback?.({ ...scene.lastReport, headers: named }, order);
  };
  for (const address of [null, '', 'x', '203.0.113.9', '2001:db8::b']) {
    const result = await from(address);
    expect(outcomeOf(result)).toBe('not_authentic');
    expect(result).toMatchObject({ type: 'refused', reply: { status: 403 } });
  }
  for (const address of ['196.188.1.2', '2001:db8::a', '2001:0DB8:0000::000A']) {
    expect(outcomeOf(await from(address))).toMatchObject({ type: 'succeeded' });
  }
});

test('are logged for the operator, if they prove nothing', async () => {
  const lines = watchRailAnswers();
  await read('{"status":"EXPIRED","http_status":500}');
  await read('{"status":"FAILED"}');
  const line = { level: 'warn', rail: 'ethswitch-nbg', call: 'callback', reference: REFERENCE };
  expect(lines).toMatchObject([
    { ...line, providerCode: 'EXPIRED 500' },
    { ...line, providerCode: 'FAILED' },
  ]);
});

describe('the published callback', () => {
  const paid = JSON.parse(fixture('nbg-callback.json'));
  const brief = JSON.parse(fixture('nbg-callback-brief.json'));
  const SUCCEEDED = { type: 'succeeded', receipt: 'PAY261121090312345', providerCode: 'PAID 200' };

  test('proves the payment with any `bill_info.status`', async () => {
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
    ...['REVERSED', 'CANCELLED', 'Canceled', 'EXPIRED', 'PENDING', 'SETTLING'].flatMap(
      (state): [string, object, string][] => [
        [`${state} beside it`, { current_status: state }, 'unknown_state'],
        [
          `${state} within`,
          { data: { ...paid.data, current_status: undefined, currentStatus: state } },
          'unknown_state',
        ],
        [`${state} in the data`, { data: { ...paid.data, status: state } }, 'unknown_state'],
        [`a bill that is ${state}`, withBill({ status: state }), 'unknown_state'],
      ],
    ),
    ...['PAID', 'PENDING', 'REVERSED', 'QUERYING'].map((state): [string, object, string] => [
      `a failure beside ${state}`,
      { status: 'FAILED', current_status: state, data: { ...paid.data, current_status: 'FAILED' } },
      'unknown_state',
    ]),
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
