import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { NO_ANSWER, type RailAnswer } from '../../src/engine/rails/call-rail.ts';
import {
  readReversal,
  readReversalResult,
  reversalBody,
} from '../../src/engine/rails/mpesa/reversal.ts';
import { callbackCall } from '../support/rails/callback-call.ts';
import { CREDENTIAL, PHONE, settingsOf, VALID_SETTINGS } from '../support/rails/mpesa-fixtures.ts';
import { orderFor } from '../support/rails/order.ts';
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

/**
 * Goal: M-PESA gets exactly the published request for a reversal, and only a result that names this
 * refund ends it.
 */

const scene = await useRailScene(PLAYERS.mpesa);

const withRefunds = (changed: object) =>
  scene.railWith({ refunds: { ...Object(scene.standIn.refundSettings?.refunds), ...changed } });

/** A payment of ETB 1,500.00 with M-PESA's id of the push and its receipt. */
const PAID = () =>
  orderFor(scene.rail, 'M_PESA', {
    attempt: {
      phone: PHONE,
      railReference: 'ws_CO_0904202610385900000000',
      receipt: 'RHJ4BTOYS8',
    },
  });

describe('the request', () => {
  test('is sent byte for byte as the published production code sends it', () => {
    const url = new URL('../fixtures/rails/mpesa/reversal_request.json', import.meta.url);
    const order = refundOrderFor(PAID(), { refund: { reference: 'R7K2M9QX4T0B8ZC3VN5D' } });
    const { refunds } = settingsOf({
      ...VALID_SETTINGS,
      refunds: { initiator: 'an-invented-operator', securityCredential: CREDENTIAL },
    });
    if (refunds === undefined) {
      throw new Error('refunds are off');
    }
    const body = reversalBody({ shortcode: '1020' }, refunds, order, 'RHJ4BTOYS8');
    expect(body).toBe(readFileSync(url, 'utf8').trim().replace('aW52ZW50ZWQ=', CREDENTIAL));
    const toShortcode = { ...refunds, receiverParty: 'shortcode' as const };
    const other = JSON.parse(reversalBody({ shortcode: '1020' }, toShortcode, order, 'RHJ4BTOYS8'));
    expect(other.ReceiverParty).toBe('1020');
  });

  test('returns parts only if the operator knows better', () => {
    expect(withRefunds({ takesParts: true }).refunds).toMatchObject({ takesParts: true });
    expect(scene.railWith({ refunds: undefined }).refunds).toEqual(scene.rail.refunds);
  });
});

describe('the answer', () => {
  test('fails when M-PESA refuses the settings', async () => {
    const rail = withRefunds({ initiator: 'another' });
    const refused = { ...MISCONFIGURED, providerCode: '400.002.02' };
    expect(await rail.refund?.(await scene.paid({}))).toEqual(refused);
  });

  test('is asked for again with a new token after a refused one, which M-PESA did not read', async () => {
    const order = await scene.paid({});
    scene.standIn.revokeTokens();
    expect(await scene.rail.refund?.(order)).toMatchObject({ type: 'unknown', providerCode: '0' });
    expect(await refundsAt(scene.standIn, order)).toHaveLength(1);
  });

  const answered = (status: number, value: unknown): RailAnswer => ({
    status,
    text: JSON.stringify(value),
  });
  const OK = { ResponseCode: '0', ConversationID: 'AG_1', OriginatorConversationID: 'REFERENCE' };

  test.each<[string, RailAnswer, object]>([
    ['our id', answered(200, OK), { type: 'unknown', railReference: 'AG_1' }],
    [
      'its own id',
      answered(200, { ...OK, OriginatorConversationID: '8521-1' }),
      { type: 'unknown', railReference: '8521-1' },
    ],
    [
      'no usable id',
      answered(200, { ResponseCode: 0, ConversationID: 'a b' }),
      { type: 'unknown', railReference: null },
    ],
    ['another status', answered(202, OK), UNKNOWN],
    ['another code', answered(200, { ...OK, ResponseCode: '1' }), UNKNOWN],
    ['no JSON', { status: 200, text: '<html>' }, UNKNOWN],
    ['no code', answered(200, {}), UNKNOWN],
    ['an unknown error', answered(400, { errorCode: '400.9' }), UNKNOWN],
    ['no answer', NO_ANSWER, UNKNOWN],
    ['503', answered(503, OK), UNKNOWN],
    ['429', answered(429, {}), { type: 'failed', reason: 'rail_unavailable' }],
    ['refused credentials', answered(400, { resultCode: '999991' }), MISCONFIGURED],
    ['an unknown API', answered(404, { errorCode: '404.001.01' }), NOT_ENABLED],
  ])('with %s', (_name, answer, read) => {
    expect(readReversal(answer, 'REFERENCE')).toEqual(read);
  });
});

describe('the result', () => {
  test('of a repeated reversal leaves the refund unknown', async () => {
    const order = await scene.paid({});
    await scene.rail.refund?.(order);
    const elsewhere = { callbackUrl: `${order.callbackUrl}-again` };
    const again = scene.keepRefund(refundOrderFor(order.payment, { order: elsewhere }));
    await scene.rail.refund?.(again);
    const [, repeated] = await refundsAt(scene.standIn, order);
    await repeated?.report?.();
    const outcome = { type: 'unknown', providerCode: 'R000001' };
    expect(scene.refundReadingsOf(again).at(-1)).toMatchObject({ type: 'outcome', outcome });
  });

  test('of more or less than the payment returns nothing at the stand-in', async () => {
    for (const more of [100, -100]) {
      const order = await scene.paid({});
      await scene.rail.refund?.(
        part(order, order.refund.returnedMinor + more, { callbackUrl: order.callbackUrl }),
      );
      expect(await refundsAt(scene.standIn, order)).toMatchObject([{ isReturned: false }]);
    }
  });
});

describe('a made-up result', () => {
  const RECEIPT = 'RHJ4BTOYS8';

  function reading(result: object, railReference: string | null = 'AG_1') {
    const reference = 'R7K2M9QX4T0B8ZC3VN5D';
    const order = refundOrderFor(PAID(), { refund: { railReference, reference } });
    const Result = { ResultType: 0, ResultCode: 0, ConversationID: 'AG_1', ...result };
    return readReversalResult(callbackCall({ body: JSON.stringify({ Result }) }), order);
  }
  const named = (parameters: Readonly<Record<string, unknown>>) => ({
    ResultParameters: {
      ResultParameter: Object.entries(parameters).map(([Key, Value]) => ({ Key, Value })),
    },
  });

  test.each<[string, object, object]>([
    ['0', {}, { type: 'succeeded', railReference: null }],
    ['0', { ResultCode: '0', TransactionID: 'SKE5' }, { type: 'succeeded', railReference: 'SKE5' }],
    ['1', {}, { type: 'failed', reason: 'insufficient_funds' }],
    ['R000002', {}, DECLINED],
    ['11', {}, DECLINED],
    ['2006', {}, DECLINED],
    ['21', {}, NOT_ENABLED],
    ['2028', {}, NOT_ENABLED],
    ['2001', {}, MISCONFIGURED],
    ['8006', {}, MISCONFIGURED],
    ['R000001', {}, UNKNOWN],
    ['17', {}, UNKNOWN],
    ['1', { ResultType: 1 }, UNKNOWN],
    ['0', { ResultType: 1 }, UNKNOWN],
    ['0', { ResultType: undefined }, UNKNOWN],
  ])('with code %s and %j', (ResultCode, changes, outcome) => {
    const { outcome: read } = Object(reading({ ResultCode, ...changes }));
    expect(read).toEqual({ providerCode: ResultCode, ...outcome });
  });

  test.each<[string, object, string | null]>([
    ['our reference', { OriginatorConversationID: 'R7K2M9QX4T0B8ZC3VN5D' }, 'AG_2'],
    ['our reference', { OriginatorConversationID: 'R7K2M9QX4T0B8ZC3VN5D' }, null],
    ['M-PESA’s id', { OriginatorConversationID: '8521-1', ConversationID: 'AG_2' }, '8521-1'],
    ['the receipt', named({ OriginalTransactionID: RECEIPT }), null],
    ['the receipt', named({ OriginalTransactionID: RECEIPT }), 'AG_2'],
    ['its amount', named({ Amount: 1500 }), 'AG_1'],
    ['its amount', named({ Amount: '1500.00' }), 'AG_1'],
  ])('named by %s is believed: %j', (_name, result, railReference) => {
    expect(reading(result, railReference)).toMatchObject({ type: 'outcome' });
  });

  test.each<[string, object, string | null]>([
    ['other_order', { ConversationID: 'AG_2' }, 'AG_1'],
    ['other_order', named({ OriginalTransactionID: 'SKC82PACB8' }), 'AG_1'],
    ['not_confirmed', {}, null],
    ['not_confirmed', { ConversationID: undefined }, null],
    ['wrong_amount', named({ Amount: 1499 }), 'AG_1'],
    ['wrong_amount', named({ Amount: 'all' }), 'AG_1'],
    ['unreadable', { ResultCode: null }, 'AG_1'],
  ])('is refused as %s: %j', (suspicion, result, railReference) => {
    expect(reading(result, railReference)).toMatchObject({ type: 'refused', suspicion });
  });

  test.each([
    '[]',
    '{"Result":[]}',
    '{"Result":'.repeat(6_500),
    `{${'"a":1,'.repeat(10_000)}"b":1}`,
  ])('is refused when it is %.20s', (body) => {
    const read = readReversalResult(callbackCall({ body }), refundOrderFor(PAID()));
    expect(read).toMatchObject({ type: 'refused', suspicion: 'unreadable' });
  });
});
