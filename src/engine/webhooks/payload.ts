import { isoTime } from '../../kit/ethiopian-time.ts';
import type { Attempt, AttemptStatus } from '../domain/attempt.ts';
import {
  type EventType,
  hasEnded,
  hasReceipt,
  type Intent,
  type IntentStatus,
  paidAtMs,
  reportedAttempt,
} from '../domain/intent.ts';
import { idWithoutPhone, maskedPhone } from '../domain/phone.ts';
import type { Refund } from '../domain/refund.ts';
import { netSharesMinor, refundedOf } from '../domain/refund-amounts.ts';
import { restoredHoldEndsAtMs } from '../domain/restored-hold.ts';
import { type Split, sharedCommission } from '../domain/terms.ts';
import { expiryHeldUntilMs } from '../domain/time.ts';
import { refundPayload } from './refund-payload.ts';

/**
 * The payment as merchants see it, in events and in the status call (docs/decisions.md#17). The
 * order of the keys below is part of the contract. Nulls are kept, every money field is an integer
 * in minor units, and times are ISO 8601 in UTC with milliseconds.
 */

/** The version of what webhooks carry: the day on which its form was fixed (docs/api.md#payload). */
export const PAYLOAD_VERSION = '2026-11-23';

export const WIRE_STATUSES = {
  open: 'OPEN',
  processing: 'PROCESSING',
  succeeded: 'SUCCESS',
  failed: 'FAILED',
  expired: 'EXPIRED',
  canceled: 'CANCELED',
} as const satisfies Record<IntentStatus, string>;

/** The wire names of an event and of the envelope's status, by which many receivers act. */
export const WIRE_EVENTS = {
  payment_succeeded: { event: 'PAYMENT_SUCCESS', status: 'SUCCESS' },
  payment_failed: { event: 'PAYMENT_FAILED', status: 'FAILED' },
  payment_expired: { event: 'PAYMENT_EXPIRED', status: 'EXPIRED' },
  // These statuses are not the payment's SUCCESS: a receiver that reads only the status would mark
  // a canceled order as paid when its refund arrives.
  refund_requires_action: { event: 'REFUND_REQUIRES_ACTION', status: 'REFUND_REQUIRES_ACTION' },
  refund_succeeded: { event: 'REFUND_SUCCESS', status: 'REFUNDED' },
  refund_failed: { event: 'REFUND_FAILED', status: 'REFUND_FAILED' },
} as const satisfies Record<EventType, { event: string; status: string }>;

export const WIRE_TRANSACTION_STATUSES = {
  processing: 'PROCESSING',
  succeeded: 'SUCCESS',
  failed: 'FAILED',
  expired: 'EXPIRED',
} as const satisfies Record<Exclude<AttemptStatus, 'unresolved'>, string>;

/** The wire name of a status, also for returnUrl and lists. */
export function wireStatus(status: IntentStatus) {
  return WIRE_STATUSES[status];
}

/** The payment without an event. */
export function paymentPayload(intent: Intent, receiptPath: string) {
  return {
    ...termsPayload(intent),
    ...statePayload(intent),
    ...addedPayload(intent),
    receiptUrl: receiptUrl(intent, receiptPath),
  };
}

/**
 * The answer of the status call: the payment, what else an express request sent (the phone number
 * masked, because many people read merchants' keys and logs), and the anomalies, which the operator
 * should review.
 */
export function statusContent(intent: Intent) {
  const { kind, description, debitAccount } = intent.terms;
  const phone = kind === 'express' ? (intent.attempts[0]?.phone ?? null) : null;
  const anomalies = intent.anomalies.map((anomaly) => ({
    type: anomaly.kind,
    transactionId:
      intent.attempts.find((attempt) => attempt.id === anomaly.attemptId)?.reference ?? null,
    refundUniqueId: anomaly.refundId ?? null,
    excessMinor: anomaly.excessMinor ?? null,
    reviewedAt: anomaly.reviewedAtMs == null ? null : isoTime(anomaly.reviewedAtMs),
    createdAt: isoTime(anomaly.atMs),
    receipt: anomaly.receipt ?? null,
  }));
  const refundedMinor = refundedOf(intent).amountMinor;
  const heldUntilMs = restoredHoldEndsAtMs(intent) ?? expiryHeldUntilMs(intent);
  return {
    ...termsPayload(intent),
    ...statePayload(intent),
    description,
    debitAccount,
    phoneNumber: phone === null ? null : maskedPhone(phone),
    anomalies,
    refundedAmount: refundedMinor,
    refunds: intent.refunds.map((refund) => refundPayload(intent, refund)),
    /** What each beneficiary gets after the refunds, in the order of checkoutBeneficiaries. */
    netShareAmounts: netSharesMinor(intent),
    expiryHeldUntil: heldUntilMs === null ? null : isoTime(heldUntilMs),
    ...addedPayload(intent),
  };
}

/** The `body` of an event: compact JSON text, the bytes that the RSA signature covers. */
export function eventBody(
  intent: Intent,
  event: EventType,
  refund: Refund | null,
  receiptPath: string,
): string {
  return JSON.stringify({
    ...termsPayload(intent),
    event: WIRE_EVENTS[event].event,
    ...statePayload(intent),
    ...(refund !== null && {
      refundedAmount: refundedOf(intent).amountMinor,
      refund: refundPayload(intent, refund),
    }),
    ...addedPayload(intent),
    receiptUrl: receiptUrl(intent, receiptPath),
  });
}

/** At the time of the event. A refund may end after the receipt. */
function receiptUrl(intent: Intent, receiptPath: string): string | null {
  return hasReceipt(intent, intent.updatedAtMs) ? `${intent.terms.baseUrl}${receiptPath}` : null;
}

function termsPayload(intent: Intent) {
  const { terms } = intent;
  const attempt = reportedAttempt(intent);
  // Always an integer, and never a commission that may not be owed.
  const commission = sharedCommission(terms, attempt) ?? 0;
  return {
    paymentIntentId: terms.number,
    uuid: terms.uuid,
    uniqueId: terms.uniqueId,
    paymentLinkUniqueId: terms.paymentLinkUniqueId,
    test: terms.environment === 'sandbox',
    callbackUrl: terms.callbackUrl,
    returnUrl: terms.returnUrl,
    commissionPaidByCustomer: terms.commissionPaidByCustomer,
    creationDate: isoTime(terms.createdAtMs),
    lastUpdateDate: isoTime(intent.updatedAtMs),
    expireDate: isoTime(terms.expiresAtMs),
    totalAmount: terms.amountMinor,
    commission,
    chargedAmount: terms.amountMinor + (terms.commissionPaidByCustomer ? commission : 0),
    currency: terms.currency,
    checkoutBeneficiaries: terms.splits.map(beneficiaryPayload),
    productItems: terms.items.map((item) => ({
      name: item.name,
      description: item.description,
      image: item.image,
      quantity: item.quantity,
      type: item.type,
      price: item.priceMinor,
    })),
    transaction: attempt === null ? null : transactionPayload(intent, attempt),
    merchantCustomer:
      terms.customer === null
        ? null
        : {
            name: terms.customer.name,
            email: terms.customer.email,
            phone: terms.customer.phone,
            isPhoneUpdatable: terms.customer.isPhoneUpdatable,
          },
    paymentMethodTypes: terms.methods.map((entry) => entry.method),
  };
}

function statePayload(intent: Intent) {
  return {
    status: wireStatus(intent.status),
    previousStatus: intent.previousStatus === null ? null : wireStatus(intent.previousStatus),
    sequence: intent.version,
    late: intent.late,
    reason: intent.failureReason,
    metadata: intent.terms.metadata,
  };
}

/**
 * Keys that were added to the published ones, so they are the last. `merchantId` and `environment`
 * say whose payment it is: one RSA key signs for all merchants of an environment, and a merchant may
 * name any server as callbackUrl. A receiver that did not compare them would take another
 * merchant's payment for its own.
 */
function addedPayload(intent: Intent) {
  const atMs = paidAtMs(intent);
  const { merchantId, environment } = intent.terms;
  return { paidAt: atMs === null ? null : isoTime(atMs), merchantId, environment };
}

function beneficiaryPayload(split: Split) {
  const isPercentage = split.type === 'percentage';
  return {
    bank: split.bank,
    creditAccount: split.creditAccount,
    splitType: isPercentage ? 'PERCENTAGE' : 'NUMBER',
    /** A NUMBER is in minor units. A PERCENTAGE is the percentage itself, such as 12.5. */
    amount: isPercentage ? split.value / 100 : split.value,
    shareAmount: split.shareMinor,
  };
}

function transactionPayload(intent: Intent, attempt: Attempt) {
  return {
    id: attempt.id,
    transactionId: attempt.reference,
    paymentType: attempt.method,
    transactionStatus: wireTransactionStatus(intent, attempt),
    createdAt: isoTime(attempt.startedAtMs),
    updatedAt: isoTime(attempt.updatedAtMs),
    failureReason: attempt.failureReason,
    receipt: attempt.receipt,
    providerReference: idWithoutPhone(
      attempt.railReference,
      attempt.phone ?? intent.terms.customer?.phone ?? null,
    ),
  };
}

/**
 * An unresolved attempt is PROCESSING while the intent waits for it, and EXPIRED once the intent
 * has ended. It is never FAILED: the gateway has no proof that the attempt failed.
 */
function wireTransactionStatus(intent: Intent, attempt: Attempt) {
  if (attempt.status !== 'unresolved') {
    return WIRE_TRANSACTION_STATUSES[attempt.status];
  }
  return hasEnded(intent.status) ? 'EXPIRED' : 'PROCESSING';
}
