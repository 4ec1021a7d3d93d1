import type { EventType } from '../../src/engine/domain/intent.ts';
import type { DeliveryStatus } from '../../src/engine/intent/protocol.ts';
import { WIRE_EVENTS } from '../../src/engine/webhooks/payload.ts';
import { useTexts } from '../../src/kit/ui/texts.ts';
import { DASHBOARD_TEXTS } from '../i18n/texts.ts';
import { Badge, type BadgeTone } from '../ui/elements.tsx';

const TONES: Readonly<Record<DeliveryStatus, BadgeTone>> = {
  queued: 'plain',
  claimed: 'plain',
  waiting: 'wait',
  delivered: 'good',
  dead: 'bad',
  superseded: 'plain',
  undeliverable: 'bad',
  skipped: 'plain',
  paused: 'bad',
};

/** A delivery's status. The book keeps text: an unknown status is shown as it is. */
export function DeliveryBadge({ status }: { readonly status: string }) {
  return isDeliveryStatus(status) ? (
    <Badge tone={TONES[status]}>{useTexts(DASHBOARD_TEXTS).events.statuses[status]}</Badge>
  ) : (
    <Badge tone="plain">{status}</Badge>
  );
}

function isDeliveryStatus(status: string): status is DeliveryStatus {
  return Object.hasOwn(TONES, status);
}

/** What the event is called on the wire. */
export function wireType(type: string): string {
  return Object.hasOwn(WIRE_EVENTS, type) ? WIRE_EVENTS[type as EventType].event : type;
}
