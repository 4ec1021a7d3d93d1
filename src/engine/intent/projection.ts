import { hasEnded, type Intent } from '../domain/intent.ts';
import { isSameReceipt, receiptsOf } from '../domain/receipt.ts';
import { OPEN_PROJECTION_AGAIN_MS } from '../domain/schedule.ts';
import { isSearchable } from '../domain/search-key.ts';
import { shownDelivery } from './book-message.ts';
import type { StoredDelivery, StoredEvent } from './store.ts';

/**
 * When the book gets a new view of a payment, derived from its state and its events. One
 * `projectedVersion` always has the same view, except for the ids to search for, which may grow
 * within a version, and for the only endpoint of an event that has just been chosen.
 */

/** Orders a payment's projections. Transitions and deliveries both increase it. */
export function projectedVersion(intent: Intent, events: readonly StoredEvent[]): number {
  const revisions = events.flatMap(({ deliveries }) => deliveries.map(({ revision }) => revision));
  return revisions.reduce((version, revision) => version + revision, intent.version);
}

/**
 * Whether readers must see every change at once: the end, and what an operator must look at. The
 * message of a failed attempt also gives its place at the payment's link back.
 */
export function isShownAtOnce(intent: Intent): boolean {
  const { countedLink } = intent.terms;
  return (
    hasEnded(intent.status) ||
    (countedLink !== undefined && intent.status === 'open' && intent.attempts.length > 0) ||
    intent.anomalies.length > 0 ||
    intent.attempts.some(({ status, proposal }) => status === 'unresolved' || proposal !== null)
  );
}

/**
 * Whether the book must confirm what is sent at `nowMs`. A payment that ends soon needs only
 * the confirmation of its end; one that stays open needs one too, because messages can be lost.
 */
export function needsConfirmation(intent: Intent, nowMs: number): boolean {
  return isShownAtOnce(intent) || nowMs >= confirmedFromMs(intent);
}

/** When a payment that has not ended is sent again, with a confirmation. */
export function confirmedFromMs({ terms }: Intent): number {
  return terms.createdAtMs + OPEN_PROJECTION_AGAIN_MS;
}

/**
 * Whether the book shows a difference between two states of a delivery. Ignores its endpoint, so
 * that the choice of the only one costs no message: the report of the try follows in seconds.
 */
export function projectionDiffers(one: StoredDelivery, other: StoredDelivery): boolean {
  return JSON.stringify(shownDelivery(one)) !== JSON.stringify(shownDelivery(other));
}

/** The receipts of the attempts that were paid. */
export function receiptsIn({ attempts }: Intent): string[] {
  return [...new Set(attempts.flatMap(receiptsOf))];
}

/** What the customer typed as numbers of messages, without what has become the payment's receipt. */
export function claimedIn(intent: Intent): string[] {
  const receipts = receiptsIn(intent);
  const claimed = intent.attempts.flatMap(({ claimedReceipts = [] }) => claimedReceipts);
  return claimed.filter((claim) => !receipts.some((receipt) => isSameReceipt(claim, receipt)));
}

/** The payment's ids that a person may search for, besides receipts and the columns of its row. */
export function searchedIds(intent: Intent): string[] {
  const ids = [
    intent.terms.paymentLinkUniqueId,
    ...intent.attempts.flatMap(({ reference, railReference }) => [reference, railReference]),
    ...intent.refunds.flatMap(({ id, reference, railReference }) => [id, reference, railReference]),
  ];
  const known = ids.filter((id) => id !== null);
  return [...new Set(known.filter(isSearchable))];
}
