import { isoTime } from '../../domain/ethiopian-time.ts';
import type { EventSummary } from '../../intent/protocol.ts';
import type { EventRow } from '../../read-model/events-list.ts';
import { WIRE_EVENTS } from '../../webhooks/payload.ts';
import { isAccepted } from '../../webhooks/send.ts';

/** The addresses of a tenant's endpoints, by their ids. */
export type EndpointUrls = ReadonlyMap<string, string>;

/** An event as merchants read it (docs/lists.md#event). */
export function eventContent(
  row: EventRow,
  deliveries: readonly ReturnType<typeof deliveryContent>[],
) {
  return {
    id: row.eventId,
    type: WIRE_EVENTS[row.type].event,
    paymentIntentUniqueId: row.uniqueId,
    sequence: row.sequence,
    test: row.environment === 'sandbox',
    createdAt: isoTime(row.createdAtMs),
    deliveries,
  };
}

export type EventContent = ReturnType<typeof eventContent>;

/** The deliveries of an event as the read model has them. */
export function deliveriesOfRows(rows: readonly EventRow[], urls: EndpointUrls) {
  return rows
    .toSorted((one, other) => one.position - other.position)
    .map((row) => deliveryContent(row, urlOf(row.endpointId, urls) ?? row.destinationOrigin));
}

/** The deliveries of an event as the payment's object has them at this moment. */
export function deliveriesOfSummaries(
  summaries: readonly EventSummary[],
  urls: EndpointUrls,
  callbackUrl: string | null,
) {
  return summaries.map(({ endpointId, origin, deliveryStatus, dueAtMs, tries }) => {
    const last = tries.at(-1);
    const delivery = {
      endpointId,
      // A claim lasts seconds and interests no reader.
      deliveryStatus: deliveryStatus === 'claimed' ? 'queued' : deliveryStatus,
      tries: tries.length,
      lastTryAtMs: last?.atMs ?? null,
      dueAtMs: deliveryStatus === 'waiting' ? dueAtMs : null,
      lastHttpStatus: last?.httpStatus ?? null,
      lastError: last?.error ?? null,
    };
    return deliveryContent(delivery, urlOf(endpointId, urls) ?? callbackUrl ?? origin);
  });
}

function urlOf(endpointId: string | null, urls: EndpointUrls): string | undefined {
  return endpointId === null ? undefined : urls.get(endpointId);
}

type Delivery = Pick<
  EventRow,
  | 'endpointId'
  | 'deliveryStatus'
  | 'tries'
  | 'lastTryAtMs'
  | 'dueAtMs'
  | 'lastHttpStatus'
  | 'lastError'
>;

function deliveryContent(delivery: Delivery, url: string | null) {
  const { endpointId, deliveryStatus: state, tries, lastTryAtMs, dueAtMs } = delivery;
  return {
    endpointId,
    url,
    state,
    tries,
    lastTryAt: lastTryAtMs === null ? null : isoTime(lastTryAtMs),
    nextTryAt: dueAtMs === null ? null : isoTime(dueAtMs),
    lastError: lastErrorOf(delivery),
  };
}

/** Why the last try failed; null if it did not, or if there was none. */
function lastErrorOf({ lastHttpStatus: httpStatus, lastError }: Delivery): string | null {
  return (
    lastError ?? (httpStatus === null || isAccepted({ httpStatus }) ? null : `HTTP ${httpStatus}`)
  );
}
