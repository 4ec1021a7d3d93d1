import { type IntentClient, intentByUniqueId } from '../../intent/client.ts';
import type { DeliveryStatus, EventSummary } from '../../intent/protocol.ts';
import { type Endpoint, endpointOrigin, listEndpoints } from '../../webhooks/endpoints.ts';
import { type DashboardCall, tenantOf } from '../call.ts';
import { defaultUrl } from './default-url.ts';

/** From these states a person may send an event again. In the others it is on its way, or moot. */
export const RESENDABLE: readonly DeliveryStatus[] = [
  'waiting',
  'delivered',
  'dead',
  'undeliverable',
  'paused',
];

/** An event as its payment's object has it. */
export interface EventDetails {
  readonly client: IntentClient;
  readonly uniqueId: string;
  readonly event: EventSummary;
  /** The payment's own address, else the default one, else null. */
  readonly destination: string | null;
  readonly isDefault: boolean;
  /** The endpoint of the destination if it is paused, else null. */
  readonly paused: Endpoint | null;
}

/** A payment has a handful of versions; a longer number is nobody's. */
const SEQUENCE = /^[1-9]\d{0,8}$/;

/** The event that the path names, if this tenant has it. */
export async function readEvent(call: DashboardCall): Promise<EventDetails | null> {
  const { uniqueId = '', sequence: sequenceText = '' } = call.params;
  if (!SEQUENCE.test(sequenceText)) {
    return null;
  }
  const tenant = tenantOf(call);
  const client = intentByUniqueId(call.env, tenant, uniqueId);
  const [read, events] = await Promise.all([client.read(), client.events()]);
  const event = events.find(({ sequence }) => sequence === Number(sequenceText));
  if (read.type === 'not_found' || event === undefined) {
    return null;
  }
  const { callbackUrl } = read.intent.terms;
  const [url, endpoints] = await Promise.all([
    defaultUrl(call.env.DB, tenant),
    listEndpoints(call.env.DB, tenant),
  ]);
  const destination = callbackUrl ?? url;
  const origin = destination === null ? null : endpointOrigin(destination);
  const paused = endpoints.find((known) => known.origin === origin && known.pausedAtMs !== null);
  const isDefault = callbackUrl === null;
  return { client, uniqueId, event, destination, isDefault, paused: paused ?? null };
}
