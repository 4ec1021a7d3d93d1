import { webUrl } from '../../kit/http/web-url.ts';
import type { EventType } from '../domain/intent.ts';
import { WIRE_EVENTS } from './payload.ts';

/** The merchant's endpoints: where the events of payments without a callbackUrl go. */

/** The prefix distinguishes an endpoint's id from an origin. */
export const ENDPOINT_ID_PREFIX = 'we_';
/** A tenant has at most this many endpoints, and each event as many deliveries. */
export const ENDPOINTS_MAX = 10;
/** A line for people, such as "Warehouse". */
export const DESCRIPTION_CHARACTERS_MAX = 200;

export type WireEvent = (typeof WIRE_EVENTS)[EventType]['event'];

/** The types that an endpoint may take, as merchants name them. */
export const WIRE_EVENT_TYPES: readonly WireEvent[] = Object.values(WIRE_EVENTS).map(
  ({ event }) => event,
);

export interface WebhookEndpoint {
  /** `we_…` */
  readonly endpointId: string;
  readonly url: string;
  /** The types that it takes; an empty list takes all. */
  readonly eventTypes: readonly string[];
  readonly isEnabled: boolean;
  /** The name of the extra signature header, or null. */
  readonly signatureHeader: string | null;
}

/** Whether an event of this type goes to the endpoint. */
export function takesEvent(endpoint: WebhookEndpoint, type: EventType): boolean {
  const { isEnabled, eventTypes } = endpoint;
  return isEnabled && (eventTypes.length === 0 || eventTypes.includes(WIRE_EVENTS[type].event));
}

/** The origin of a URL, or null when it is not an http or https URL. */
export function endpointOrigin(url: string): string | null {
  return webUrl(url)?.origin ?? null;
}
