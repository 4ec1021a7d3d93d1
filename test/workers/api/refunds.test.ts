import { env } from 'cloudflare:workers';
import { describe, expect, test, vi } from 'vitest';
import { REFUND_WINDOW_MS } from '../../../src/engine/domain/schedule.ts';
import { simulator } from '../../../src/engine/rails/simulator/rail.ts';
import { REFUND_SCENARIOS } from '../../../src/engine/rails/simulator/refunds.ts';
import { readerOf } from '../../../src/lists/book/reader.ts';
import { applyAll, projectedRefund, projectionMessage } from '../book/fixture.ts';
import {
  ALPHA,
  type Answer,
  type Arrival,
  abortObjects,
  advance,
  allPages,
  answerOf,
  type Body,
  call,
  clientOf,
  consumeAll,
  contentOf,
  createHosted,
  execute,
  fireAlarm,
  INTERRUPTIONS,
  intentOf,
  loseAlarm,
  MINUTE_MS,
  merchantServer,
  payHosted,
  paymentIn,
  postRefund,
  refundPath,
  resolveAttempt,
  SECOND_MS,
  startRedirect,
  statusPath,
  tenantOf,
  useGateway,
} from '../support.ts';

/**
 * Goal: merchants return money by the API (docs/refunds.md), at most once and never more than was
 * paid. Method: refunds of paid sandbox payments; the clock and the alarm move by the test.
 */

const caught = useGateway();

const REFUNDS = '/api/v1/payment/sandbox/refunds';

interface Refund {
  readonly refundUniqueId: string;
  readonly status: string;
  readonly amountMinor: number;
  readonly failureReason: string | null;
  readonly actionReason: string | null;
}

function pay(changes: Body = {}): Promise<void> {
  return payHosted({ amount: 150.5, ...changes });
}

function refunded(changes: Body = {}): Promise<Refund> {
  return contentOf(postRefund(changes));
}

function contentAt(path: string): Promise<Record<string, unknown>> {
  return contentOf(call(path));
}

function cancel(id = 'refund-1'): Promise<Answer> {
  return answerOf(call(`${refundPath(id)}/cancel`, { method: 'POST' }));
}

/** Lets the alarm do what is due until nothing is due within a minute of waiting. */
async function waitForOutcome(id = 'refund-1'): Promise<unknown> {
  for (let minutes = 0; minutes < 10; minutes += 1) {
    await fireAlarm();
    const { status } = await contentAt(refundPath(id));
    if (status === 'SUCCESS' || status === 'FAILED') {
      return status;
    }
    advance(MINUTE_MS);
  }
  return null;
}

const kept = (arrivals: readonly Arrival[]) =>
  arrivals.map(({ event }) => [event.webHookEvent, event.status]);

test('refunds a payment, announces it, and shows it everywhere', async () => {
  const arrivals = merchantServer();
  await pay({ commissionPaidByCustomer: true });
  const refund = await refunded({ reason: 'Two bags were torn' });
  expect(refund).toMatchObject({
    refundUniqueId: 'refund-1',
    paymentIntentUniqueId: 'order-1',
    status: 'PENDING',
    amountMinor: 15_050,
    commissionReturnedMinor: 151,
    returnedMinor: 15_201,
    currency: 'ETB',
    reason: 'Two bags were torn',
    failureReason: null,
    actionReason: null,
    late: false,
  });
  expect(await contentAt(refundPath())).toEqual(refund);
  await fireAlarm();
  await consumeAll(caught);
  // The payment's own event is delivered too: an event of a refund does not replace it.
  expect(kept(arrivals)).toEqual([
    ['PAYMENT_SUCCESS', 'SUCCESS'],
    ['REFUND_SUCCESS', 'REFUNDED'],
  ]);
  const now = await contentAt(refundPath());
  expect(now).toMatchObject({ status: 'SUCCESS' });
  const payment = await contentAt(statusPath('order-1'));
  expect(payment).toMatchObject({ status: 'SUCCESS', refundedAmount: 15_050, refunds: [now] });
  expect(arrivals[1] && paymentIn(arrivals[1])).toMatchObject({
    event: 'REFUND_SUCCESS',
    status: 'SUCCESS',
    refundedAmount: 15_050,
    refund: now,
  });
  const { reason: _reason, ...listed } = now;
  expect(await contentAt(REFUNDS)).toEqual({
    data: [listed],
    hasMore: false,
    nextCursor: null,
  });
  expect(await contentAt('/api/v1/payment/sandbox/intents')).toMatchObject({
    data: [{ uniqueId: 'order-1', refundedAmount: 15_050 }],
  });
});

const FIRST_STATUS: Readonly<Record<keyof typeof REFUND_SCENARIOS, readonly unknown[]>> = {
  processed_slowly: ['PROCESSING', null, null, 'SUCCESS'],
  declined: ['FAILED', 'declined', null, 'FAILED'],
  insufficient_funds: ['FAILED', 'insufficient_funds', null, 'FAILED'],
  unknown_then_refunded: ['PROCESSING', null, null, 'SUCCESS'],
  requires_action: ['REQUIRES_ACTION', null, 'not_enabled', 'SUCCESS'],
  pending: ['PENDING', null, null, 'SUCCESS'],
};

test.each(Object.entries(REFUND_SCENARIOS))(
  'sandbox.md#refunds: %s, and events tell of the outcome and of a needed person once',
  async (name, { amountMinor }) => {
    const arrivals = merchantServer();
    await pay();
    await refunded({ amountMinor });
    await fireAlarm();
    await consumeAll(caught);
    const { status, failureReason, actionReason } = await contentAt(refundPath());
    const end = await waitForOutcome();
    expect([status, failureReason, actionReason, end]).toEqual(
      FIRST_STATUS[name as keyof typeof REFUND_SCENARIOS],
    );
    await consumeAll(caught);
    const [, ...events] = kept(arrivals);
    const outcome = end === 'SUCCESS' ? 'REFUNDED' : 'REFUND_FAILED';
    const action = 'REFUND_REQUIRES_ACTION';
    expect(events).toEqual([
      ...(name === 'requires_action' ? [[action, action]] : []),
      [`REFUND_${end}`, outcome],
    ]);
  },
);

test('parts add up to the payment, and the last part is what is left', async () => {
  await pay();
  await refunded({ amountMinor: 5_000 });
  await refunded({ refundUniqueId: 'refund-2', amountMinor: 3_050 });
  expect(await refunded({ refundUniqueId: 'refund-3' })).toMatchObject({ amountMinor: 7_000 });
  await fireAlarm();
  await fireAlarm();
  await fireAlarm();
  const { refundedAmount, refunds } = await contentAt(statusPath('order-1'));
  expect(refundedAmount).toBe(15_050);
  expect((refunds as Refund[]).map(({ status }) => status)).toEqual([
    'SUCCESS',
    'SUCCESS',
    'SUCCESS',
  ]);
  const { envelope } = await answerOf(postRefund({ refundUniqueId: 'refund-4' }));
  expect(envelope).toMatchObject({
    code: 'refund_too_large',
    message: 'Only 0.00 ETB of the payment is left to refund',
  });
});

test('a refund reduces each share of a split payment in proportion, rounded down', async () => {
  await pay({
    splitPayment: [
      { bank: 'CBE', creditAccount: '1000', splitType: 'PERCENTAGE', amount: 12.5 },
      { bank: 'CBE', creditAccount: '2000', splitType: 'NUMBER', amount: 20.01 },
    ],
  });
  const shares = async () => (await contentAt(statusPath('order-1'))).netShareAmounts;
  expect(await shares()).toEqual([1_881, 2_001]);
  await refunded({ amountMinor: 5_000 });
  await fireAlarm();
  expect(await shares()).toEqual([1_256, 1_336]);
});

test('a failed refund gives its amount back, and the adapter learns that another was sent', async () => {
  const sent = vi.spyOn(simulator, 'refund');
  await pay();
  await refunded({ amountMinor: 10_022 });
  const tooMuch = await answerOf(postRefund({ refundUniqueId: 'refund-2', amountMinor: 6_000 }));
  expect(tooMuch.envelope).toMatchObject({
    code: 'refund_too_large',
    message: 'Only 50.28 ETB of the payment is left to refund',
  });
  await fireAlarm();
  await refunded({ refundUniqueId: 'refund-2', amountMinor: 15_050 });
  await fireAlarm();
  expect(sent.mock.calls.map(([{ isFirst }]) => isFirst)).toEqual([true, false]);
});

test('promises.md#11: 20 refunds at the same time never return more than was paid', async () => {
  await pay();
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, number) =>
      answerOf(postRefund({ refundUniqueId: `refund-${number}`, amountMinor: 2_000 })),
    ),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(7);
  expect(new Set(answers.map(({ envelope }) => envelope.code))).toEqual(
    new Set([undefined, 'refund_too_large']),
  );
  for (let number = 0; number < 7; number += 1) {
    await fireAlarm();
  }
  expect(await contentAt(statusPath('order-1'))).toMatchObject({ refundedAmount: 14_000 });
});

describe('a repeated id', () => {
  const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });

  test('with the same key and body gets the first answer, even after the outcome', async () => {
    await pay();
    const first = await answerOf(postRefund({ amountMinor: 10_025 }, keyed('k')));
    expect(first.headers.has('idempotent-replayed')).toBe(false);
    expect(await waitForOutcome()).toBe('SUCCESS');
    const again = await answerOf(postRefund({ amountMinor: 10_025 }, keyed('k')));
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  test('gets the first answer of a refund that needed action from the start', async () => {
    vi.spyOn(simulator, 'refunds', 'get').mockReturnValue({
      takesParts: false,
      wholeAmountsOnly: false,
      windowMs: null,
    });
    await pay();
    const first = await answerOf(postRefund({ amountMinor: 500 }, keyed('k')));
    expect(first.envelope.content).toMatchObject({
      status: 'REQUIRES_ACTION',
      actionReason: 'part_not_supported',
    });
    await execute({
      type: 'resolve_refund_manually',
      refundId: 'refund-1',
      resolutionId: 'r1',
      outcome: { type: 'succeeded', railReference: 'BANK-7' },
      operator: 'Abebe',
      note: 'by hand',
      secondOperatorAboveMinor: null,
      isVerified: false,
    });
    expect(await contentAt(refundPath())).toMatchObject({
      status: 'SUCCESS',
      providerReference: 'BANK-7',
    });
    expect((await answerOf(postRefund({ amountMinor: 500 }, keyed('k')))).text).toBe(first.text);
  });

  test.each([
    ['no key', {}, {}, 409, 'duplicate_refund_id'],
    ['another key', {}, keyed('other'), 409, 'duplicate_refund_id'],
    ['another body', { amountMinor: 200 }, keyed('k'), 422, 'idempotency_key_reused'],
    [
      'another refund of the payment',
      { refundUniqueId: 'refund-l' },
      keyed('k'),
      422,
      'idempotency_key_reused',
    ],
    [
      'another payment',
      { paymentIntentUniqueId: 'order-2' },
      keyed('k'),
      422,
      'idempotency_key_reused',
    ],
    [
      'no key and another payment',
      { paymentIntentUniqueId: 'order-2' },
      {},
      409,
      'duplicate_refund_id',
    ],
  ] as const)('with %s refunds nothing', async (_name, changes, options, status, code) => {
    await pay();
    await pay({ paymentIntentUniqueId: 'order-2' });
    await refunded({ amountMinor: 100 });
    await answerOf(postRefund({ refundUniqueId: 'refund-k', amountMinor: 100 }, keyed('k')));
    const again = { refundUniqueId: 'refund-k', amountMinor: 100, ...changes };
    expect(await answerOf(postRefund(again, options))).toMatchObject({
      status,
      envelope: { code },
    });
    expect((await intentOf()).refunds).toHaveLength(2);
    expect((await intentOf('order-2')).refunds).toEqual([]);
  });

  test('at the same time is one refund', async () => {
    await pay();
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => answerOf(postRefund({ amountMinor: 100 }, keyed('k')))),
    );
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter(({ headers }) => !headers.has('idempotent-replayed'))).toHaveLength(1);
    expect((await intentOf()).refunds).toHaveLength(1);
  });

  test('one key and six refunds at the same time are one refund, and the others get their own keys', async () => {
    await pay();
    const ask = (number: number, key: string) =>
      answerOf(postRefund({ refundUniqueId: `refund-${number}`, amountMinor: 1_000 }, keyed(key)));
    const answers = await Promise.all([1, 2, 3, 4, 5, 6].map((number) => ask(number, 'k')));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422, 422, 422, 422, 422]);
    expect((await intentOf()).refunds).toHaveLength(1);
    const again = await Promise.all([1, 2, 3, 4, 5, 6].map((number) => ask(number, `k${number}`)));
    expect(again.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 200, 409]);
  });
});

describe('cancel', () => {
  test('frees the amount of a pending refund, once and for all', async () => {
    const refund = vi.spyOn(simulator, 'refund');
    await pay();
    await refunded({ amountMinor: 10_026 });
    await fireAlarm();
    expect(await cancel()).toMatchObject({
      status: 200,
      envelope: { content: { status: 'CANCELED', amountMinor: 10_026 } },
    });
    expect(await cancel()).toMatchObject({ status: 200 });
    await refunded({ refundUniqueId: 'refund-2' });
    advance(MINUTE_MS);
    await fireAlarm();
    expect(refund).toHaveBeenCalledOnce();
    expect(await contentAt(statusPath('order-1'))).toMatchObject({
      refundedAmount: 15_050,
      refunds: [{ status: 'CANCELED' }, { status: 'SUCCESS' }],
    });
  });

  test.each([
    [10_021, 'PROCESSING'],
    [10_022, 'FAILED'],
    [10_025, 'REQUIRES_ACTION'],
    [100, 'SUCCESS'],
  ])('leaves a refund of %i alone, which is %s', async (amountMinor, status) => {
    await pay();
    await refunded({ amountMinor });
    await fireAlarm();
    expect(await cancel()).toMatchObject({
      status: 409,
      envelope: { code: 'refund_not_cancelable', message: expect.stringContaining(status) },
    });
    expect(await contentAt(refundPath())).toMatchObject({ status });
  });
});

describe('a payment paid twice', () => {
  const twice = { paymentIntentUniqueId: 'twice' };

  /** By REFA2, and then by REFA1. */
  async function payTwice(): Promise<void> {
    await createHosted({ ...twice, amount: 150.5 });
    await clientOf('twice').execute([
      startRedirect('a1'),
      { type: 'abandon_attempt', attemptId: 'a1' },
      startRedirect('a2'),
      resolveAttempt('a2', 'succeeded'),
      resolveAttempt('a1', 'succeeded'),
    ]);
  }

  test('is refunded by the transaction that the merchant names, up to what is left of it', async () => {
    await payTwice();
    const part = { ...twice, transactionId: 'REFA1', amountMinor: 4_000 };
    await refunded(part);
    const more = { ...part, refundUniqueId: 'refund-2', amountMinor: 12_000 };
    expect((await answerOf(postRefund(more))).envelope).toMatchObject({
      code: 'refund_too_large',
      message: 'Only 110.50 ETB of the payment is left to refund',
    });
  });

  test('is refunded by the transaction that the merchant names, as a whole', async () => {
    await pay();
    await execute({ type: 'tick' });
    const paid = await intentOf();
    await payTwice();
    const second = { ...twice, transactionId: 'REFA1' };
    expect(await refunded(second)).toMatchObject({ transactionId: 'REFA1', amountMinor: 15_050 });
    expect(await refunded({ ...twice, refundUniqueId: 'refund-2' })).toMatchObject({
      transactionId: 'REFA2',
      amountMinor: 15_050,
    });
    const unknown = {
      ...twice,
      refundUniqueId: 'refund-3',
      transactionId: paid.attempts[0]?.reference,
    };
    expect((await answerOf(postRefund(unknown))).envelope).toMatchObject({
      validationErrorCodes: { transactionId: 'mismatch' },
    });
    await fireAlarm('twice');
    // Only what the paying attempt returned counts.
    expect(await contentAt(statusPath('twice'))).toMatchObject({ refundedAmount: 15_050 });
  });
});

test.each<[string, Body | string, Record<string, string>]>([
  ['no object', '[]', { body: 'invalid_type' }],
  ['nothing', {}, { paymentIntentUniqueId: 'required', refundUniqueId: 'required' }],
  ['a misspelled amount', { amout: 1 }, { amout: 'unknown_field' }],
  ['an amount in major units', { amount: 50 }, { amount: 'unknown_field' }],
  ['both amounts', { amount: 50, amountMinor: 5_000 }, { amount: 'unknown_field' }],
  ['an amount of null', { amountMinor: null }, { amountMinor: 'invalid_type' }],
  ['an amount that is no number', { amountMinor: Number.NaN }, { amountMinor: 'invalid_type' }],
  ['an empty amount', { amountMinor: '' }, { amountMinor: 'invalid_type' }],
  ['an empty transaction', { transactionId: '' }, { transactionId: 'empty' }],
  ['a text as amount', { amountMinor: '500' }, { amountMinor: 'invalid_type' }],
  ['nothing to return', { amountMinor: 0 }, { amountMinor: 'too_small' }],
  ['less than nothing', { amountMinor: -1 }, { amountMinor: 'too_small' }],
  ['a part of a cent', { amountMinor: 100.5 }, { amountMinor: 'not_whole' }],
  ['far too much', { amountMinor: 1e11 }, { amountMinor: 'too_large' }],
  ['more than is exact', { amountMinor: 2 ** 53 }, { amountMinor: 'too_large' }],
  ['a path as id', { refundUniqueId: '..' }, { refundUniqueId: 'invalid_format' }],
  ['a long id', { refundUniqueId: 'x'.repeat(256) }, { refundUniqueId: 'too_long' }],
  ['a long reason', { reason: 'x'.repeat(1_001) }, { reason: 'too_long' }],
])('refuses %s, field by field, and refunds nothing', async (name, changes, codes) => {
  await pay();
  const body =
    typeof changes === 'string' || name === 'nothing'
      ? changes
      : { paymentIntentUniqueId: 'order-1', refundUniqueId: 'refund-1', ...changes };
  const path = '/api/v1/payment/sandbox/refund';
  const answer = await answerOf(call(path, { method: 'POST', body }));
  expect(answer).toMatchObject({ status: 400, envelope: { validationErrorCodes: codes } });
  expect((await intentOf()).refunds).toEqual([]);
});

test('names amountMinor and its unit when a request has an amount', async () => {
  await pay();
  const { envelope } = await answerOf(postRefund({ amount: 50 }));
  expect(envelope.validationErrors).toEqual({
    amount: expect.stringMatching(/amountMinor.*minor units/),
  });
});

test('an amount that one answer shows returns the same amount when it is sent back', async () => {
  await pay();
  const { amountMinor } = await refunded({ amountMinor: 100 });
  const again = await refunded({ refundUniqueId: 'refund-2', amountMinor });
  await fireAlarm();
  await fireAlarm();
  expect(again.amountMinor).toBe(100);
  expect(await contentAt(statusPath('order-1'))).toMatchObject({
    refundedAmount: 200,
    refunds: [{ amountMinor: 100 }, { amountMinor: 100 }],
  });
});

test('null counts as absent, as on creation, in all but the amount', async () => {
  await pay();
  const nothing = { reason: null, transactionId: null };
  expect(await refunded(nothing)).toMatchObject({ amountMinor: 15_050 });
});

test('a refund is read in its own environment, although the other has one with the same id', async () => {
  await applyAll([
    projectionMessage(tenantOf(ALPHA, 'production'), 2, {}, { refunds: [projectedRefund()] }),
  ]);
  await pay();
  await refunded({ amountMinor: 100 });
  expect(await contentAt(refundPath())).toMatchObject({ paymentIntentUniqueId: 'order-1' });
});

test('while D1 is down, nothing is reserved, and the same request works later', async () => {
  await pay();
  const prepare = vi.spyOn(env.DB, 'prepare').mockImplementation(() => {
    throw new Error('D1 is away');
  });
  const { status, headers } = await answerOf(postRefund());
  expect([status, headers.get('retry-after')]).toEqual([503, '1']);
  expect((await intentOf()).refunds).toEqual([]);
  prepare.mockRestore();
  expect(await refunded()).toMatchObject({ status: 'PENDING' });
});

test('an event of a refund is read, sent again, and filtered by its type', async () => {
  const arrivals = merchantServer();
  await pay();
  await refunded();
  await fireAlarm();
  await consumeAll(caught);
  const { data } = await contentAt('/api/v1/payment/sandbox/events?type=REFUND_SUCCESS');
  const [event] = data as { id: string }[];
  const path = `/api/v1/payment/sandbox/events/${event?.id}/resend`;
  expect(await answerOf(call(path, { method: 'POST' }))).toMatchObject({ status: 200 });
  await consumeAll(caught);
  const [, first, again, ...others] = arrivals;
  expect(others).toEqual([]);
  expect(again?.event.webHookEvent).toBe('REFUND_SUCCESS');
  expect(again?.text).toBe(first?.text);
});

describe.each(Object.entries(INTERRUPTIONS))(
  '%s of every object between all steps',
  (_name, interrupt) => {
    test('ends the same, with one call to the provider', async () => {
      const refund = vi.spyOn(simulator, 'refund');
      const arrivals = merchantServer();
      await pay();
      await interrupt();
      await refunded({ amountMinor: 10_024 });
      await interrupt();
      await fireAlarm();
      await interrupt();
      expect(await contentAt(refundPath())).toMatchObject({ status: 'PROCESSING' });
      await interrupt();
      advance(3 * MINUTE_MS);
      await fireAlarm();
      await interrupt();
      await consumeAll(caught);
      expect(refund).toHaveBeenCalledOnce();
      expect(kept(arrivals).at(-1)).toEqual(['REFUND_SUCCESS', 'REFUNDED']);
      expect(await contentAt(statusPath('order-1'))).toMatchObject({ refundedAmount: 10_024 });
    });
  },
);

test('promises.md#11: an object that dies between the claim and the answer asks the provider once, then queries it', async () => {
  const refund = vi.spyOn(simulator, 'refund').mockReturnValue(new Promise(() => undefined));
  const query = vi.spyOn(simulator, 'refundStatus');
  await pay();
  await refunded({ amountMinor: 10_021 });
  const alarm = fireAlarm().catch(() => 'aborted');
  await expect.poll(() => refund).toHaveBeenCalledOnce();
  await abortObjects();
  expect(await alarm).toBe('aborted');
  expect(await contentAt(refundPath())).toMatchObject({ status: 'PROCESSING' });
  await fireAlarm();
  expect(query).not.toHaveBeenCalled();
  // Its amount stays reserved.
  expect(await answerOf(postRefund({ refundUniqueId: 'refund-2' }))).toMatchObject({ status: 200 });
  expect((await intentOf()).refunds[1]).toMatchObject({ amountMinor: 5_029, status: 'pending' });
  advance(REFUND_WINDOW_MS);
  await fireAlarm();
  expect(await contentAt(refundPath())).toMatchObject({ status: 'SUCCESS' });
  expect(refund).toHaveBeenCalledOnce();
  expect(query).toHaveBeenCalledOnce();
});

test('an adapter that throws delays the next query of a refund as an answer without an outcome does', async () => {
  const broken = new Error('bug in an adapter');
  const refund = vi.spyOn(simulator, 'refund').mockRejectedValue(broken);
  vi.spyOn(simulator, 'refundStatus').mockRejectedValue(broken);
  await pay();
  await refunded();
  for (const [checks, waitMs] of [
    [1, 5 * SECOND_MS],
    [2, 10 * SECOND_MS],
    [3, 20 * SECOND_MS],
  ] as const) {
    await fireAlarm();
    const checkAtMs = Date.now() + waitMs;
    expect((await intentOf()).refunds).toMatchObject([{ status: 'processing', checks, checkAtMs }]);
    vi.setSystemTime(checkAtMs);
  }
  expect(refund).toHaveBeenCalledOnce();
});

test('self-heal: a visit starts a refund whose alarm was lost', async () => {
  const refund = vi.spyOn(simulator, 'refund');
  await pay();
  await refunded();
  await loseAlarm();
  advance(2 * MINUTE_MS);
  await contentAt(statusPath('order-1'));
  await expect.poll(() => refund).toHaveBeenCalledOnce();
  await expect.poll(() => contentAt(refundPath())).toMatchObject({ status: 'SUCCESS' });
});

describe('the list', () => {
  const list = (query: Readonly<Record<string, string>>) =>
    contentAt(`${REFUNDS}?${new URLSearchParams(query)}`);

  /** Three refunds a minute apart, the last one first in lists, with ids that no cursor may hold. */
  async function scene(): Promise<string[]> {
    await pay();
    await pay({ paymentIntentUniqueId: 'order-2' });
    const times: string[] = [];
    for (const changes of [
      { refundUniqueId: 'ተመላሽ 1', amountMinor: 10_022 },
      { refundUniqueId: 'a b/c', amountMinor: 100 },
      { refundUniqueId: 'third', amountMinor: 10_024, paymentIntentUniqueId: 'order-2' },
    ]) {
      times.push(new Date().toISOString());
      await refunded(changes);
      await fireAlarm(changes.paymentIntentUniqueId ?? 'order-1');
      advance(MINUTE_MS);
    }
    await fireAlarm('order-2');
    expect((await intentOf('order-2')).refunds[0]?.status).toBe('unresolved');
    await expect.poll(() => caught.projections.length).toBeGreaterThan(0);
    await consumeAll(caught);
    return times;
  }

  test('filters, and turns its pages', async () => {
    const times = await scene();
    const ids = ['third', 'a b/c', 'ተመላሽ 1'];
    const [, second = ''] = times;
    for (const [query, expected] of [
      [{}, ids],
      [{ status: 'PROCESSING' }, ['third']],
      [{ status: 'FAILED' }, ['ተመላሽ 1']],
      [{ status: 'SUCCESS', paymentIntentUniqueId: 'order-1' }, ['a b/c']],
      [{ paymentIntentUniqueId: 'order-1' }, ['a b/c', 'ተመላሽ 1']],
      [{ createdFrom: second }, ['third', 'a b/c']],
      [{ createdTo: second }, ['ተመላሽ 1']],
    ] as const) {
      const { data } = await list(query);
      expect((data as Refund[]).map(({ refundUniqueId }) => refundUniqueId)).toEqual(expected);
    }
    const all = await allPages<Refund>(REFUNDS, { limit: '1' });
    expect(all.map(({ refundUniqueId }) => refundUniqueId)).toEqual(ids);
    for (const id of ids) {
      expect(await contentAt(refundPath(id))).toMatchObject({ refundUniqueId: id });
    }
  });

  test.each([
    [{ status: 'UNRESOLVED' }, { status: 'invalid_choice' }],
    [
      { createdFrom: '2026-01-02T00:00:00Z', createdTo: '2026-01-01T00:00:00Z' },
      { createdTo: 'mismatch' },
    ],
    [{ payment: 'order-1' }, { payment: 'unknown_field' }],
  ])('refuses %j', async (query, codes) => {
    const search = new URLSearchParams(query as never);
    const answer = await answerOf(call(`${REFUNDS}?${search}`));
    expect(answer).toMatchObject({ status: 400, envelope: { validationErrorCodes: codes } });
  });
});

test('a refund is found by the words of the merchant and of the provider', async () => {
  await pay();
  await refunded();
  await fireAlarm();
  await consumeAll(caught);
  const { refunds } = await intentOf();
  for (const id of ['refund-1', refunds[0]?.reference ?? '']) {
    const found = await (await readerOf(env, tenantOf(ALPHA))).search(id);
    expect(JSON.stringify(found)).toContain('order-1');
  }
});
