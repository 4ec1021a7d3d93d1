import {
  type AttemptStatus,
  commissionOf,
  type Intent,
  reportedAttempt,
} from '../domain/intent.ts';
import { phoneFrom } from '../domain/phone.ts';
import { hasRefundEnded } from '../domain/refund.ts';
import { refundedOf } from '../domain/refund-amounts.ts';
import {
  type AttemptCount,
  type PaymentDetails,
  type ProjectedEvent,
  type ProjectedRefund,
  type ProjectionRow,
  shownDelivery,
} from './protocol.ts';
import type { StoredEvent } from './store.ts';

/** What the book shows of a payment. */

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

/** When Kefel learned that the payment was paid; null before that. */
export function paidAtMs({ attempts, paidAttemptId }: Intent): number | null {
  return attempts.find(({ id }) => id === paidAttemptId)?.updatedAtMs ?? null;
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

/** What an export of payments shows besides the row. Null when there is nothing. */
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
      ...shownDelivery(delivery),
    })),
  );
}

/** The phone numbers of the customer and of the attempts, as `251XXXXXXXXX`. */
export function phonesOf(intent: Intent): string[] {
  const given = [intent.terms.customer?.phone, ...intent.attempts.map(({ phone }) => phone)];
  const phones = given.map((phone) => (phone == null ? null : phoneFrom(phone)));
  return [...new Set(phones.filter((phone) => phone !== null))];
}

/** Receipts that operators recorded before the provider named others. The book may have them. */
export function replacedReceiptsIn({ anomalies }: Intent): string[] {
  return anomalies.flatMap(({ replacedReceipt }) => replacedReceipt ?? []);
}
