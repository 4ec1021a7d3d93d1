import { hasEnded, type Intent } from './intent.ts';
import { DAY_MS } from './schedule.ts';

/** A payment that a backup brought back waits for an operator's review (docs/decisions.md#49). */

/**
 * How long a restored payment waits for an operator's review before time may end it: a provider's
 * statement of the last day, with a weekend and a holiday in between.
 */
export const RESTORED_HOLD_MS = 7 * DAY_MS;

/** Until when time does not end a restored payment that no operator has reviewed; null: it may. */
export function restoredHoldEndsAtMs({ anomalies, status }: Intent): number | null {
  const mark = anomalies.findLast(({ kind }) => kind === 'restored');
  const isHeld = mark?.reviewedAtMs === null && !hasEnded(status);
  return isHeld ? mark.atMs + RESTORED_HOLD_MS : null;
}

/** When the payment expires if nothing is in flight. */
export function expiryAtMs(intent: Intent): number {
  return Math.max(intent.terms.expiresAtMs, restoredHoldEndsAtMs(intent) ?? 0);
}

/** A held payment counts as having an attempt in flight: the customer may have paid it. */
export function isHeld(intent: Intent, nowMs: number): boolean {
  return nowMs < (restoredHoldEndsAtMs(intent) ?? 0);
}
