import { runBatch } from '../../../src/database.ts';
import { callbackUrlOf } from '../../../src/domain/intent.ts';
import { type IntentClient, intentByUniqueId } from '../../../src/intent/client.ts';
import { type EventSummary, RESENDABLE_DELIVERIES } from '../../../src/intent/protocol.ts';
import { listEndpoints } from '../../../src/webhooks/endpoint-store.ts';
import { audited } from '../audited.ts';
import { type DashboardCall, tenantOf } from '../call.ts';
import { eventPath } from '../paths.ts';

/** An event's delivery as its payment's object has it. */
export interface DeliveryDetails extends EventSummary {
  /** The address; only its origin once the endpoint is deleted. Null while none is chosen. */
  readonly destination: string | null;
  /** The endpoint still exists. */
  readonly hasEndpoint: boolean;
}

export interface EventDetails {
  readonly client: IntentClient;
  readonly uniqueId: string;
  readonly sequence: number;
  readonly eventId: string;
  readonly type: string;
  readonly createdAtMs: number;
  readonly deliveries: readonly DeliveryDetails[];
}

/** A payment has few versions, so a longer number names no event. */
const SEQUENCE = /^[1-9]\d{0,8}$/;
/** Of one of the few deliveries of an event. */
const POSITION = /^\d{1,3}$/;

/** The event that the path names, if this tenant has it. */
export async function readEvent(call: DashboardCall): Promise<EventDetails | null> {
  const { uniqueId = '', sequence: sequenceText = '' } = call.params;
  if (!SEQUENCE.test(sequenceText)) {
    return null;
  }
  const tenant = tenantOf(call);
  const client = intentByUniqueId(call.env, tenant, uniqueId);
  const [read, events, endpoints] = await Promise.all([
    client.read(),
    client.events(),
    listEndpoints(call.env.DB, tenant),
  ]);
  const deliveries = events.filter(({ sequence }) => sequence === Number(sequenceText));
  const [first] = deliveries;
  if (read.type === 'not_found' || first === undefined) {
    return null;
  }
  const { sequence, eventId, type, createdAtMs } = first;
  const callbackUrl = callbackUrlOf(read.intent.terms, type);
  return {
    client,
    uniqueId,
    sequence,
    eventId,
    type,
    createdAtMs,
    deliveries: deliveries.map((delivery) => {
      const endpoint = endpoints.find(({ endpointId }) => endpointId === delivery.endpointId);
      const destination = endpoint?.url ?? callbackUrl ?? delivery.origin;
      return { ...delivery, destination, hasEndpoint: endpoint !== undefined };
    }),
  };
}

/** A retry this soon is worth waiting for on the page. */
const SOON_MS = 60_000;

/** Whether the event's delivery will change within seconds. */
export function isOnItsWay(nowMs: number) {
  return ({ deliveryStatus, dueAtMs }: EventSummary): boolean =>
    deliveryStatus === 'queued' ||
    deliveryStatus === 'claimed' ||
    (deliveryStatus === 'waiting' && dueAtMs !== null && dueAtMs - nowMs < SOON_MS);
}

/** Differs when the page about the event shows something else. */
export function eventState({ deliveryStatus, tries }: EventSummary): string {
  return `${deliveryStatus} ${tries.at(-1)?.atMs ?? 0}`;
}

export interface Resent {
  /** `late`: the event is on its way or superseded by now. */
  readonly outcome: 'resent' | 'late';
  /** The event's page, which has a message for each outcome. */
  readonly path: string;
}

/**
 * Resends the delivery at the form's `position` of the event that the path names, or without one
 * every delivery, from the start of its schedule. The object and the audit
 * log cannot change in one commit: the entry follows, so the log never records what did not happen.
 * Null: no such event.
 */
export async function resendEvent(call: DashboardCall): Promise<Resent | null> {
  const details = await readEvent(call);
  if (details === null) {
    return null;
  }
  const { client, uniqueId, sequence, eventId, deliveries } = details;
  const path = eventPath(call.environment, { uniqueId, sequence });
  const typed = call.form.text('position');
  const position = POSITION.test(typed) ? Number(typed) : null;
  if (!(await client.resendEvent(sequence, RESENDABLE_DELIVERIES, position))) {
    return { outcome: 'late', path };
  }
  const endpointId = position === null ? null : (deliveries[position]?.endpointId ?? null);
  const detail = { uniqueId, sequence, ...(endpointId === null ? {} : { endpoint: endpointId }) };
  await runBatch(call.env.DB, [audited(call, { action: 'event.resent', target: eventId, detail })]);
  return { outcome: 'resent', path };
}
