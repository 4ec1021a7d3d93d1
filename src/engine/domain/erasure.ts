import { hasEnded } from './intent.ts';
import { hasRefundEnded } from './refund.ts';
import { isTooOldToRefund, refundableUntilMs } from './refund-time.ts';
import { isHeld, type KeptPayment } from './retention.ts';
import { CHECKS_STOP_AFTER_MS } from './schedule.ts';
import { isPending } from './time.ts';

/** When a customer's request may end a payment's retention early (docs/decisions.md#51). */

/** Why a payment is not erased yet. */
export const KEPT_REASONS = [
  'legal_hold',
  /** An operator has not looked at its money yet, or has not handled a provider's report. */
  'needs_attention',
  /** The customer can still pay it. */
  'open',
  /** The provider has not said whether the customer paid. */
  'attempt_pending',
  /** The provider has not said whether the customer got the money back. */
  'refund_open',
  /** The merchant may still refund it by the API. */
  'refundable',
  /** A provider may still report money that arrived late, and would find no payment. */
  'late_report',
  /** The merchant's server has not received all events, or its book the last change. */
  'event_pending',
] as const;

export type KeptReason = (typeof KEPT_REASONS)[number];

export interface Kept {
  readonly reason: KeptReason;
  /** Null: until a person or a provider acts. */
  readonly untilMs: number | null;
}

export interface ErasureTerms {
  /** The merchant's limit for the age of refunds; null: the merchant refunds it no more. */
  readonly refundAgeDaysMax: number | null;
  readonly nowMs: number;
}

/** Why a payment must not be erased on its customer's request now; null: it may be. */
export function keptFromErasure(payment: KeptPayment, terms: ErasureTerms): Kept | null {
  const { intent, hold, isSending } = payment;
  const { refundAgeDaysMax, nowMs } = terms;
  if (isHeld(hold, nowMs)) {
    return { reason: 'legal_hold', untilMs: hold?.untilMs ?? null };
  }
  if (intent.anomalies.some(({ reviewedAtMs }) => reviewedAtMs === null)) {
    return { reason: 'needs_attention', untilMs: null };
  }
  if (!hasEnded(intent.status)) {
    return { reason: 'open', untilMs: intent.terms.expiresAtMs };
  }
  if (intent.attempts.some(isPending)) {
    return { reason: 'attempt_pending', untilMs: null };
  }
  if (!intent.refunds.every(hasRefundEnded)) {
    return { reason: 'refund_open', untilMs: null };
  }
  // Without an attempt, no money can have moved.
  if (intent.attempts.length > 0) {
    const paid = intent.attempts.filter(({ status }) => status === 'succeeded');
    const paidAtMs = Math.max(...paid.map(({ updatedAtMs }) => updatedAtMs));
    if (refundAgeDaysMax !== null && !isTooOldToRefund(paidAtMs, refundAgeDaysMax, nowMs)) {
      return { reason: 'refundable', untilMs: refundableUntilMs(paidAtMs, refundAgeDaysMax) };
    }
    const reportsEndAtMs = intent.updatedAtMs + CHECKS_STOP_AFTER_MS;
    if (reportsEndAtMs > nowMs) {
      return { reason: 'late_report', untilMs: reportsEndAtMs };
    }
  }
  return isSending ? { reason: 'event_pending', untilMs: null } : null;
}
