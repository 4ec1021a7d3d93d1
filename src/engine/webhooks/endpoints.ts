import { webUrl } from '../../kit/http/web-url.ts';
import type { EventType } from '../domain/intent.ts';
import { WIRE_EVENTS } from './payload.ts';

/**
 * The merchant's endpoints: servers, where the events of payments without a callbackUrl go, and people,
 * who are told of every payment (docs/notifications.md).
 */

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
  /** Of a person's messages; null: the endpoint is a server. */
  readonly language: MessageLanguage | null;
  /** The payments that it is told of: those that name this link; null: all. */
  readonly paymentLinkUniqueId: string | null;
  /** Only the sales of this till; null: all payments. */
  readonly tillId: string | null;
}

/** The languages of messages to people. The table has the same list. */
export const MESSAGE_LANGUAGES = ['en', 'am'] as const;
export type MessageLanguage = (typeof MESSAGE_LANGUAGES)[number];

/** A chat's id follows, or an address. */
export const TELEGRAM_SCHEME = 'telegram:';
export const EMAIL_SCHEME = 'mailto:';

export type EndpointKind = 'URL' | 'TELEGRAM' | 'EMAIL';

export function endpointKind(url: string): EndpointKind {
  if (url.startsWith(TELEGRAM_SCHEME)) {
    return 'TELEGRAM';
  }
  return url.startsWith(EMAIL_SCHEME) ? 'EMAIL' : 'URL';
}

/** A person's address as others see it: `telegram:`, or `mailto:h…@example.com`. A server's as it is. */
export function shownUrl(url: string): string {
  switch (endpointKind(url)) {
    case 'URL':
      return url;
    case 'TELEGRAM':
      return TELEGRAM_SCHEME;
    case 'EMAIL':
      return url.replace(/^(mailto:.)[^@]*/, '$1…');
  }
}

/** Whether an event of this type, of a payment that names this link and till, goes to the endpoint. */
export function takesEvent(
  endpoint: WebhookEndpoint,
  type: EventType,
  link: string | null,
  till: string | null,
): boolean {
  const { isEnabled, eventTypes, paymentLinkUniqueId, tillId } = endpoint;
  return (
    isEnabled &&
    (eventTypes.length === 0 || eventTypes.includes(WIRE_EVENTS[type].event)) &&
    (paymentLinkUniqueId === null || paymentLinkUniqueId === link) &&
    (tillId === null || tillId === till)
  );
}

/** The origin of a URL, a person's scheme, or null when it is neither. */
export function endpointOrigin(url: string): string | null {
  return webUrl(url)?.origin ?? /^(?:telegram|mailto):/.exec(url)?.[0] ?? null;
}
