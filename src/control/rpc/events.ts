import { resendEvent } from '../../engine/api/payment-acts.ts';
import { callbackUrlOf } from '../../engine/domain/intent.ts';
import { intentByUniqueId } from '../../engine/intent/client.ts';
import type { EventName, EventSummary } from '../../engine/intent/protocol.ts';
import { listEndpoints } from '../../engine/webhooks/endpoint-store.ts';
import { FIXED_HEADERS } from '../../engine/webhooks/transport.ts';
import { recordAct } from '../../kit/audit/log.ts';
import { businessDay, dayText } from '../../kit/ethiopian-time.ts';
import type { Cursor, TimeRange } from '../../kit/platform/paging.ts';
import type { Tenant } from '../../kit/tenant.ts';
import { readerOf } from '../../lists/book/reader.ts';
import { RESEND_BATCH, type ResendResult, resendBatch } from '../../lists/book/resend.ts';
import { byMember } from './member.ts';
import type { Plane } from './plane.ts';

/** A merchant's events with their deliveries, and sending them again. */

/** An event's delivery as its payment's object has it. */
export interface DeliveryDetails extends EventSummary {
  /** The address; only its origin once the endpoint is deleted. Null while none is chosen. */
  readonly destination: string | null;
  /** The endpoint still exists. */
  readonly hasEndpoint: boolean;
}

/** The event as its payment's object has it; null when the tenant has no such event. */
export async function read(plane: Plane, tenant: Tenant, named: EventName, wantsBody: boolean) {
  const { env } = plane;
  const client = await intentByUniqueId(env, tenant, named.uniqueId);
  const [intent, events, endpoints, requestBody] = await Promise.all([
    client.read(),
    client.events(),
    listEndpoints(env.DB, tenant),
    wantsBody ? client.eventRequestBody(named.sequence) : null,
  ]);
  const deliveries = events.filter(({ sequence }) => sequence === named.sequence);
  const [first] = deliveries;
  if (intent === null || first === undefined) {
    return null;
  }
  const { eventId, type, createdAtMs } = first;
  const callbackUrl = callbackUrlOf(intent.terms, type);
  return {
    ...named,
    eventId,
    type,
    createdAtMs,
    /** The exact body that is sent. Null while it is not signed, and if it is not wanted. */
    requestBody,
    /** The headers of every request. */
    fixedHeaders: FIXED_HEADERS,
    deliveries: deliveries.map((delivery): DeliveryDetails => {
      const known = endpoints.find(({ endpointId }) => endpointId === delivery.endpointId);
      const ownUrl = delivery.endpointId === null ? callbackUrl : null;
      const destination = known?.url ?? ownUrl ?? delivery.origin;
      return { ...delivery, destination, hasEndpoint: known !== undefined };
    }),
  };
}

export type EventDetails = NonNullable<Awaited<ReturnType<typeof read>>>;

/**
 * Resends one delivery of the event, or with null every one, from the start of its schedule. `late`:
 * the event is on its way or superseded by now.
 */
export const resend = byMember(async (by, named: EventName, position: number | null) => {
  const result = await resendEvent(by, named, position);
  return result === 'superseded' ? 'late' : result;
});

/** How many events failed in these days, and how many of them one call resends. */
export async function failed({ env }: Plane, tenant: Tenant, range: TimeRange) {
  const reader = await readerOf(env, tenant);
  return { count: await reader.countFailed(range), atOnce: RESEND_BATCH };
}

export type FailedEvents = Awaited<ReturnType<typeof failed>>;

export interface ResentEvents extends ResendResult {
  /** May count some events of the last millisecond twice. */
  readonly left: number;
}

/** Resends one batch of the failed events. */
export const resendFailed = byMember(
  async (by, range: TimeRange, cursor: Cursor | null): Promise<ResentEvents> => {
    const { env, tenant } = by;
    const { fromMs, toMs } = range;
    const detail = {
      from: fromMs === undefined ? undefined : dayText(businessDay(fromMs)),
      to: toMs === undefined ? undefined : dayText(businessDay(toMs - 1)),
    };
    const act = { action: 'events.resend_requested', target: null, detail } as const;
    const result = await resendBatch(by, 'failed', range, cursor, (counts) =>
      recordAct(by, act, counts),
    );
    const { nextCursor, lastAtMs } = result;
    const isOver = nextCursor === null || lastAtMs === null;
    const rest = { ...range, toMs: (lastAtMs ?? 0) + 1 };
    const reader = await readerOf(env, tenant);
    return { ...result, left: isOver ? 0 : await reader.countFailed(rest) };
  },
);
