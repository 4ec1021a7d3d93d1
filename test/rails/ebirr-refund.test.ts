import { describe, expect, test } from 'vitest';
import { jsonReply, type Reply } from '../../scripts/stand-ins/stand-in.ts';
import { refundRequest } from '../../src/engine/rails/ebirr/refund.ts';
import type { RefundAnswer } from '../../src/engine/rails/refund.ts';
import { hostileBodies } from '../support/rails/ebirr.ts';
import { PLAYERS } from '../support/rails/players.ts';
import {
  NOT_ENABLED,
  part,
  refundOrderFor,
  refundsAt,
  UNKNOWN,
  withAttempt,
} from '../support/rails/refund-order.ts';
import { useRailScene } from '../support/rails/scene.ts';

/**
 * Goal: eBirr gets exactly the published request to cancel a purchase. Only its complete success
 * counts as returned, and only known refusals as not returned.
 */

const scene = await useRailScene(PLAYERS.ebirr);

const requests = (from: number) =>
  scene.standIn.calls
    .slice(from)
    .map(({ body }) => JSON.parse(body))
    .filter(({ serviceName }) => serviceName !== 'API_PURCHASE');

describe('the request', () => {
  const settings = () => {
    const { merchantUid, apiUserId, apiKey } = scene.standIn.settings;
    return { merchantUid, apiUserId, apiKey };
  };

  test.each([
    ['API_CANCELPURCHASE', { paymentMethod: 'MWALLET_ACCOUNT', referenceId: expect.any(String) }],
    ['API_REVERSAL', {}],
    [
      'API_REFUND',
      { amount: expect.stringMatching(/^\d{4}\.00$/), referenceId: expect.any(String) },
    ],
  ])('%s has exactly these fields', async (refundService, more) => {
    const order = await scene.paid({});
    const { length } = scene.standIn.calls;
    const { reference, receipt } = order.payment.attempt;
    const answer = await scene.railWith({ refundService }).refund?.(order);
    expect(answer).toMatchObject({ type: 'succeeded' });
    expect(requests(length)).toEqual([
      {
        schemaVersion: '1.0',
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
        channelName: 'WEB',
        serviceName: refundService,
        serviceParams: {
          ...settings(),
          transactionId: receipt,
          description: `Refund ${order.refund.reference}`,
          ...more,
          ...('referenceId' in more && { referenceId: reference }),
        },
      },
    ]);
  });

  test('has its fields in the order of the documentation', async () => {
    const order = await scene.paid({});
    const rail = { ...settings(), paymentMethod: 'MWALLET_ACCOUNT' };
    const request = refundRequest(
      rail as Parameters<typeof refundRequest>[0],
      'API_CANCELPURCHASE',
      order,
      '1000001',
      'b3b3a9a0-1111-4222-8333-444444444444',
      Date.UTC(2026, 0, 31, 9, 34, 56),
    );
    expect(request.timestamp).toBe('2026-01-31 12:34:56');
    expect(Object.keys(request.serviceParams)).toEqual([
      'merchantUid',
      'apiUserId',
      'apiKey',
      'paymentMethod',
      'transactionId',
      'referenceId',
      'description',
    ]);
  });

  test.each([
    [undefined, false, null],
    ['API_CANCELPURCHASE', false, null],
    ['API_REVERSAL', false, 86_400_000],
    ['API_REFUND', true, null],
  ])('of %s returns parts: %s, within %s ms', (refundService, takesParts, windowMs) => {
    const { refunds } = scene.railWith({ refundService });
    expect(refunds).toEqual({ takesParts, wholeAmountsOnly: false, windowMs });
  });
});

test('API_REFUND returns parts up to the payment, each by one call with its own amount', async () => {
  const order = await scene.paid({});
  const { chargedMinor } = order.payment;
  const { length } = scene.standIn.calls;
  const rail = scene.railWith({ refundService: 'API_REFUND' });
  for (const [returnedMinor, type] of [
    [100_050, 'succeeded'],
    [chargedMinor - 100_050, 'succeeded'],
    [1, 'unknown'],
  ] as const) {
    expect(await rail.refund?.(part(order, returnedMinor))).toMatchObject({ type });
  }
  const rest = ((chargedMinor - 100_050) / 100).toFixed(2);
  const asked = requests(length).map(({ serviceParams }) => serviceParams.amount);
  expect(asked).toEqual(['1000.50', rest, '0.01']);
  expect(await refundsAt(scene.standIn, order)).toEqual([
    { amountText: '1000.50', isReturned: true },
    { amountText: rest, isReturned: true },
  ]);
});

describe('the stand-in', () => {
  test.each<[string, object]>([
    ['a number as id', { transactionId: 1_000_001 }],
    ['no id', { transactionId: undefined }],
    ['another method', { paymentMethod: 'CREDIT_CARD' }],
    ['a part', { amount: '1.00' }],
    ['no key', { apiKey: undefined }],
  ])('refuses a request with %s', async (_name, changes) => {
    const order = await scene.paid({});
    const { length } = scene.standIn.calls;
    await scene.rail.refund?.(order);
    const [sent] = requests(length);
    const serviceParams = { ...sent.serviceParams, ...changes };
    const changed = { ...sent, requestId: crypto.randomUUID(), serviceParams };
    // The last one is a repetition.
    for (const request of [changed, sent]) {
      const answer = await fetch(`${scene.standIn.baseUrl}/asm`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(request),
      });
      expect(await answer.json()).toMatchObject({ responseCode: '5002' });
    }
    expect(await refundsAt(scene.standIn, order)).toHaveLength(1);
  });
});

test('about the id of another purchase cancels nothing', async () => {
  const order = await scene.paid({});
  const other = await scene.paid({});
  const { receipt } = other.payment.attempt;
  const answer = await scene.rail.refund?.(withAttempt(order, { receipt }));
  expect(answer).toMatchObject({ type: 'requires_action' });
  expect(await refundsAt(scene.standIn, order)).toEqual([]);
  expect(await refundsAt(scene.standIn, other)).toEqual([]);
});

describe('a made-up answer', () => {
  const PAID = { responseCode: '2001', errorCode: '0', responseMsg: 'RCS_SUCCESS' };

  async function read(reply: Reply): Promise<Omit<RefundAnswer, 'providerCode'> | undefined> {
    const rail = await scene.scripted(reply);
    const attempt = { receipt: '1268666', reference: 'H7K2M9QX4T0B8ZC3VN5D' };
    const order = scene.order({}, { attempt, terms: { amountMinor: 150_000 } });
    const { providerCode: _, ...outcome } = Object(await rail.refund?.(refundOrderFor(order)));
    return outcome;
  }

  const succeeded = (railReference: string | null) => ({ type: 'succeeded', railReference });
  const failed = (reason: string) => ({ type: 'failed', reason });

  test.each<[unknown, object]>([
    [{ ...PAID, params: { state: 'APPROVED', transactionId: '1268667' } }, succeeded('1268667')],
    [{ ...PAID, params: { state: 'approved', transactionId: 1_268_667 } }, succeeded('1268667')],
    [{ ...PAID, params: { state: 'Approved' } }, succeeded(null)],
    [{ ...PAID, params: { state: 'approved', referenceId: 'OTHER' } }, UNKNOWN],
    [{ ...PAID, params: { state: 'approved', txAmount: '1500.00' } }, succeeded(null)],
    [{ ...PAID, params: { state: 'approved', txAmount: '1499.00' } }, UNKNOWN],
    [{ ...PAID, params: { state: 'approved', currency: 'ETB' } }, succeeded(null)],
    [{ ...PAID, params: { state: 'approved', currency: 'USD' } }, UNKNOWN],
    [{ ...PAID, params: { state: 'approved', issuerTransactionId: '5' } }, succeeded(null)],
    [{ ...PAID, params: { state: 'pending' } }, UNKNOWN],
    [{ ...PAID, params: {} }, UNKNOWN],
    [{ ...PAID, errorCode: 'E10206', params: { state: 'approved' } }, UNKNOWN],
    [{ responseCode: '5213', errorCode: '0' }, UNKNOWN],
    [{ responseCode: '5213', errorCode: 'E10206', params: [] }, NOT_ENABLED],
    [{ responseMsg: 'RCS_TRAN_NOT_FOUND' }, NOT_ENABLED],
    [{ responseCode: '5308', errorCode: '5308' }, NOT_ENABLED],
    [{ responseMsg: 'RCS_USER_IS_NOT_AUTHZ_TO_ACCESS_API (x)' }, NOT_ENABLED],
    [{ responseCode: '5301', errorCode: '5301' }, failed('misconfigured')],
    [{ responseCode: '50333', errorCode: 'E1' }, failed('insufficient_funds')],
    [{ responseMsg: 'RCS_ACC_INSUFFICIENT_BALANCE' }, failed('insufficient_funds')],
    [{ responseCode: '5202', errorCode: 'E10207', params: {} }, UNKNOWN],
    [{ responseCode: '5213', errorCode: 'E10207' }, UNKNOWN],
    [{ responseCode: '50333', responseMsg: 'RCS_TRAN_ALREADY_CANCELLED' }, UNKNOWN],
    [{ responseCode: '52061', errorCode: 'E102051' }, UNKNOWN],
    [{ responseCode: '9999', errorCode: 'E9' }, UNKNOWN],
    [{}, UNKNOWN],
    [[], UNKNOWN],
    ['text', UNKNOWN],
  ])('%j', async (value, outcome) => {
    expect(await read(jsonReply(200, value))).toEqual(outcome);
  });

  test.each([401, 403, 404, 405])('%d did not reach eBirr', async (status) => {
    expect(await read(jsonReply(status, {}))).toEqual(failed('misconfigured'));
  });

  test.each([201, 302, 400, 429, 500, 502])('%d proves nothing', async (status) => {
    const reply = jsonReply(status, { ...PAID, params: { state: 'approved' } });
    expect(await read(reply)).toEqual(UNKNOWN);
  });

  test.each(hostileBodies('H7K2M9QX4T0B8ZC3VN5D'))('hostile: %s', async (_name, body) => {
    expect(await read({ type: 'answer', status: 200, body })).toMatchObject(UNKNOWN);
  });
});
