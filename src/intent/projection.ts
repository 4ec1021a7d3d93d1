import { commissionOf, type Intent, reportedAttempt } from '../domain/intent.ts';
import { phoneFrom } from '../domain/phone.ts';
import { SEARCH_ID_LENGTH_MAX } from '../domain/search-key.ts';
import type { ProjectedEvent, ProjectionRow } from './protocol.ts';
import type { StoredEvent } from './store.ts';

/**
 * What the read model shows of a payment, out of its state and its events. Everything here follows from
 * the read model's version alone, except for the ids, which are only ever added to.
 */

/** Orders everything the read model is told of a payment: its transitions and its deliveries. */
export function projectedVersion(intent: Intent, events: readonly StoredEvent[]): number {
  return events.reduce((version, { revision }) => version + revision, intent.version);
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
    createdAtMs: terms.createdAtMs,
    updatedAtMs: intent.updatedAtMs,
    endedAtMs: intent.endedAtMs,
  };
}

export function projectedEvents(intent: Intent, events: readonly StoredEvent[]): ProjectedEvent[] {
  const { callbackUrl } = intent.terms;
  const destinationOrigin = callbackUrl === null ? null : (URL.parse(callbackUrl)?.origin ?? null);
  return events.map((event) => ({
    eventId: event.eventId,
    sequence: event.sequence,
    type: event.type,
    revision: event.revision,
    createdAtMs: event.createdAtMs,
    destinationOrigin,
    ...shownDelivery(event),
  }));
}

/** True when the read model shows the one event otherwise than the other. */
export function projectionDiffers(one: StoredEvent, other: StoredEvent): boolean {
  return JSON.stringify(shownDelivery(one)) !== JSON.stringify(shownDelivery(other));
}

/** Claims and leases come and go within seconds, and are nobody's news. */
function shownDelivery(event: StoredEvent) {
  const { deliveryStatus, dueAtMs, log } = event;
  const last = log.at(-1);
  return {
    deliveryStatus: deliveryStatus === 'claimed' ? 'queued' : deliveryStatus,
    dueAtMs: deliveryStatus === 'waiting' ? dueAtMs : null,
    // All that there were, as the event's own page lists them; not the schedule's count of failures.
    tries: log.length,
    lastTryAtMs: last?.atMs ?? null,
    lastHttpStatus: last?.httpStatus ?? null,
    lastError: last?.error ?? null,
    lastDurationMs: last?.durationMs ?? null,
  };
}

/** The ids that a person may have of this payment and that are no column of its row. */
export function searchedIds(intent: Intent): string[] {
  const ids = [
    intent.terms.paymentLinkUniqueId,
    ...intent.attempts.flatMap(({ reference, railReference, receipt }) => [
      reference,
      railReference,
      receipt,
    ]),
  ];
  const known = ids.filter((id) => id !== null);
  return [...new Set(known.filter((id) => id.length <= SEARCH_ID_LENGTH_MAX))];
}

/** The phone numbers of the customer and of the attempts, as `251XXXXXXXXX`. */
export function phonesOf(intent: Intent): string[] {
  const given = [intent.terms.customer?.phone, ...intent.attempts.map(({ phone }) => phone)];
  const phones = given.map((phone) => (phone == null ? null : phoneFrom(phone)));
  return [...new Set(phones.filter((phone) => phone !== null))];
}
