import type { EventType } from '../../src/domain/intent.ts';
import type { DeliveryStatus } from '../../src/intent/protocol.ts';
import { WIRE_EVENTS } from '../../src/webhooks/payload.ts';
import { DASHBOARD_TEXTS } from '../i18n/texts.ts';
import { Badge, type BadgeTone } from '../ui/elements.tsx';
import type { PageView } from '../ui/page.tsx';

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

/** A delivery's status. The read model keeps text: an unknown status is shown as it is. */
export function DeliveryBadge(props: {
  readonly call: Pick<PageView, 'language'>;
  readonly status: string;
}) {
  const { call, status } = props;
  return isDeliveryStatus(status) ? (
    <Badge tone={TONES[status]}>{DASHBOARD_TEXTS[call.language].events.statuses[status]}</Badge>
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
