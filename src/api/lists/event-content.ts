import { isoTime } from '../../domain/ethiopian-time.ts';
import type { EventType } from '../../domain/intent.ts';
import type { DeliveryStatus, EventSummary } from '../../intent/protocol.ts';
import type { EventRow } from '../../read-model/events-list.ts';
import { WIRE_EVENTS } from '../../webhooks/payload.ts';

/** The addresses of a tenant's endpoints, by their ids. */
export type EndpointUrls = ReadonlyMap<string, string>;

/** An event as merchants read it (docs/lists.md#event). */
export function eventContent(
  row: EventRow,
  deliveries: readonly ReturnType<typeof deliveryContent>[],
) {
  return {
    id: row.eventId,
    type: wireEvent(row.type),
    paymentIntentUniqueId: row.uniqueId,
    sequence: row.sequence,
    test: row.environment === 'sandbox',
    createdAt: isoTime(row.createdAtMs),
    deliveries,
  };
}

export type EventContent = ReturnType<typeof eventContent>;

function wireEvent(type: EventType): string {
  return WIRE_EVENTS[type].event;
}

/** The deliveries of an event as the read model has them. */
export function deliveriesOfRows(rows: readonly EventRow[], urls: EndpointUrls) {
  return rows
    .toSorted((one, other) => one.position - other.position)
    .map((row) =>
      deliveryContent({
        endpointId: row.endpointId,
        url: urlOf(row.endpointId, urls) ?? row.destinationOrigin,
        state: row.deliveryStatus,
        tries: row.tries,
        lastTryAtMs: row.lastTryAtMs,
        dueAtMs: row.dueAtMs,
        httpStatus: row.lastHttpStatus,
        error: row.lastError,
      }),
    );
}

/** The deliveries of an event as the payment's object has them at this moment. */
export function deliveriesOfSummaries(
  summaries: readonly EventSummary[],
  urls: EndpointUrls,
  callbackUrl: string | null,
) {
  return summaries.map(({ endpointId, origin, deliveryStatus, dueAtMs, tries }) => {
    const last = tries.at(-1);
    return deliveryContent({
      endpointId,
      url: urlOf(endpointId, urls) ?? callbackUrl ?? origin,
      state: shownState(deliveryStatus),
      tries: tries.length,
      lastTryAtMs: last?.atMs ?? null,
      dueAtMs: deliveryStatus === 'waiting' ? dueAtMs : null,
      httpStatus: last?.httpStatus ?? null,
      error: last?.error ?? null,
    });
  });
}

function urlOf(endpointId: string | null, urls: EndpointUrls): string | undefined {
  return endpointId === null ? undefined : urls.get(endpointId);
}

/** A claim lasts seconds and interests no reader. */
function shownState(status: DeliveryStatus): string {
  return status === 'claimed' ? 'queued' : status;
}

interface Delivery {
  readonly endpointId: string | null;
  readonly url: string | null;
  readonly state: string;
  readonly tries: number;
  readonly lastTryAtMs: number | null;
  readonly dueAtMs: number | null;
  readonly httpStatus: number | null;
  readonly error: string | null;
}

function deliveryContent(delivery: Delivery) {
  const { endpointId, url, state, tries, lastTryAtMs, dueAtMs } = delivery;
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
function lastErrorOf({ httpStatus, error }: Delivery): string | null {
  const isAccepted = httpStatus !== null && httpStatus >= 200 && httpStatus < 300;
  return error ?? (httpStatus === null || isAccepted ? null : `HTTP ${httpStatus}`);
}
