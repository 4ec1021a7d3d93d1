import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import { paymentsPlane } from '../../../back-office/payments-plane.ts';
import { decide } from '../../../src/engine/domain/decide.ts';
import { REFUND_WINDOW_MS } from '../../../src/engine/domain/schedule.ts';
import { IntentClient } from '../../../src/engine/intent/client.ts';
import { setRefundLimits } from '../../../src/engine/merchants/refund-limits.ts';
import { simulator } from '../../../src/engine/rails/simulator/rail.ts';
import { REFUND_SCENARIOS } from '../../../src/engine/rails/simulator/refunds.ts';
import { queryRefund, startRefund } from '../../../src/engine/refunds/ask-rail.ts';
import { type RefundOfPayment, requestRefund } from '../../../src/engine/refunds/request.ts';
import { registerOf } from '../../../src/engine/register/client.ts';
import type { RefundClaim } from '../../../src/engine/register/protocol.ts';
import { businessDay, businessDayStartMs } from '../../../src/kit/ethiopian-time.ts';
import { paidTwice, requestRefund as refundOf } from '../../support/intents.ts';
import { bookSql } from '../support/book.ts';
import { registerRows } from '../support/register.ts';
import {
  ALPHA,
  advance,
  BETA,
  consumeAll,
  createHosted,
  DAY_MS,
  execute,
  fireAlarm,
  firstOf,
  intentOf,
  payHosted,
  runSql,
  tenantOf,
  useGateway,
} from '../support.ts';

/**
 * Goal: src/engine/refunds/request.ts: one refund for each id under every repetition, and the operator's
 * limits hold. Method: requests around a paid payment of 150.50 and a second one.
 */

const caught = useGateway();

const tenant = tenantOf(ALPHA);
const { payments } = paymentsPlane(env);

function refund(changes: Partial<RefundOfPayment> = {}) {
  return requestRefund(env, tenant, {
    paymentUniqueId: 'order-1',
    refundUniqueId: 'refund-1',
    transactionId: null,
    amountMinor: 1_000,
    reason: null,
    requester: { type: 'operator', operator: 'abebe', isProved: false },
    idempotency: null,
    ...changes,
  });
}

/** What the register knows: claims and refunds. */
async function known() {
  return [...(await registerRows('refund_claims')), ...(await registerRows('refunds'))];
}

const rowsInBook = () => bookSql('SELECT refund_id AS id, status, amount_minor FROM refund');

function setLimits(refundAgeDaysMax: number, refundDailyMaxMinor: number | null): Promise<void> {
  return runSql([setRefundLimits(ALPHA.id, { refundAgeDaysMax, refundDailyMaxMinor })]);
}

function pay(paymentIntentUniqueId = 'order-1'): Promise<void> {
  return payHosted({ amount: 150.5, paymentIntentUniqueId });
}

async function payTwo(): Promise<void> {
  await pay();
  await pay('order-2');
}

test('an accepted refund is in the register, then in the book', async () => {
  await pay();
  expect(await refund()).toMatchObject({ type: 'accepted', refund: { status: 'pending' } });
  await expect.poll(() => registerRows('refund_claims')).toEqual([]);
  expect(await registerRows('refunds')).toMatchObject([
    { refund_unique_id: 'refund-1', payment_unique_id: 'order-1', amount_minor: 1_000 },
  ]);
  await consumeAll(caught);
  expect(await rowsInBook()).toEqual([{ id: 'refund-1', status: 'pending', amount_minor: 1_000 }]);
  const payment = 'SELECT refunded_minor, open_refunds FROM payment';
  expect(await bookSql(payment)).toEqual([{ refunded_minor: 0, open_refunds: 1 }]);
});

test('the same id of another merchant is not taken', async () => {
  await pay();
  const { merchantId: _merchantId, ...others } = tenantOf(BETA);
  const ofBeta = registerOf(env, { ...others, merchantId: BETA.id });
  expect(await ofBeta.claimRefund(await claimOf(1_000))).toMatchObject({ type: 'claimed' });
  expect(await refund()).toMatchObject({ type: 'accepted' });
});

test('decisions.md#43: rejected requests leave no claim', async () => {
  await createHosted({ paymentIntentUniqueId: 'open' });
  await pay();
  expect(await refund({ paymentUniqueId: 'unknown' })).toEqual({ type: 'payment_not_found' });
  expect(await refund({ transactionId: 'UNKNOWN' })).toEqual({ type: 'transaction_not_found' });
  for (const [changes, rejection] of [
    [{ paymentUniqueId: 'open' }, 'not_paid'],
    [{ amountMinor: 15_051 }, 'refund_too_large'],
  ] as const) {
    expect(await refund(changes)).toMatchObject({ type: 'rejected', rejection });
  }
  expect(await known()).toEqual([]);
});

test('requests of all that is left never pass what was paid, and losers leave no claim', async () => {
  await pay();
  const results = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      refund({ refundUniqueId: `refund-${index}`, amountMinor: index % 2 === 0 ? null : 5_000 }),
    ),
  );
  const { refunds } = await intentOf();
  const accepted = results.filter(({ type }) => type === 'accepted');
  expect(accepted).toHaveLength(refunds.length);
  expect(refunds.reduce((sum, { amountMinor }) => sum + amountMinor, 0)).toBeLessThanOrEqual(
    15_050,
  );
  expect(await known()).toHaveLength(refunds.length);
});

test('a request of all that is left gets the rest, less what others reserved meanwhile', async () => {
  await pay();
  const results = await Promise.all([
    refund({ refundUniqueId: 'part', amountMinor: 5_000 }),
    refund({ refundUniqueId: 'rest', amountMinor: null }),
  ]);
  const { refunds } = await intentOf();
  // When the rest comes first, it is everything, and the part is too large.
  expect(refunds.reduce((sum, { amountMinor }) => sum + amountMinor, 0)).toBe(15_050);
  expect(results[1]).toMatchObject({ type: 'accepted' });
  expect(await known()).toHaveLength(refunds.length);
});

/** A claim of the first payment. */
async function claimOf(amountMinor: number, changes: Partial<RefundClaim> = {}) {
  const { terms, attempts } = await intentOf();
  return {
    refundUniqueId: 'refund-1',
    paymentUniqueId: terms.uniqueId,
    claimId: crypto.randomUUID(),
    amountMinor,
    currency: terms.currency,
    paidAtMs: firstOf(attempts).updatedAtMs,
    refundAgeDaysMax: 180,
    refundDailyMaxMinor: null,
    ...changes,
  };
}

/** When the next day begins in Addis Ababa. */
function nextMidnightMs(): number {
  return businessDayStartMs(businessDay(Date.now()) + 1);
}

/** Claims a part of the first payment, as a request that then dies. */
async function dies(amountMinor = 1) {
  return registerOf(env, tenant).claimRefund(await claimOf(amountMinor));
}

test('decisions.md#43: a claim whose request died is repeated by the next request', async () => {
  await pay();
  expect(await dies()).toMatchObject({ type: 'claimed' });
  expect(await refund()).toMatchObject({ type: 'accepted' });
  await consumeAll(caught);
  expect(await known()).toMatchObject([{ refund_unique_id: 'refund-1', amount_minor: 1_000 }]);
});

test('a claim whose request died passes no limit', async () => {
  await setLimits(30, 20_000);
  await pay();
  await dies();
  await setLimits(30, 5_000);
  expect(await refund({ amountMinor: 5_001 })).toMatchObject({ type: 'daily_limit' });
  advance(30 * DAY_MS + 1);
  expect(await refund()).toEqual({ type: 'too_old', daysMax: 30 });
  expect((await intentOf()).refunds).toEqual([]);
});

test('a claim of yesterday that is repeated counts today', async () => {
  await setLimits(30, 5_000);
  await payTwo();
  await dies();
  advance(DAY_MS);
  expect(await refund({ amountMinor: 5_000 })).toMatchObject({ type: 'accepted' });
  const other = { paymentUniqueId: 'order-2', refundUniqueId: 'refund-2' };
  expect(await refund(other)).toMatchObject({ type: 'daily_limit', leftMinor: 0 });
});

test('an open claim of yesterday lowers no sum of today', async () => {
  await setLimits(30, 10_000);
  await payTwo();
  advance(nextMidnightMs() - Date.now() - 10_000);
  await dies(1_000);
  advance(20_000);
  const other = { paymentUniqueId: 'order-2', refundUniqueId: 'refund-2', amountMinor: 9_000 };
  expect(await refund(other)).toMatchObject({ type: 'accepted' });
  const refused = { type: 'daily_limit', maxMinor: 10_000, leftMinor: 1_000 };
  expect(await refund({ amountMinor: 2_000 })).toEqual(refused);
});

test('a claim that is repeated with less counts in full until the payment has decided', async () => {
  await setLimits(30, 5_000);
  await payTwo();
  await dies(5_000);
  await dies(1_000);
  const other = { paymentUniqueId: 'order-2', refundUniqueId: 'refund-2', amountMinor: 4_000 };
  expect(await refund(other)).toMatchObject({ type: 'daily_limit', leftMinor: 0 });
  expect(await refund({ amountMinor: 1_000 })).toMatchObject({ type: 'accepted' });
  await consumeAll(caught);
  expect(await refund(other)).toMatchObject({ type: 'accepted' });
});

test('a rejected request leaves the claim of another with the same id', async () => {
  await payTwo();
  const send = IntentClient.prototype.execute;
  vi.spyOn(IntentClient.prototype, 'execute').mockImplementationOnce(async function (
    this: IntentClient,
    ...args
  ) {
    // Between its claim and its command, a refund takes the amount, and another request the id.
    await refund({ refundUniqueId: 'refund-0', amountMinor: 10_000 });
    await dies(5_000);
    return send.apply(this, args);
  });
  expect(await refund({ amountMinor: 10_000 })).not.toMatchObject({ type: 'accepted' });
  expect(await refund({ paymentUniqueId: 'order-2' })).toMatchObject({ type: 'taken' });
  expect(await refund({ amountMinor: 5_000 })).toMatchObject({ type: 'accepted' });
});

test('queries go on for 30 days after the provider was asked, however long the refund had waited', async () => {
  await pay();
  await refund({ amountMinor: 10_024 });
  const [{ id: refundId } = { id: '' }] = (await intentOf()).refunds;
  advance(31 * DAY_MS);
  await execute({
    type: 'claim_refund',
    refundId,
    claimId: 'claim-1',
    deadlineAtMs: Date.now() + REFUND_WINDOW_MS,
  });
  vi.spyOn(simulator, 'refundStatus').mockResolvedValue({ type: 'unknown' });
  advance(REFUND_WINDOW_MS);
  await fireAlarm();
  const [asked] = (await intentOf()).refunds;
  expect(asked).toMatchObject({ status: 'unresolved', checkAtMs: expect.any(Number) });
});

test('a payment older than the limit is not refunded, and a member who plans it learns so', async () => {
  await setLimits(30, null);
  await pay();
  const asked = { refundUniqueId: `rfd_${'0'.repeat(32)}`, amountMinor: 1_000 };
  const plan = () =>
    payments.rehearse(tenant, 'order-1', { ...asked, transactionId: null, reason: null });
  advance(30 * DAY_MS + 1);
  expect(await plan()).toMatchObject({ type: 'rehearsed', tooOldDaysMax: 30 });
  expect(await refund()).toEqual({ type: 'too_old', daysMax: 30 });
  advance(-1);
  expect(await plan()).toMatchObject({ type: 'rehearsed', tooOldDaysMax: null });
  expect(await refund()).toMatchObject({ type: 'accepted' });
});

test('the refunds of a day stay within the limit', async () => {
  await setLimits(180, 8_000);
  await payTwo();
  const requests = Array.from({ length: 6 }, (_, index) =>
    refund({
      paymentUniqueId: index % 2 === 0 ? 'order-1' : 'order-2',
      refundUniqueId: `refund-${index}`,
      amountMinor: 2_000,
    }),
  );
  const results = await Promise.all(requests);
  expect(results.filter(({ type }) => type === 'accepted')).toHaveLength(4);
  const refused = { type: 'daily_limit', maxMinor: 8_000, leftMinor: 0 };
  expect(results.filter(({ type }) => type !== 'accepted')).toEqual([refused, refused]);

  await consumeAll(caught);
  const more = { refundUniqueId: 'more', amountMinor: 8_000 };
  expect(await refund(more)).toEqual(refused);
  // The first millisecond of the next day belongs to it.
  const midnightMs = nextMidnightMs();
  vi.setSystemTime(midnightMs - 1);
  expect(await refund(more)).toEqual(refused);
  vi.setSystemTime(midnightMs);
  expect(await refund(more)).toMatchObject({ type: 'accepted' });
  expect(await refund({ refundUniqueId: 'again' })).toEqual(refused);
});

test('each currency has its own limit of a day', async () => {
  await setLimits(180, 5_000);
  await pay();
  await payHosted({ amount: 150.5, currency: 'USD', paymentIntentUniqueId: 'order-2' });
  const inDollars = { paymentUniqueId: 'order-2', refundUniqueId: 'refund-2' };
  expect(await refund({ amountMinor: 5_000 })).toMatchObject({ type: 'accepted' });
  expect(await refund({ ...inDollars, amountMinor: 5_000 })).toMatchObject({ type: 'accepted' });
  for (const payment of [{}, inDollars]) {
    expect(await refund({ ...payment, refundUniqueId: 'more' })).toMatchObject({ leftMinor: 0 });
  }
});

test('a refund that waits for a person counts towards its day', async () => {
  const { amountMinor } = REFUND_SCENARIOS.requires_action;
  await setLimits(180, amountMinor);
  await pay();
  await refund({ amountMinor });
  await fireAlarm();
  await consumeAll(caught);
  expect((await intentOf()).refunds).toMatchObject([{ status: 'requires_action' }]);
  expect(await refund({ refundUniqueId: 'more' })).toMatchObject({ leftMinor: 0 });
});

test('a canceled refund gives its amount back to the day', async () => {
  await setLimits(180, 12_000);
  await pay();
  const pending = await refund({ amountMinor: 10_026 });
  expect(pending).toMatchObject({ type: 'accepted', refund: { status: 'pending' } });
  expect(await refund({ refundUniqueId: 'refund-2', amountMinor: 2_000 })).toEqual({
    type: 'daily_limit',
    maxMinor: 12_000,
    leftMinor: 1_974,
  });
  await execute({ type: 'cancel_refund', refundId: 'refund-1' });
  await consumeAll(caught);
  expect(await refund({ refundUniqueId: 'refund-2', amountMinor: 2_000 })).toMatchObject({
    type: 'accepted',
  });
});

/**
 * A refund of a production payment whose operator removes the rail's settings
 * (docs/promises.md#11).
 */
function refundUnderWay() {
  const paid = paidTwice();
  const intent = { ...paid, terms: { ...paid.terms, environment: 'production' as const } };
  const decided = decide(intent, [refundOf('r1')], Date.now()).intent;
  const [refund] = decided.refunds;
  if (refund === undefined) {
    throw new Error('no refund');
  }
  return { intent: decided, refund };
}

test('a refund that was not sent yet waits for a person', async () => {
  const { intent, refund } = refundUnderWay();
  expect(await startRefund(env, intent, refund)).toEqual({
    type: 'requires_action',
    reason: 'not_enabled',
  });
});

test('a refund that was sent is queried again, until the settings are back', async () => {
  const { intent, refund } = refundUnderWay();
  const outcome = await queryRefund(env, intent, refund);
  expect(outcome).toEqual({ type: 'unknown', checkAtMs: expect.any(Number) });
});
