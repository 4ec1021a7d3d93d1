import { hasEnded, type Intent } from './intent.ts';
import { hasRefundEnded } from './refund.ts';

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
