import {
  type AttemptStatus,
  commissionOf,
  hasEnded,
  type Intent,
  reportedAttempt,
} from '../domain/intent.ts';
import { METHODS_WITH_SHARED_ADDRESS } from '../domain/method.ts';
import { phoneFrom } from '../domain/phone.ts';
import { receiptsOf } from '../domain/receipt.ts';
import { hasRefundEnded } from '../domain/refund.ts';
import { refundedOf } from '../domain/refund-amounts.ts';
import { OPEN_PROJECTION_AGAIN_MS } from '../domain/schedule.ts';
import { SEARCH_ID_LENGTH_MAX } from '../domain/search-key.ts';
import type {
  AttemptCount,
  PaymentDetails,
  ProjectedEvent,
  ProjectedRefund,
  ProjectionRow,
} from './protocol.ts';
import type { StoredDelivery, StoredEvent } from './store.ts';

/**
 * The read model's view of a payment, derived from its state and its events. One `projectedVersion`
 * always has the same view, except for the ids to search for, which may grow within a version, and
 * for the only endpoint of an event that has just been chosen.
 */

/** Orders a payment's projections. Transitions and deliveries both increase it. */
export function projectedVersion(intent: Intent, events: readonly StoredEvent[]): number {
  const revisions = events.flatMap(({ deliveries }) => deliveries.map(({ revision }) => revision));
  return revisions.reduce((version, revision) => version + revision, intent.version);
}

/**
 * Whether readers must see every change at once: the end, what an operator must look at, and an
 * attempt that its provider may report by its reference alone.
 */
export function isShownAtOnce(intent: Intent): boolean {
  return (
    hasEnded(intent.status) ||
    intent.anomalies.length > 0 ||
    intent.attempts.some(({ status, proposal }) => status === 'unresolved' || proposal !== null) ||
    sharedAddressReferences(intent).length > 0
  );
}

/**
 * Whether the read model must confirm what is sent at `nowMs`. A payment that ends soon needs only
 * the confirmation of its end; one that stays open needs one too, because messages can be lost.
 */
export function needsConfirmation(intent: Intent, nowMs: number): boolean {
  return isShownAtOnce(intent) || nowMs >= confirmedFromMs(intent);
}

/** When a payment that has not ended is sent again, with a confirmation. */
export function confirmedFromMs({ terms }: Intent): number {
  return terms.createdAtMs + OPEN_PROJECTION_AGAIN_MS;
}

export function projectionRow(intent: Intent): ProjectionRow {
  const { terms } = intent;
  const method = reportedAttempt(intent)?.method ?? null;
  return {
    environment: terms.environment,
    merchantId: terms.merchantId,
    uuid: terms.uuid,
    number: terms.number,
    uniqueId: terms.uniqueId,
    kind: terms.kind,
    status: intent.status,
    failureReason: intent.failureReason,
    late: intent.late,
    amountMinor: terms.amountMinor,
    commissionMinor: method === null ? 0 : commissionOf(terms, method),
    commissionPaidByCustomer: terms.commissionPaidByCustomer,
    currency: terms.currency,
    method,
    unresolvedAttempts: intent.attempts.filter(({ status }) => status === 'unresolved').length,
    anomalies: intent.anomalies.length,
    proposedAttempts: intent.attempts.filter(({ proposal }) => proposal !== null).length,
    createdAtMs: terms.createdAtMs,
    updatedAtMs: intent.updatedAtMs,
    endedAtMs: intent.endedAtMs,
    transactionId: reportedAttempt(intent)?.reference ?? null,
    refundedMinor: refundedOf(intent).amountMinor,
    openRefunds: intent.refunds.filter((refund) => !hasRefundEnded(refund)).length,
    attempts: attemptCounts(intent),
  };
}

export function projectedRefunds({ attempts, refunds }: Intent): ProjectedRefund[] {
  return refunds.flatMap((refund) => {
    const attempt = attempts.find(({ id }) => id === refund.attemptId);
    return attempt === undefined
      ? []
      : [
          {
            id: refund.id,
            status: refund.status,
            amountMinor: refund.amountMinor,
            commissionReturnedMinor: refund.commissionReturnedMinor,
            returnedMinor: refund.returnedMinor,
            reference: refund.reference,
            railReference: refund.railReference,
            failureReason: refund.failureReason,
            actionReason: refund.actionReason,
            late: refund.late,
            method: attempt.method,
            transactionId: attempt.reference,
            createdAtMs: refund.createdAtMs,
            updatedAtMs: refund.updatedAtMs,
          },
        ];
  });
}

/**
 * The attempts that have ended, by method, in the order of the first of each. The one that paid is
 * counted as the paid payment that it made.
 */
function attemptCounts({ attempts, paidAttemptId }: Intent): readonly AttemptCount[] {
  const ended = attempts.filter(({ id, status }) => HAS_ENDED[status] && id !== paidAttemptId);
  return [...new Set(ended.map(({ method }) => method))].map((method) => {
    const own = ended.filter((attempt) => attempt.method === method);
    const succeeded = own.filter(({ status }) => status === 'succeeded').length;
    return { method, ended: own.length, succeeded };
  });
}

const HAS_ENDED: Readonly<Record<AttemptStatus, boolean>> = {
  processing: false,
  unresolved: false,
  succeeded: true,
  failed: true,
  expired: true,
};

/** What a file of payments shows besides the row. Null when there is nothing. */
export function paymentDetails(intent: Intent): PaymentDetails | null {
  const { customer, description, metadata } = intent.terms;
  const attempt = reportedAttempt(intent);
  const phone = attempt?.phone ?? customer?.phone ?? null;
  const details = {
    providerReference: attempt?.railReference,
    receipt: attempt?.receipt,
    phone: phone === null ? null : phoneFrom(phone),
    customerName: customer?.name,
    customerEmail: customer?.email,
    description,
    metadata: Object.keys(metadata).length === 0 ? null : metadata,
  };
  const known = Object.entries(details).filter(([, value]) => value != null);
  return known.length === 0 ? null : Object.fromEntries(known);
}

export function projectedEvents(events: readonly StoredEvent[]): ProjectedEvent[] {
  return events.flatMap(({ eventId, sequence, type, createdAtMs, deliveries }) =>
    deliveries.map((delivery, position) => ({
      eventId,
      sequence,
      position,
      type,
      revision: delivery.revision,
      createdAtMs,
      endpointId: delivery.endpointId,
      destinationOrigin: delivery.origin,
      ...projectedDelivery(delivery),
    })),
  );
}

/**
 * Whether the read model shows a difference between two states of a delivery. Without its endpoint,
 * so that choosing the only one costs no message: the report of the try follows in seconds.
 */
export function projectionDiffers(one: StoredDelivery, other: StoredDelivery): boolean {
  return JSON.stringify(projectedDelivery(one)) !== JSON.stringify(projectedDelivery(other));
}

/** Without claims and leases, which change within seconds and interest no reader. */
function projectedDelivery({ deliveryStatus, dueAtMs, log }: StoredDelivery) {
  const last = log.at(-1);
  return {
    deliveryStatus: deliveryStatus === 'claimed' ? 'queued' : deliveryStatus,
    dueAtMs: deliveryStatus === 'waiting' ? dueAtMs : null,
    // All tries, as on the event's page. `delivery.tries` counts only those of the current schedule.
    tries: log.length,
    lastTryAtMs: last?.atMs ?? null,
    lastHttpStatus: last?.httpStatus ?? null,
    lastError: last?.error ?? null,
    lastDurationMs: last?.durationMs ?? null,
  };
}

/** The receipts of the attempts that were paid. */
export function receiptsIn({ attempts }: Intent): string[] {
  return [...new Set(attempts.flatMap(receiptsOf))];
}

/** The payment's ids that a person may search for, besides receipts and the columns of its row. */
export function searchedIds(intent: Intent): string[] {
  const ids = [
    intent.terms.paymentLinkUniqueId,
    ...intent.attempts.flatMap(({ reference, railReference }) => [reference, railReference]),
    ...intent.refunds.flatMap(({ id, reference, railReference }) => [id, reference, railReference]),
  ];
  const known = ids.filter((id) => id !== null);
  return [...new Set(known.filter((id) => id.length <= SEARCH_ID_LENGTH_MAX))];
}

/** The attempts whose provider may report them by their reference alone. */
export function sharedAddressReferences(intent: Intent): string[] {
  return intent.attempts
    .filter(({ method }) => METHODS_WITH_SHARED_ADDRESS.includes(method))
    .map(({ reference }) => reference);
}

/** The phone numbers of the customer and of the attempts, as `251XXXXXXXXX`. */
export function phonesOf(intent: Intent): string[] {
  const given = [intent.terms.customer?.phone, ...intent.attempts.map(({ phone }) => phone)];
  const phones = given.map((phone) => (phone == null ? null : phoneFrom(phone)));
  return [...new Set(phones.filter((phone) => phone !== null))];
}
