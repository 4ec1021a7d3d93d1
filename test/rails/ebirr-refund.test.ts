import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { jsonReply, type RefundPlan, StandInServer } from '../../scripts/stand-ins/stand-in.ts';
import type { Attempt } from '../../src/domain/intent.ts';
import { refundRequest } from '../../src/rails/ebirr/refund.ts';
import type { RefundAnswer, RefundOrder } from '../../src/rails/refund.ts';
import { type EbirrScene, ebirrScene, hostileBodies } from '../support/rails/ebirr-scene.ts';
import { CALL_FAULTS } from '../support/rails/faults.ts';
import { watchRailAnswers } from '../support/rails/logged.ts';
import { freshReference } from '../support/rails/order.ts';
import {
  NOT_ENABLED,
  NOT_SUPPORTED,
  part,
  refundOrderFor,
  refundsAt,
  UNKNOWN,
  withAttempt,
} from '../support/rails/refund-order.ts';
import { endTimeoutsOnSilence } from '../support/rails/timeouts.ts';

/**
 * Goal: eBirr is asked once to cancel a purchase as a whole. Only its complete success counts as
 * returned, and only known refusals as not returned. Anything unclear leaves the money reserved.
 */

let scene: EbirrScene;

beforeEach(async () => {
  scene = await ebirrScene();
});

afterEach(async () => {
  vi.restoreAllMocks();
  await scene.stop();
});

const refunding = (changed: object = {}) =>
  scene.railWith({ ...scene.standIn.refundSettings, ...changed });

/** A refund of a payment that eBirr has confirmed, which the stand-in treats by `refund`. */
async function paid(refund: RefundPlan = {}): Promise<RefundOrder> {
  scene.standIn.plan('1500.00', { act: 'pays', callback: 'never', refund });
  const order = scene.order({
    attempt: { id: crypto.randomUUID(), reference: freshReference() },
  });
  const started = await scene.railWith().start(order);
  if (started.type !== 'resolved' || started.outcome.type !== 'succeeded') {
    throw new Error('not paid');
  }
  const { receipt } = started.outcome;
  const attempt = { ...order.attempt, status: 'succeeded' as const, receipt };
  return refundOrderFor({ ...order, attempt });
}

const refundsOf = (order: RefundOrder) => refundsAt(scene.standIn, order);

const requests = () =>
  scene.standIn.calls
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
    ['API_REFUND', { amount: '1500.00', referenceId: expect.any(String) }],
  ])('%s has exactly these fields', async (refundService, more) => {
    const order = await paid();
    const { reference } = order.payment.attempt;
    expect(await refunding({ refundService }).refund(order)).toMatchObject({ type: 'succeeded' });
    expect(requests()).toEqual([
      {
        schemaVersion: '1.0',
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
        channelName: 'WEB',
        serviceName: refundService,
        serviceParams: {
          ...settings(),
          transactionId: '1000001',
          description: `Refund ${order.refund.reference}`,
          ...more,
          ...('referenceId' in more && { referenceId: reference }),
        },
      },
    ]);
  });

  test('has its fields in the order of the documentation', async () => {
    const order = await paid();
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

  test('is not sent while refunds are off, nor without a transaction id', async () => {
    const order = await paid();
    expect(await scene.railWith().refund(order)).toEqual(NOT_ENABLED);
    const walletsIds: readonly Partial<Attempt>[] = [
      { receipt: null },
      { receipt: null, issuerReceipt: '2000001' },
      { receipt: '2000001', issuerReceipt: '2000001' },
    ];
    for (const ids of walletsIds) {
      expect(await refunding().refund(withAttempt(order, ids))).toEqual(NOT_SUPPORTED);
    }
    expect(requests()).toEqual([]);
  });

  test.each([
    [undefined, false, null],
    ['API_CANCELPURCHASE', false, null],
    ['API_REVERSAL', false, 86_400_000],
    ['API_REFUND', true, null],
  ])('of %s returns parts: %s, within %s ms', (refundService, takesParts, windowMs) => {
    const rail = refunding({ refundService });
    expect(rail.refunds).toEqual({ takesParts, wholeAmountsOnly: false, windowMs });
    expect(rail).not.toHaveProperty('refundStatus');
    expect(rail).not.toHaveProperty('readRefundCallback');
  });
});

describe('API_REFUND', () => {
  test('returns parts up to the payment, each by one call with its own amount', async () => {
    const order = await paid();
    const rail = refunding({ refundService: 'API_REFUND' });
    for (const [returnedMinor, type] of [
      [100_050, 'succeeded'],
      [49_950, 'succeeded'],
      [1, 'unknown'],
    ] as const) {
      expect(await rail.refund(part(order, returnedMinor))).toMatchObject({ type });
    }
    expect(requests().map(({ serviceParams }) => serviceParams.amount)).toEqual([
      '1000.50',
      '499.50',
      '0.01',
    ]);
    expect(await refundsOf(order)).toEqual([
      { amountText: '1000.50', isReturned: true },
      { amountText: '499.50', isReturned: true },
    ]);
  });
});

describe('the stand-in', () => {
  test.each<[string, object]>([
    ['a number as id', { transactionId: 1_000_001 }],
    ['no id', { transactionId: undefined }],
    ['another method', { paymentMethod: 'CREDIT_CARD' }],
    ['a part', { amount: '1.00' }],
    ['no key', { apiKey: undefined }],
  ])('refuses a request with %s', async (_name, changes) => {
    const order = await paid();
    await refunding().refund(order);
    const [sent] = requests();
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
    expect(await refundsOf(order)).toHaveLength(1);
  });
});

describe('the answer', () => {
  test.each<[string, RefundPlan, object, number]>([
    [
      'success',
      {},
      { type: 'succeeded', railReference: '3000001', providerCode: '2001 0 approved' },
      1,
    ],
    [
      'an empty account',
      { refuses: 'lacks_funds' },
      { type: 'failed', reason: 'insufficient_funds', providerCode: '50333' },
      0,
    ],
    [
      'a purchase that it does not find, or may not cancel',
      { refuses: 'declines' },
      { ...NOT_ENABLED, providerCode: '5213 E10206' },
      0,
    ],
    [
      'an account without the right',
      { refuses: 'not_enabled' },
      { ...NOT_ENABLED, providerCode: '5001 E10001' },
      0,
    ],
  ])('%s', async (_name, plan, outcome, returned) => {
    const order = await paid(plan);
    const lines = watchRailAnswers();
    expect(await refunding().refund(order)).toEqual(outcome);
    expect(await refundsOf(order)).toHaveLength(returned);
    expect(lines).toHaveLength(1 - returned);
  });

  test('that a purchase was canceled before leaves the refund unknown', async () => {
    const order = await paid();
    await refunding().refund(order);
    expect(await refunding().refund(order)).toEqual({
      type: 'unknown',
      providerCode: '5202 E10207',
    });
    expect(await refundsOf(order)).toHaveLength(1);
  });

  test('about the id of another purchase cancels nothing', async () => {
    const order = await paid();
    const other = await paid();
    const { payment } = order;
    const attempt = { ...payment.attempt, receipt: other.payment.attempt.receipt };
    const mixed = { ...order, payment: { ...payment, attempt } };
    expect(await refunding().refund(mixed)).toMatchObject({ type: 'requires_action' });
    expect([await refundsOf(order), await refundsOf(other)]).toEqual([[], []]);
  });

  test.each(CALL_FAULTS)(
    'is unknown after %s, and the call never repeated',
    async (fault, returned) => {
      const order = await paid({ fault });
      endTimeoutsOnSilence();
      const lines = watchRailAnswers();
      expect(await refunding().refund(order)).toEqual(UNKNOWN);
      const { reference } = order.payment.attempt;
      expect(lines).toMatchObject([{ level: 'warn', call: 'API_CANCELPURCHASE', reference }]);
      expect(requests()).toHaveLength(1);
      expect(await refundsOf(order)).toHaveLength(returned);
    },
  );
});

describe('a made-up answer', () => {
  const PAID = { responseCode: '2001', errorCode: '0', responseMsg: 'RCS_SUCCESS' };
  let answer: { readonly status: number; readonly body: string };
  let server: StandInServer;

  beforeEach(async () => {
    server = await StandInServer.start(async () => ({ type: 'answer', ...answer }));
  });
  afterEach(() => server.stop());

  async function read(value: unknown, status = 200): Promise<RefundAnswer> {
    const reply = jsonReply(status, value);
    answer = { status, body: reply.type === 'answer' ? reply.body : '' };
    const payment = scene.order({ attempt: { receipt: '1268666' } });
    const rail = refunding({ baseUrl: `${server.baseUrl}/asm` });
    const { providerCode: _, ...outcome } = await rail.refund(refundOrderFor(payment));
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
    expect(await read(value)).toEqual(outcome);
  });

  test.each([401, 403, 404, 405])('%d did not reach eBirr', async (status) => {
    expect(await read({}, status)).toEqual(failed('misconfigured'));
  });

  test.each([201, 302, 400, 429, 500, 502])('%d proves nothing', async (status) => {
    expect(await read({ ...PAID, params: { state: 'approved' } }, status)).toEqual(UNKNOWN);
  });

  test.each(hostileBodies('H7K2M9QX4T0B8ZC3VN5D'))('hostile: %s', async (_name, body) => {
    answer = { status: 200, body };
    const payment = scene.order({ attempt: { receipt: '1268666' } });
    const rail = refunding({ baseUrl: `${server.baseUrl}/asm` });
    expect(await rail.refund(refundOrderFor(payment))).toMatchObject(UNKNOWN);
  });
});
