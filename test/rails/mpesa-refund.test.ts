import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { RefundPlan } from '../../scripts/stand-ins/stand-in.ts';
import type { RailAnswer } from '../../src/rails/call-rail.ts';
import type { CallbackCall } from '../../src/rails/callback.ts';
import { readReversal, reversalBody } from '../../src/rails/mpesa/reversal.ts';
import type { RefundOrder } from '../../src/rails/refund.ts';
import { callbackCall } from '../support/rails/callback-call.ts';
import { CALL_FAULTS } from '../support/rails/faults.ts';
import { watchRailAnswers } from '../support/rails/logged.ts';
import { CREDENTIAL, settingsOf, VALID_SETTINGS } from '../support/rails/mpesa-fixtures.ts';
import { type MpesaScene, startMpesaScene } from '../support/rails/mpesa-scene.ts';
import {
  DECLINED,
  MISCONFIGURED,
  NOT_ENABLED,
  NOT_SUPPORTED,
  refundOrderFor,
  refundsAt,
  UNKNOWN,
  withAttempt,
} from '../support/rails/refund-order.ts';
import { endTimeoutsOnSilence } from '../support/rails/timeouts.ts';

/**
 * Goal: M-PESA is asked for a reversal once, and only its result at the refund's own URL, which must
 * name this refund, ends it. Anything unclear leaves the money reserved.
 */

let scene: MpesaScene;
let amountMinor = 100_000;

beforeAll(async () => {
  scene = await startMpesaScene();
});
afterEach(() => {
  vi.restoreAllMocks();
});
afterAll(() => scene.stop());

const refunding = (changed: object = {}) => {
  const refunds = { ...Object(scene.standIn.refundSettings?.refunds), ...changed };
  return scene.railWith({ refunds });
};

/** A refund of a payment that M-PESA has confirmed, which the stand-in treats by `refund`. */
async function paid(refund: RefundPlan = {}, changed: object = {}): Promise<RefundOrder> {
  amountMinor += 100;
  const order = scene.order(amountMinor);
  scene.standIn.plan(String(amountMinor / 100), { refund });
  const rail = scene.railWith();
  const result = await rail.start(order);
  if (result.type !== 'accepted') {
    throw new Error(result.type);
  }
  const { railReference } = result;
  const pushed = { ...order, attempt: { ...order.attempt, railReference } };
  await (await scene.standIn.order(order.attempt.reference)).act('pays');
  // The result of an earlier refund may arrive in between.
  const call = scene.gateway.calls.findLast(({ body }) => body.includes(`"${railReference}"`));
  const read = await rail.readCallback(callbackCall({ body: call?.body ?? '' }), pushed);
  if (read.type !== 'outcome' || read.outcome.type !== 'succeeded') {
    throw new Error('not paid');
  }
  const { receipt } = read.outcome;
  const attempt = { ...pushed.attempt, status: 'succeeded' as const, receipt };
  return refundOrderFor(
    { ...pushed, attempt },
    {
      order: {
        callbackUrl: `${scene.gateway.baseUrl}/rails/stk-push/refunds/${crypto.randomUUID()}`,
      },
      ...changed,
    },
  );
}

const refundsOf = (order: RefundOrder) => refundsAt(scene.standIn, order);

/** The result that M-PESA posted to the refund's URL. */
async function resultOf({ callbackUrl }: RefundOrder): Promise<CallbackCall> {
  const results = () =>
    scene.gateway.calls.filter(({ url }) => callbackUrl === `${scene.gateway.baseUrl}${url}`);
  await expect.poll(results).not.toEqual([]);
  return callbackCall({ url: callbackUrl, body: results().at(-1)?.body ?? '' });
}

/** The refund once the answer to its call is stored. */
function accepted(order: RefundOrder, railReference: string | null): RefundOrder {
  return { ...order, refund: { ...order.refund, railReference } };
}

const reversals = () => scene.standIn.calls.filter(({ url }) => url.includes('/mpesa/reversal/'));

describe('the request', () => {
  it('is sent byte for byte as the published production code sends it', async () => {
    const url = new URL('../fixtures/rails/mpesa/reversal_request.json', import.meta.url);
    const order = refundOrderFor(
      scene.order(150_000, { railReference: 'ws_CO_0904202610385900000000' }),
      {
        refund: { reference: 'R7K2M9QX4T0B8ZC3VN5D' },
      },
    );
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

  it('is not sent while refunds are off, nor without a receipt', async () => {
    const { length } = reversals();
    const order = await paid();
    expect(await scene.railWith().refund(order)).toEqual(NOT_ENABLED);
    expect(await refunding().refund(withAttempt(order, { receipt: null }))).toEqual(NOT_SUPPORTED);
    expect(reversals()).toHaveLength(length);
  });

  it('returns only whole payments in whole birr, unless the operator knows better', () => {
    const whole = { takesParts: false, wholeAmountsOnly: true, windowMs: null };
    expect(scene.railWith().refunds).toEqual(whole);
    expect(refunding().refunds).toEqual(whole);
    expect(refunding({ takesParts: true }).refunds).toEqual({ ...whole, takesParts: true });
    expect(refunding()).not.toHaveProperty('refundStatus');
  });
});

describe('the answer', () => {
  it('only says that M-PESA has accepted it', async () => {
    const order = await paid();
    expect(await refunding().refund(order)).toEqual({
      type: 'unknown',
      railReference: expect.stringMatching(/^AG_\d{8}_/),
      providerCode: '0',
    });
    expect(await refundsOf(order)).toMatchObject([{ isReturned: true }]);
  });

  it.each(CALL_FAULTS)('is unknown after %s, and never repeated', async (fault, returned) => {
    const order = await paid({ fault });
    const { length } = reversals();
    endTimeoutsOnSilence();
    const lines = watchRailAnswers();
    expect(await refunding().refund(order)).toEqual(UNKNOWN);
    expect(lines).toMatchObject([{ level: 'warn', call: 'reversal' }]);
    expect(reversals()).toHaveLength(length + 1);
    expect(await refundsOf(order)).toHaveLength(returned);
  });

  it('asks an operator when the account may not reverse', async () => {
    const order = await paid({ refuses: 'not_enabled' });
    expect(await refunding().refund(order)).toEqual({ ...NOT_ENABLED, providerCode: '403.001.01' });
    expect(await refundsOf(order)).toEqual([]);
  });

  it('fails when M-PESA refuses the settings', async () => {
    const order = await paid();
    expect(await refunding({ initiator: 'another' }).refund(order)).toEqual({
      ...MISCONFIGURED,
      providerCode: '400.002.02',
    });
  });

  it('is asked for again with a new token after a refused one, which M-PESA did not read', async () => {
    const order = await paid();
    scene.standIn.revokeTokens();
    expect(await refunding().refund(order)).toMatchObject({ type: 'unknown', providerCode: '0' });
    expect(await refundsOf(order)).toHaveLength(1);
  });

  it('to a repeated reference is unknown, and M-PESA reverses nothing again', async () => {
    const order = await paid();
    await refunding().refund(order);
    expect(await refunding().refund(order)).toEqual({ type: 'unknown', providerCode: '15' });
    expect(await refundsOf(order)).toHaveLength(1);
  });

  it('fails without a token', async () => {
    const order = await paid();
    const { length } = reversals();
    const rail = scene.railWith({
      consumerSecret: 'wrong',
      refunds: scene.standIn.refundSettings?.refunds,
    });
    expect(await rail.refund(order)).toEqual({ ...MISCONFIGURED, providerCode: '999997' });
    expect(reversals()).toHaveLength(length);
  });

  const answered = (status: number, value: unknown): RailAnswer => ({
    type: 'answered',
    status,
    text: JSON.stringify(value),
  });
  const OK = { ResponseCode: '0', ConversationID: 'AG_1', OriginatorConversationID: 'REFERENCE' };

  it.each<[string, RailAnswer, object]>([
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
    ['no JSON', { type: 'answered', status: 200, text: '<html>' }, UNKNOWN],
    ['no code', answered(200, {}), UNKNOWN],
    ['an unknown error', answered(400, { errorCode: '400.9' }), UNKNOWN],
    ['no answer', { type: 'no_answer' }, UNKNOWN],
    ['503', answered(503, OK), UNKNOWN],
    ['429', answered(429, {}), { type: 'failed', reason: 'rail_unavailable' }],
    ['401', answered(401, {}), { type: 'token_refused' }],
    ['a refused token', answered(404, { errorCode: '404.001.03' }), { type: 'token_refused' }],
    ['refused credentials', answered(400, { resultCode: '999991' }), MISCONFIGURED],
    ['an unknown API', answered(404, { errorCode: '404.001.01' }), NOT_ENABLED],
  ])('with %s', (_name, answer, read) => {
    expect(readReversal(answer, 'REFERENCE')).toEqual(read);
  });
});

const ACCEPTED = { status: 200, body: '{"ResultCode":0,"ResultDesc":"Accepted"}' };
const REJECTED = { status: 400, body: '{"ResultCode":1,"ResultDesc":"Rejected"}' };

describe('the result', () => {
  it.each<[string, RefundPlan, object]>([
    ['returned', {}, { type: 'succeeded', railReference: expect.any(String), providerCode: '0' }],
    [
      'returned, reported before the answer',
      { report: 'before_answer' },
      { type: 'succeeded', railReference: expect.any(String), providerCode: '0' },
    ],
    [
      'without funds',
      { refuses: 'lacks_funds' },
      { type: 'failed', reason: 'insufficient_funds', providerCode: '1' },
    ],
    ['not found', { refuses: 'declines' }, { ...DECLINED, providerCode: 'R000002' }],
  ])('%s counts, each time it comes', async (_name, plan, outcome) => {
    const order = await paid(plan);
    const answer = await refunding().refund(order);
    const result = await resultOf(order);
    const stored = answer.type === 'unknown' ? (answer.railReference ?? null) : null;
    // Before the answer is stored, after it, and after the outcome.
    for (const reference of [null, stored]) {
      const reading = await refunding().readRefundCallback(result, accepted(order, reference));
      expect(reading).toMatchObject({ type: 'outcome', outcome, reply: ACCEPTED });
      if (reading.type === 'outcome' && reading.outcome.type === 'succeeded') {
        const done = accepted(order, reading.outcome.railReference);
        expect(await refunding().readRefundCallback(result, done)).toEqual(reading);
      }
    }
  });

  it('of a repeated reversal leaves the refund unknown', async () => {
    const order = await paid();
    await refunding().refund(order);
    const again = refundOrderFor(order.payment, {
      order: { callbackUrl: `${order.callbackUrl}-again` },
    });
    await refunding().refund(again);
    const reading = await refunding().readRefundCallback(await resultOf(again), again);
    expect(reading).toEqual({
      type: 'outcome',
      outcome: { type: 'unknown', providerCode: 'R000001' },
      reply: expect.objectContaining(ACCEPTED),
    });
    const refunds = await refundsOf(order);
    expect(refunds.filter(({ isReturned }) => isReturned)).toHaveLength(1);
  });

  it('of more or less than the payment returns nothing at the stand-in', async () => {
    for (const more of [100, -100]) {
      const order = await paid();
      const { refund } = order;
      const other = { ...refund, returnedMinor: refund.returnedMinor + more };
      await refunding().refund({ ...order, refund: other });
      expect(await refundsOf(order)).toMatchObject([{ isReturned: false }]);
    }
  });

  it.each<['forged' | 'wrong_amount' | 'other_order' | 'unreadable', string]>([
    ['forged', 'other_order'],
    ['wrong_amount', 'wrong_amount'],
    ['other_order', 'other_order'],
    ['unreadable', 'unreadable'],
  ])('that is %s is refused as %s and logged', async (variant, suspicion) => {
    const order = await paid({ report: 'never' });
    const answer = await refunding().refund(order);
    const [refund] = await refundsOf(order);
    await refund?.report?.(variant);
    const lines = watchRailAnswers();
    const stored = answer.type === 'unknown' ? (answer.railReference ?? null) : null;
    const result = await resultOf(order);
    expect(await refunding().readRefundCallback(result, accepted(order, stored))).toEqual({
      type: 'refused',
      suspicion,
      reply: expect.objectContaining(REJECTED),
    });
    expect(lines).toMatchObject([{ level: 'warn', call: 'reversal result' }]);
  });
});

describe('a made-up result', () => {
  const RECEIPT = 'RHJ4BTOYS8';

  function reading(result: object, railReference: string | null = 'AG_1') {
    const payment = scene.order(150_000, { receipt: RECEIPT });
    const reference = 'R7K2M9QX4T0B8ZC3VN5D';
    const order = refundOrderFor(payment, { refund: { railReference, reference } });
    const Result = { ResultType: 0, ResultCode: 0, ConversationID: 'AG_1', ...result };
    return refunding().readRefundCallback(
      callbackCall({ body: JSON.stringify({ Result }) }),
      order,
    );
  }
  const named = (parameters: Readonly<Record<string, unknown>>) => ({
    ResultParameters: {
      ResultParameter: Object.entries(parameters).map(([Key, Value]) => ({ Key, Value })),
    },
  });

  it.each<[string, object, object]>([
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
  ])('with code %s and %j', async (ResultCode, changes, outcome) => {
    const { outcome: read } = Object(await reading({ ResultCode, ...changes }));
    expect(read).toEqual({ providerCode: ResultCode, ...outcome });
  });

  it.each<[string, object, string | null]>([
    ['our reference', { OriginatorConversationID: 'R7K2M9QX4T0B8ZC3VN5D' }, 'AG_2'],
    ['our reference', { OriginatorConversationID: 'R7K2M9QX4T0B8ZC3VN5D' }, null],
    ['M-PESA’s id', { OriginatorConversationID: '8521-1', ConversationID: 'AG_2' }, '8521-1'],
    ['the receipt', named({ OriginalTransactionID: RECEIPT }), null],
    ['the receipt', named({ OriginalTransactionID: RECEIPT }), 'AG_2'],
    ['its amount', named({ Amount: 1500 }), 'AG_1'],
    ['its amount', named({ Amount: '1500.00' }), 'AG_1'],
  ])('named by %s is believed: %j', async (_name, result, railReference) => {
    expect(await reading(result, railReference)).toMatchObject({ type: 'outcome' });
  });

  it.each<[string, object, string | null]>([
    ['other_order', { ConversationID: 'AG_2' }, 'AG_1'],
    ['other_order', named({ OriginalTransactionID: 'SKC82PACB8' }), 'AG_1'],
    ['not_confirmed', {}, null],
    ['not_confirmed', { ConversationID: undefined }, null],
    ['wrong_amount', named({ Amount: 1499 }), 'AG_1'],
    ['wrong_amount', named({ Amount: 'all' }), 'AG_1'],
    ['unreadable', { ResultCode: null }, 'AG_1'],
  ])('is refused as %s: %j', async (suspicion, result, railReference) => {
    expect(await reading(result, railReference)).toMatchObject({ type: 'refused', suspicion });
  });

  it.each(['[]', '{"Result":[]}', '{"Result":'.repeat(6_500), `{${'"a":1,'.repeat(10_000)}"b":1}`])(
    'is refused when it is %.20s',
    async (body) => {
      const order = refundOrderFor(scene.order());
      const read = await refunding().readRefundCallback(callbackCall({ body }), order);
      expect(read).toMatchObject({ type: 'refused', suspicion: 'unreadable' });
    },
  );
});
