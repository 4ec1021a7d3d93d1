import { expect } from 'vitest';
import type { FailureReason } from '../../src/engine/domain/attempt.ts';
import type { RailPayment } from './e2e-rails-payment.ts';
import { fence } from './e2e-scene.ts';
import { type Payment, verifiedWebhook } from './e2e-webhook.ts';

/** The merchant's event and status at the end of a payment. */
export interface Ending {
  readonly webHookEvent: 'PAYMENT_SUCCESS' | 'PAYMENT_FAILED';
  readonly status: 'SUCCESS' | 'FAILED';
  /** The status before this end. */
  readonly previousStatus: 'PROCESSING' | 'FAILED';
  readonly reason: FailureReason | null;
  readonly late: boolean;
  readonly transactionStatus: 'SUCCESS' | 'FAILED' | 'EXPIRED';
  readonly failureReason: FailureReason | null;
}

export const PAID: Ending = {
  webHookEvent: 'PAYMENT_SUCCESS',
  status: 'SUCCESS',
  previousStatus: 'PROCESSING',
  reason: null,
  late: false,
  transactionStatus: 'SUCCESS',
  failureReason: null,
};

/** After the merchant got an event of another end. */
export function paidLate(previousStatus: 'FAILED'): Ending {
  return { ...PAID, late: true, previousStatus };
}

/** The provider reported it. */
export function failed(reason: FailureReason): Ending {
  return {
    webHookEvent: 'PAYMENT_FAILED',
    status: 'FAILED',
    previousStatus: 'PROCESSING',
    reason,
    late: false,
    transactionStatus: 'FAILED',
    failureReason: reason,
  };
}

/** The customer abandoned the payment: the attempt has no outcome. */
export const ABANDONED: Ending = { ...failed('abandoned'), transactionStatus: 'EXPIRED' };

/**
 * Checks that the merchant got exactly these events, in this order, each verified, and that the
 * status call matches the last one. `anomalies`: what the operator sees in addition.
 */
export async function expectTold(
  payment: RailPayment,
  endings: readonly Ending[],
  anomalies: readonly string[] = [],
): Promise<Payment> {
  const events = [];
  for (const [index, ending] of endings.entries()) {
    const event = verifiedWebhook(await payment.hook.request(index), payment.keys);
    expect(event).toMatchObject(eventOf(payment, ending));
    events.push(event);
  }
  payment.eventsChecked = endings.length;
  await expectNoMore(payment);

  const status = await payment.status();
  const { event: _, ...rest } = events.at(-1)?.payment ?? { event: null };
  const { transaction = null } = rest as Partial<Payment>;
  expect(status).toEqual({
    ...rest,
    transaction: transaction && {
      ...transaction,
      // A provider that reports before it answers tells its reference only afterwards.
      providerReference:
        transaction.providerReference ?? status.transaction?.providerReference ?? null,
    },
    // What was sent, which events do not repeat.
    debitAccount: null,
    description: null,
    phoneNumber: expect.toSatisfy(
      (phone) => phone === null || phone === `251*****${payment.phone.slice(-4)}`,
    ),
    anomalies: anomalies.map((type) => expect.objectContaining({ type })),
    refundedAmount: 0,
    refunds: [],
    netShareAmounts: [],
    expiryHeldUntil: null,
    checkoutUrl: null,
  });
  if (payment.answer !== null) {
    expect(status.transaction?.transactionId).toBe(payment.answer.transactionId);
  }
  return status;
}

/** The merchant gets no event beyond those that were checked. */
export async function expectNoMore(payment: RailPayment): Promise<void> {
  await fence(payment.scene);
  expect(payment.hook.requests).toHaveLength(payment.eventsChecked);
}

/** The payment is undecided and no event was sent. */
export async function expectPending(
  payment: RailPayment,
  anomalies: readonly string[] = [],
): Promise<void> {
  await fence(payment.scene);
  expect(payment.hook.requests).toEqual([]);
  expect(await payment.status()).toMatchObject({
    status: 'PROCESSING',
    transaction: { paymentType: payment.cell.method, transactionStatus: 'PROCESSING' },
    anomalies: anomalies.map((type) => ({ type })),
  });
}

function eventOf(payment: RailPayment, ending: Ending) {
  const { cell, uniqueId, amountMinor, commissionMinor, chargedMinor } = payment;
  const { webHookEvent, status, transactionStatus, failureReason, ...rest } = ending;
  return {
    webHookEvent,
    status,
    paymentIntentUniqueId: uniqueId,
    payment: {
      test: false,
      totalAmount: amountMinor,
      commission: commissionMinor,
      chargedAmount: chargedMinor,
      currency: 'ETB',
      paymentMethodTypes: [cell.method],
      transaction: { paymentType: cell.method, transactionStatus, failureReason },
      status,
      ...rest,
    },
  };
}
