import type { EndpointEntry } from '../../../src/engine/webhooks/endpoint-store.ts';
import { endpointKind, WIRE_EVENT_TYPES } from '../../../src/engine/webhooks/endpoints.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import type { DashboardMessages } from '../../i18n/messages.ts';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';

/** A person's endpoint, as the notifications and the endpoint's own page show it. */

interface EndpointProps {
  readonly endpoint: EndpointEntry;
}

/** "Telegram · Sales team", "E-mail · h…@example.com". */
export function personsName(
  { kinds }: DashboardMessages['notifications'],
  { url, description }: Pick<EndpointEntry, 'url' | 'description'>,
): string {
  const kind = endpointKind(url);
  const address = url.slice(url.indexOf(':') + 1);
  const parts = [kind === 'URL' ? '' : kinds[kind], description, address];
  return parts.filter((part) => part !== '').join(' · ');
}

/** When the person gets a message, and of which payments. */
export function PersonsEvents({ endpoint }: EndpointProps) {
  const text = useTexts(DASHBOARD_TEXTS).notifications;
  const { eventTypes, isToldNeeds, paymentLinkUniqueId, tillName } = endpoint;
  const taken = WIRE_EVENT_TYPES.filter(
    (type) => eventTypes.length === 0 || eventTypes.includes(type),
  );
  return (
    <ul>
      {taken.map((type) => (
        <li>{text.events[type]}</li>
      ))}
      {isToldNeeds && <li>{text.needs}</li>}
      {paymentLinkUniqueId !== null && <li>{text.ofLink(paymentLinkUniqueId)}</li>}
      {tillName !== null && <li>{text.ofTill(tillName)}</li>}
    </ul>
  );
}
