import { shownDelivery } from '../../engine/intent/book-message.ts';
import type { EventSummary } from '../../engine/intent/protocol.ts';
import { WIRE_EVENTS } from '../../engine/webhooks/payload.ts';
import { isAccepted } from '../../engine/webhooks/send.ts';
import { isoTime } from '../../kit/ethiopian-time.ts';
import type { EventRow } from '../book/rows.ts';

/** The addresses of a tenant's endpoints, by their ids. */
export type EndpointUrls = ReadonlyMap<string, string>;

/** An event as merchants read it (docs/lists.md#event). */
export function eventContent(
  row: EventRow,
  deliveries: readonly ReturnType<typeof deliveryContent>[],
) {
  return {
    id: row.eventId,
    type: WIRE_EVENTS[row.type].event as string,
    paymentIntentUniqueId: row.uniqueId,
    sequence: row.sequence,
    test: row.environment === 'sandbox',
    createdAt: isoTime(row.createdAtMs),
    deliveries,
  };
}

export type EventContent = ReturnType<typeof eventContent>;

/** The deliveries of an event as the book has them. */
export function deliveriesOfRows(rows: readonly EventRow[], urls: EndpointUrls) {
  return rows
    .toSorted((one, other) => one.position - other.position)
    .map((row) => deliveryContent(row, urls, row.destinationOrigin));
}

/** The deliveries of an event as the payment's object has them at this moment. */
export function deliveriesOfSummaries(
  summaries: readonly EventSummary[],
  urls: EndpointUrls,
  callbackUrl: string | null,
) {
  return summaries.map(({ endpointId, origin, tries: log, ...state }) =>
    deliveryContent(
      { endpointId, ...shownDelivery({ ...state, log }) },
      urls,
      (endpointId === null ? callbackUrl : null) ?? origin,
    ),
  );
}

/** `otherUrl`: where it goes, unless to an endpoint that exists. */
function deliveryContent(
  delivery: Pick<EventRow, 'endpointId' | keyof ReturnType<typeof shownDelivery>>,
  urls: EndpointUrls,
  otherUrl: string | null,
) {
  const { endpointId, deliveryStatus: state, tries, lastTryAtMs, dueAtMs } = delivery;
  const { lastError, lastHttpStatus } = delivery;
  return {
    endpointId,
    url: urls.get(endpointId ?? '') ?? otherUrl,
    state,
    tries,
    lastTryAt: lastTryAtMs === null ? null : isoTime(lastTryAtMs),
    nextTryAt: dueAtMs === null ? null : isoTime(dueAtMs),
    lastError: lastError ?? refusalOf(lastHttpStatus),
  };
}

/** Null for a status that accepts the event, or without an answer. */
function refusalOf(httpStatus: number | null): string | null {
  return httpStatus === null || isAccepted({ httpStatus }) ? null : `HTTP ${httpStatus}`;
}
