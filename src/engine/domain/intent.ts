import type { Attempt, FailureReason } from './attempt.ts';
import type { Refund, VoidRefundClaim } from './refund.ts';
import { RECEIPT_LIFETIME_MS } from './schedule.ts';
import type { IntentTerms } from './terms.ts';

/**
 * `open` → `processing` → `succeeded` | `failed` | back to `open`; `open` → `expired`, `canceled`.
 */
export type IntentStatus = 'open' | 'processing' | 'succeeded' | 'failed' | 'expired' | 'canceled';

/**
 * An event that an operator must review. It never changes a status that the merchant has received.
 */
export interface Anomaly {
  readonly kind:
    | 'duplicate_payment'
    /** The payment's link had no place left when it was paid (docs/decisions.md#69). */
    | 'surplus_payment'
    /** The provider reports a paid attempt as paid again, with another receipt. */
    | 'second_receipt'
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
  /** Only a second receipt has it: that receipt. */
  readonly receipt?: string;
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
export function callbackUrlOf(terms: CallbackTerms, event: EventType): string | null {
  return terms.isCallbackIgnored || mayHaveNoReceiver(terms, event) ? null : terms.callbackUrl;
}

/** The payment's callbackUrl does not take the event: a merchant without endpoints misses nothing. */
export function mayHaveNoReceiver(
  { callbackUrl, refundEvents }: CallbackTerms,
  event: EventType,
): boolean {
  return callbackUrl !== null && isRefundEvent(event) && !refundEvents;
}

type CallbackTerms = Pick<IntentTerms, 'callbackUrl' | 'isCallbackIgnored' | 'refundEvents'>;

/** The attempt in flight, or null. An intent has at most one. */
export function attemptInFlight(intent: Intent): Attempt | null {
  if (intent.status !== 'processing') {
    return null;
  }
  return intent.attempts.at(-1) ?? null;
}

/** The attempt that merchants and customers see: the one that paid, else the latest. */
export function reportedAttempt(intent: Intent): Attempt | null {
  return paidAttempt(intent) ?? intent.attempts.at(-1) ?? null;
}

function paidAttempt({ attempts, paidAttemptId }: Intent): Attempt | null {
  return attempts.find(({ id }) => id === paidAttemptId) ?? null;
}

/** When Kefel stored that the payment is paid; null before that. Later than the end if paid late. */
export function paidAtMs(intent: Intent): number | null {
  return paidAttempt(intent)?.updatedAtMs ?? null;
}

/** Whether the customer can open the receipt (docs/decisions.md#45). */
export function hasReceipt(intent: Intent, nowMs: number): boolean {
  const atMs = paidAtMs(intent);
  return intent.status === 'succeeded' && atMs !== null && nowMs < atMs + RECEIPT_LIFETIME_MS;
}
