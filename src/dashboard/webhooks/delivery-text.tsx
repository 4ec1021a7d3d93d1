import type { EventType } from '../../domain/intent.ts';
import { DASHBOARD_TEXTS } from '../../i18n/back-office.ts';
import type { DeliveryStatus } from '../../intent/protocol.ts';
import { Badge, type BadgeTone } from '../../ui/elements.tsx';
import { EVENT_WORDS } from '../../webhooks/payload.ts';
import type { DashboardCall } from '../call.ts';

const TONES: Readonly<Record<DeliveryStatus, BadgeTone>> = {
  queued: 'plain',
  claimed: 'plain',
  waiting: 'wait',
  delivered: 'good',
  dead: 'bad',
  superseded: 'plain',
  undeliverable: 'bad',
  paused: 'bad',
};

/** In the order of the select box. `claimed` lasts seconds, and the read model never has it. */
export const LISTED_STATUSES = [
  'delivered',
  'queued',
  'waiting',
  'dead',
  'undeliverable',
  'paused',
  'superseded',
] as const satisfies readonly DeliveryStatus[];

/** A delivery's state. The read model keeps free text: a word of a later release is shown as it is. */
export function DeliveryBadge(props: {
  readonly call: Pick<DashboardCall, 'language'>;
  readonly status: string;
}) {
  const { call, status } = props;
  const known = isDeliveryStatus(status) ? status : null;
  return known === null ? (
    <Badge tone="plain">{status}</Badge>
  ) : (
    <Badge tone={TONES[known]}>{DASHBOARD_TEXTS[call.language].events.statuses[known]}</Badge>
  );
}

function isDeliveryStatus(status: string): status is DeliveryStatus {
  return Object.hasOwn(TONES, status);
}

/** What the event is called on the wire. */
export function wireType(type: string): string {
  return Object.hasOwn(EVENT_WORDS, type) ? EVENT_WORDS[type as EventType].event : type;
}

/** What came of a try: the status, or why there was none. */
export function Outcome(props: {
  readonly httpStatus: number | null;
  readonly error: string | null;
}) {
  const { httpStatus, error } = props;
  return <code lang="en">{error ?? `HTTP ${httpStatus}`}</code>;
}
