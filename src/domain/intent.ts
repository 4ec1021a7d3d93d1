import type { Branding, Business } from './merchant.ts';
import type { Currency, Environment, Method } from './method.ts';
import type { OperatorNote, Proposal } from './operator-name.ts';
import type { Refund, RefundCommand, RefundRejection, VoidRefundClaim } from './refund.ts';

/** The owner of a payment. Every lookup needs both fields (docs/promises.md#8). */
export interface Tenant {
  readonly environment: Environment;
  readonly merchantId: string;
}

/**
 * A hosted intent stays payable after a failed attempt until it has this many attempts
 * (docs/decisions.md#30).
 */
export const ATTEMPTS_MAX = 10;

export type IntentKind = 'hosted' | 'express';

/**
 * `open` → `processing` → `succeeded` | `failed` | back to `open`; `open` → `expired`, `canceled`.
 */
export type IntentStatus = 'open' | 'processing' | 'succeeded' | 'failed' | 'expired' | 'canceled';

export interface LineItem {
  readonly name: string;
  readonly description: string | null;
  readonly image: string | null;
  readonly quantity: number;
  readonly type: 'SERVICE' | 'DIGITAL_PRODUCT' | 'PHYSICAL_PRODUCT';
  readonly priceMinor: number;
}

/** Whether an item's price is for one unit or for the whole line (docs/decisions.md#4). */
export type ItemPriceBasis = 'unit' | 'line';

export interface Split {
  readonly bank: string;
  readonly creditAccount: string;
  /** The unit of `value`: hundredths of a percent, or minor units. */
  readonly type: 'percentage' | 'number';
  readonly value: number;
  /** The beneficiary's share, rounded down (docs/decisions.md#14). */
  readonly shareMinor: number;
}

export interface Customer {
  readonly name: string | null;
  readonly email: string | null;
  /** Hosted: 9 digits as given; express: 251XXXXXXXXX. */
  readonly phone: string | null;
  readonly isPhoneUpdatable: boolean | null;
}

export interface MethodTerms {
  readonly method: Method;
  readonly commissionMinor: number;
}

/** The merchant's own notes on a payment, by key. Kefel reads none of them in production. */
export type Metadata = Readonly<Record<string, string>>;

/** How a sandbox express payment is simulated. */
export type Simulation = 'interactive' | 'succeed' | 'fail';

/** The terms that the merchant requested. They never change after creation (docs/promises.md#7). */
export interface IntentTerms extends Tenant {
  readonly merchantName: string;
  /** Unique among all merchants. */
  readonly merchantNumber: number;
  /** Copied at creation, so that an open page does not change its look. Null: none. */
  readonly branding: Branding | null;
  /** Copied at creation, so that a receipt names who sold at that time. Null: nothing is set. */
  readonly business: Business | null;
  readonly uniqueId: string;
  readonly uuid: string;
  /** The integer id: random, 1 … 2^53 − 1. */
  readonly number: number;
  /** The volume of the merchant's book that lists the payment. */
  readonly bookVolume: number;
  readonly kind: IntentKind;
  readonly paymentLinkUniqueId: string | null;
  /** The amount excludes the commission. */
  readonly amountMinor: number;
  readonly currency: Currency;
  readonly methods: readonly MethodTerms[];
  readonly items: readonly LineItem[];
  readonly itemPriceBasis: ItemPriceBasis;
  readonly splits: readonly Split[];
  readonly commissionPaidByCustomer: boolean;
  readonly customer: Customer | null;
  readonly description: string | null;
  readonly debitAccount: string | null;
  readonly returnUrl: string | null;
  readonly callbackUrl: string | null;
  /** Whether events of refunds go to the callbackUrl too (docs/decisions.md#17). */
  readonly refundEvents: boolean;
  readonly simulation: Simulation | null;
  readonly metadata: Metadata;
  /** Origin of the customer's pages, stored so that links survive a change of the host name. */
  readonly baseUrl: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
}

/**
 * `unresolved`: the rail's window closed, or the customer abandoned the attempt, without proof of
 * success or failure. Reconciliation continues (docs/decisions.md#31).
 * `expired`: the window closed, and the rail certainly accepts no payment after it.
 */
export type AttemptStatus = 'processing' | 'unresolved' | 'succeeded' | 'failed' | 'expired';

/** Whether the customer pays on the provider's page or confirms a prompt on the phone. */
export type AttemptFlow = 'redirect' | 'push';

/** Why an attempt or intent failed: one small set for the API, webhooks, page and logs. */
export const FAILURE_REASONS = [
  /** The provider or the bank declined without a reason. */
  'declined',
  'insufficient_funds',
  /** The customer canceled at the provider. */
  'canceled_by_customer',
  'wrong_pin',
  /** The customer abandoned the payment, or changed to another method. */
  'abandoned',
  /** The rail's own window closed, and the customer certainly paid nothing. */
  'timed_out',
  /** The provider is down or unreachable, and certainly received no payment. */
  'rail_unavailable',
  /** The provider rejects the gateway: the operator's credentials or settings are wrong. */
  'misconfigured',
] as const;

export type FailureReason = (typeof FAILURE_REASONS)[number];

/** The adapter's plan for an attempt, made before it starts. */
export interface AttemptPlan {
  readonly flow: AttemptFlow;
  /** When the rail's own window closes. */
  readonly deadlineAtMs: number;
  /** True when the rail certainly accepts no payment after the deadline. */
  readonly windowIsFinal: boolean;
  /** When to query the provider if it has not reported; null when it offers no query. */
  readonly checkAtMs: number | null;
}

export interface Attempt extends AttemptPlan {
  /** The id of the adapter that started it: settings may change during the attempt. */
  readonly railId: string;
  /**
   * Whether a consumer has claimed the start, on a rail that a queue consumer calls once. No
   * consumer releases its claim, because a call without an answer may have charged the customer.
   */
  readonly startClaim: 'not_needed' | 'free' | 'taken';
  /** The consumer's claim; null when not claimed. */
  readonly startClaimId: string | null;
  /** UUID, also the idempotency key towards the rail. */
  readonly id: string;
  /** The order id that the provider sees, also the merchant's `transactionId`: `[A-Z0-9]{20}`. */
  readonly reference: string;
  readonly method: Method;
  readonly phone: string | null;
  readonly status: AttemptStatus;
  /** The provider's page for the customer; null until the provider answers, and for push. */
  readonly redirectUrl: string | null;
  /** The provider's own id of the attempt: a session, order or request id. */
  readonly railReference: string | null;
  /** The latest code or state that the provider reported; null before the first one. */
  readonly providerCode: string | null;
  /** The provider's proof that money moved. Its calls about the payment take this id. */
  readonly receipt: string | null;
  /** The id that the customer's wallet or bank gave the payment, where it has one of its own. */
  readonly issuerReceipt: string | null;
  /**
   * Whether the provider itself reported the success. An attempt that only an operator resolved as
   * paid becomes proved when the provider names its receipt, too.
   */
  readonly isProved: boolean;
  readonly failureReason: FailureReason | null;
  /** The operator's finding "paid" that awaits a second operator; null without one. */
  readonly proposal: PaidProposal | null;
  /** The id of the operator's manual resolution; null without one. */
  readonly manualResolutionId: string | null;
  /** Provider queries so far; decides the back-off. */
  readonly checks: number;
  /** When the provider last answered a query inconclusively; null before that. */
  readonly queriedAtMs: number | null;
  readonly startedAtMs: number;
  readonly updatedAtMs: number;
}

/** One operator's finding that an attempt was paid, until another operator confirms it. */
export interface PaidProposal extends Proposal {
  readonly receipt: string;
}

/**
 * An event that an operator must review. It never changes a status that the merchant has received.
 */
export interface Anomaly {
  readonly kind:
    | 'duplicate_payment'
    | 'contradicting_failure'
    | 'refused_callback'
    /** A provider contradicts the outcome of a refund. */
    | 'contradicting_refund'
    /** With this refund, more was returned than the customer paid. */
    | 'excess_refund'
    /** Another payment or attempt has the same receipt, or the provider names another receipt. */
    | 'receipt_conflict'
    /** A backup brought the payment back as it was then, unfinished. */
    | 'restored';
  /** Null: the anomaly is about the payment. */
  readonly attemptId: string | null;
  /** Only a restored payment has it: when the backup was made. */
  readonly backedUpAtMs?: number;
  /** Only the two anomalies about refunds have it. */
  readonly refundId?: string;
  /** Only an excess refund has it: how much more was returned than paid, in minor units. */
  readonly excessMinor?: number;
  /** Excess refunds and restored payments have it: when an operator reviewed it; null before. */
  readonly reviewedAtMs?: number | null;
  /**
   * Only a conflict with another payment has it. The payment may be another merchant's, so only the
   * operator sees it.
   */
  readonly other?: OtherPayment;
  /** Only a conflict with the provider has it: the receipt that an operator recorded before. */
  readonly replacedReceipt?: string;
  readonly atMs: number;
}

/** Another payment of the same environment. */
export interface OtherPayment {
  readonly merchantId: string;
  readonly uniqueId: string;
}

export interface Intent {
  readonly terms: IntentTerms;
  readonly status: IntentStatus;
  readonly previousStatus: IntentStatus | null;
  readonly failureReason: FailureReason | null;
  /** Increases by one with every visible change. Orders events, projected rows and snapshots. */
  readonly version: number;
  /**
   * True when proof of success came after the intent had ended with another status, or when the
   * provider dates the payment after the expiry (docs/decisions.md#1).
   */
  readonly late: boolean;
  readonly attempts: readonly Attempt[];
  /** The attempt that events report as paid. A second payment never replaces it. */
  readonly paidAttemptId: string | null;
  readonly anomalies: readonly Anomaly[];
  /** The oldest refund is first. Kefel never removes one. */
  readonly refunds: readonly Refund[];
  /** Absent on nearly every payment: only a request that died leaves a claim to void. */
  readonly voidRefundClaims?: readonly VoidRefundClaim[];
  readonly updatedAtMs: number;
  /** When a final status was first reached, or null. */
  readonly endedAtMs: number | null;
}

export type PaymentEventType = 'payment_succeeded' | 'payment_failed' | 'payment_expired';

const REFUND_EVENT_TYPES = ['refund_requires_action', 'refund_succeeded', 'refund_failed'] as const;

export type RefundEventType = (typeof REFUND_EVENT_TYPES)[number];

export type EventType = PaymentEventType | RefundEventType;

/** An attempt to start, as its rail plans it. */
export type NewAttempt = AttemptPlan &
  Pick<Attempt, 'id' | 'reference' | 'method' | 'phone' | 'railId' | 'startClaim'>;

export type Command =
  | RefundCommand
  | {
      readonly type: 'start_attempt';
      readonly attempt: NewAttempt;
      /** The number of attempts when the customer's page was rendered; another number rejects. */
      readonly expectedAttempts?: number;
    }
  /**
   * The caller whose claim succeeds makes the single provider call that starts the attempt.
   * `claimId` identifies the caller, who may repeat the command. `deadlineAtMs` is the end of the
   * rail's window, which begins with the claim. `checkAtMs`: when to query the provider if that
   * caller dies; absent for a provider without a status query.
   */
  | {
      readonly type: 'claim_start';
      readonly attemptId: string;
      readonly claimId: string;
      readonly deadlineAtMs: number;
      readonly checkAtMs?: number;
    }
  /** The provider sent the customer back. It knows the outcome by now, so it is queried at once. */
  | { readonly type: 'customer_returned' }
  /** A callback at this attempt's URL was refused. */
  | { readonly type: 'report_callback'; readonly attemptId: string }
  /** The provider accepted the attempt, and returned its page and its own id. */
  | {
      readonly type: 'accept_attempt';
      readonly attemptId: string;
      readonly redirectUrl: string | null;
      readonly railReference: string | null;
      readonly providerCode?: string | null;
    }
  | {
      readonly type: 'resolve_attempt';
      readonly attemptId: string;
      readonly outcome: Outcome;
      /**
       * When the query that this answers was due. If another one was scheduled meanwhile, an
       * inconclusive answer does not delay that one.
       */
      readonly answersCheckAtMs?: number | null;
      /**
       * The command is rejected once the attempt has an outcome. Only our own simulator sets it.
       */
      readonly onlyPending?: boolean;
    }
  /**
   * The operator records the provider's information. `resolutionId` identifies one decision, whose
   * command may be repeated.
   */
  | (OperatorNote & {
      readonly type: 'resolve_manually';
      readonly attemptId: string;
      readonly resolutionId: string;
      readonly outcome: ManualOutcome;
      /** Above this sum, in minor units, two operators must agree (`paidNeedsSecondOperator`). */
      readonly secondOperatorAboveMinor: number | null;
      /** When to ask the provider to confirm a success; null: it offers no status query. */
      readonly checkAtMs: number | null;
    })
  /** The book found another payment with the receipt of this attempt. */
  | {
      readonly type: 'report_receipt_conflict';
      readonly attemptId: string;
      readonly other: OtherPayment;
    }
  /** The customer leaves a redirect attempt unpaid; another attempt may start. */
  | { readonly type: 'abandon_attempt'; readonly attemptId: string }
  /**
   * An operator has seen the first `count` anomalies. Excess refunds among them no longer block
   * further refunds, and a restored payment is no longer held.
   */
  | (OperatorNote & { readonly type: 'review_anomalies'; readonly count: number })
  | { readonly type: 'cancel' }
  | { readonly type: 'abandon_payment' }
  | { readonly type: 'tick' };

/** `providerCode`: the provider's own code or state, stored if `printableCode` accepts it. */
export type Outcome = (
  | {
      readonly type: 'succeeded';
      readonly receipt: string | null;
      readonly issuerReceipt?: string | null;
      /** When the customer paid, by the provider's own date; absent where it gives none. */
      readonly paidAtMs?: number | null;
    }
  | { readonly type: 'failed'; readonly reason: FailureReason }
  /** An inconclusive query. `checkAtMs`: when to query again. */
  | { readonly type: 'unknown'; readonly checkAtMs: number | null }
) & { readonly providerCode?: string | null };

/** The outcomes of a manual resolution: never `unknown`, which the attempt already is. */
export type ManualOutcome =
  | { readonly type: 'succeeded'; readonly receipt: string }
  | { readonly type: 'failed'; readonly reason: FailureReason };

export type Rejection =
  | RefundRejection
  | 'not_open'
  | 'attempt_in_flight'
  /** The page was rendered before the latest attempt: the customer sent its form twice. */
  | 'stale_form'
  | 'attempt_not_found'
  | 'attempt_not_in_flight'
  | 'attempt_not_pending'
  /** The rail may still accept the payment, so a failure cannot be certain. */
  | 'window_open'
  /** The window has passed, but the last provider query may still prove a payment. */
  | 'query_due'
  /** A name, note or receipt that is empty, too long or not printable. */
  | 'malformed_resolution'
  /** Another attempt of the payment was paid by this receipt. */
  | 'receipt_used'
  | 'start_not_claimable'
  | 'method_not_allowed'
  | 'not_abandonable';

/** These statuses are final for the merchant. Only a late success may follow. */
export const ENDED_STATUSES: readonly IntentStatus[] = [
  'succeeded',
  'failed',
  'expired',
  'canceled',
];

export function hasEnded(status: IntentStatus): boolean {
  return ENDED_STATUSES.includes(status);
}

export function isRefundEvent(type: EventType): type is RefundEventType {
  const ofRefunds: readonly EventType[] = REFUND_EVENT_TYPES;
  return ofRefunds.includes(type);
}

/** The payment's own address for an event; null: the merchant's endpoints (docs/decisions.md#19). */
export function callbackUrlOf(
  { callbackUrl, refundEvents }: Pick<IntentTerms, 'callbackUrl' | 'refundEvents'>,
  event: EventType,
): string | null {
  return isRefundEvent(event) && !refundEvents ? null : callbackUrl;
}

/** The attempt in flight, or null. An intent has at most one. */
export function attemptInFlight(intent: Intent): Attempt | null {
  if (intent.status !== 'processing') {
    return null;
  }
  return intent.attempts.at(-1) ?? null;
}

/** The attempt that merchants and customers see: the one that paid, else the latest. */
export function reportedAttempt(intent: Intent): Attempt | null {
  const paid = intent.attempts.find((attempt) => attempt.id === intent.paidAttemptId);
  return paid ?? intent.attempts.at(-1) ?? null;
}

/** The commission of a method under these terms, in minor units. */
export function commissionOf(terms: IntentTerms, method: Method): number {
  return terms.methods.find((entry) => entry.method === method)?.commissionMinor ?? 0;
}

/** That of the attempt's method. Without an attempt, the one of all methods; null if they differ. */
export function sharedCommission(terms: IntentTerms, attempt: Attempt | null): number | null {
  if (attempt !== null) {
    return commissionOf(terms, attempt.method);
  }
  const [first = 0, ...others] = terms.methods.map((entry) => entry.commissionMinor);
  return others.every((other) => other === first) ? first : null;
}

/** What the customer pays by this method, including the commission if the customer bears it. */
export function chargedMinor(terms: IntentTerms, method: Method): number {
  return terms.amountMinor + (terms.commissionPaidByCustomer ? commissionOf(terms, method) : 0);
}
