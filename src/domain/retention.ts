import { hasEnded, type Intent } from './intent.ts';
import { hasRefundEnded } from './refund.ts';
import { CHECKS_STOP_AFTER_MS, DAY_MS } from './schedule.ts';
import { isPending } from './time.ts';

/** When a payment's personal data may be deleted (docs/retention.md). */

/** An operator's order to keep a payment: neither retention nor erasure deletes it. */
export interface LegalHold {
  /** Without phone numbers. */
  readonly reason: string;
  readonly operator: string;
  readonly heldAtMs: number;
  /** Null: until an operator releases it. A release sets it to the time of the release. */
  readonly untilMs: number | null;
  /** Orders a hold and its release. */
  readonly changedAtMs: number;
}

/** The longest reason of a hold. */
export const HOLD_REASON_LENGTH_MAX = 500;

export function isHeld(hold: Pick<LegalHold, 'untilMs'> | null, nowMs: number): boolean {
  return hold !== null && (hold.untilMs === null || hold.untilMs > nowMs);
}

/** What decides how long a payment is kept. */
export interface KeptPayment {
  readonly intent: Intent;
  /** Null when no operator ever held the payment. */
  readonly hold: LegalHold | null;
  /** An event or a message to the book still waits to be delivered. */
  readonly isSending: boolean;
}

/** The end of retention. Null before the payment has ended, while anything waits, or while held. */
export function retentionEndsAtMs(
  { intent, hold, isSending }: KeptPayment,
  retentionMs: number,
): number | null {
  const isOver = hasEnded(intent.status) && intent.refunds.every(hasRefundEnded);
  if (!isOver || isSending || hold?.untilMs === null) {
    return null;
  }
  return Math.max(intent.updatedAtMs + retentionMs, hold?.untilMs ?? 0);
}

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
    const refundableUntilMs =
      Math.max(...paid.map(({ updatedAtMs }) => updatedAtMs)) + (refundAgeDaysMax ?? 0) * DAY_MS;
    if (refundAgeDaysMax !== null && refundableUntilMs >= nowMs) {
      return { reason: 'refundable', untilMs: refundableUntilMs };
    }
    const reportsEndAtMs = intent.updatedAtMs + CHECKS_STOP_AFTER_MS;
    if (reportsEndAtMs > nowMs) {
      return { reason: 'late_report', untilMs: reportsEndAtMs };
    }
  }
  return isSending ? { reason: 'event_pending', untilMs: null } : null;
}
