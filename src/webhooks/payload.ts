import {
  type Attempt,
  type AttemptStatus,
  commissionOf,
  type EventType,
  hasEnded,
  type Intent,
  type IntentStatus,
  reportedAttempt,
  type Split,
} from '../domain/intent.ts';

/**
 * The payment as merchants see it, in events and in the status call (docs/decisions.md#17). The
 * order of the fields is the order of the keys below and part of the contract; nulls are kept;
 * every money field is an integer in minor units; times are ISO 8601 in UTC with milliseconds.
 */

const STATUS_WORDS = {
  open: 'OPEN',
  processing: 'PROCESSING',
  succeeded: 'SUCCESS',
  failed: 'FAILED',
  expired: 'EXPIRED',
  canceled: 'CANCELED',
} as const satisfies Record<IntentStatus, string>;

/** What an event and the status that it announces are called on the wire. */
export const EVENT_WORDS = {
  payment_succeeded: { event: 'PAYMENT_SUCCESS', status: 'SUCCESS' },
  payment_failed: { event: 'PAYMENT_FAILED', status: 'FAILED' },
  payment_expired: { event: 'PAYMENT_EXPIRED', status: 'EXPIRED' },
} as const satisfies Record<EventType, { event: string; status: string }>;

const TRANSACTION_STATUS_WORDS = {
  processing: 'PROCESSING',
  succeeded: 'SUCCESS',
  failed: 'FAILED',
  expired: 'EXPIRED',
} as const satisfies Record<Exclude<AttemptStatus, 'unresolved'>, string>;

type StatusWord = (typeof STATUS_WORDS)[IntentStatus];
type TransactionStatusWord =
  (typeof TRANSACTION_STATUS_WORDS)[keyof typeof TRANSACTION_STATUS_WORDS];

/** The wire word of a status: also for returnUrl and lists. */
export function statusWord(status: IntentStatus): StatusWord {
  return STATUS_WORDS[status];
}

/** The payment without an event: what the status call shows. */
export function paymentPayload(intent: Intent) {
  return { ...termsPayload(intent), ...statePayload(intent) };
}

/** The answer of the status call: the payment and, last, what a human should look at. */
export function statusContent(intent: Intent) {
  const anomalies = intent.anomalies.map((anomaly) => ({
    kind: anomaly.kind,
    transactionId:
      intent.attempts.find((attempt) => attempt.id === anomaly.attemptId)?.reference ?? null,
    at: isoTime(anomaly.atMs),
  }));
  return { ...paymentPayload(intent), anomalies };
}

/** The `body` of an event: compact JSON text, the bytes that the RSA signature covers. */
export function eventBody(intent: Intent, event: EventType): string {
  return JSON.stringify({
    ...termsPayload(intent),
    event: EVENT_WORDS[event].event,
    ...statePayload(intent),
  });
}

function termsPayload(intent: Intent) {
  const { terms } = intent;
  const commission = reportedCommissionMinor(intent);
  const attempt = reportedAttempt(intent);
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
    status: statusWord(intent.status),
    previousStatus: intent.previousStatus === null ? null : statusWord(intent.previousStatus),
    sequence: intent.version,
    late: intent.late,
    reason: intent.failureReason,
  };
}

/**
 * The commission of the reported attempt's method. Before any attempt it is only certain when all
 * allowed methods carry the same one; otherwise it is 0 until the customer has chosen, because the
 * field is always an integer and a commission that nobody owes must not be shown.
 */
function reportedCommissionMinor(intent: Intent): number {
  const attempt = reportedAttempt(intent);
  if (attempt !== null) {
    return commissionOf(intent.terms, attempt.method);
  }
  const [first, ...others] = intent.terms.methods.map((entry) => entry.commissionMinor);
  return first !== undefined && others.every((other) => other === first) ? first : 0;
}

function beneficiaryPayload(split: Split) {
  const isPercentage = split.type === 'percentage';
  return {
    bank: split.bank,
    creditAccount: split.creditAccount,
    splitType: isPercentage ? 'PERCENTAGE' : 'NUMBER',
    /** Minor units of a NUMBER; of a PERCENTAGE the percentage itself, such as 12.5: no money. */
    amount: isPercentage ? split.value / 100 : split.value,
    shareAmount: split.shareMinor,
  };
}

function transactionPayload(intent: Intent, attempt: Attempt) {
  return {
    id: attempt.id,
    transactionId: attempt.reference,
    paymentType: attempt.method,
    transactionStatus: transactionStatusWord(intent, attempt),
    createdAt: isoTime(attempt.startedAtMs),
    updatedAt: isoTime(attempt.updatedAtMs),
    failureReason: attempt.failureReason,
  };
}

/**
 * An unresolved attempt is under way as long as the intent waits for it. Once the intent has ended
 * it is over as far as the merchant was told; never FAILED, which would be a proof we do not have.
 */
function transactionStatusWord(intent: Intent, attempt: Attempt): TransactionStatusWord {
  if (attempt.status !== 'unresolved') {
    return TRANSACTION_STATUS_WORDS[attempt.status];
  }
  return hasEnded(intent.status) ? 'EXPIRED' : 'PROCESSING';
}

function isoTime(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
