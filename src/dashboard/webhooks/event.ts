import { runBatch } from '../../database.ts';
import { type IntentClient, intentByUniqueId } from '../../intent/client.ts';
import type { EventSummary } from '../../intent/protocol.ts';
import { audited } from '../audited.ts';
import { type DashboardCall, tenantOf } from '../call.ts';
import { eventPath } from '../paths.ts';
import { RESENDABLE } from './elements.tsx';
import { defaultUrl } from './endpoints.ts';

/** An event as its payment's object has it. */
export interface EventDetails {
  readonly client: IntentClient;
  readonly uniqueId: string;
  readonly event: EventSummary;
  /** The payment's own address, else the default one, else null. */
  readonly destination: string | null;
  readonly isDefault: boolean;
}

/** A payment has few versions, so a longer number names no event. */
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
  const destination = callbackUrl ?? (await defaultUrl(call.env.DB, tenant));
  return { client, uniqueId, event, destination, isDefault: callbackUrl === null };
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
 * Resends the event that the path names, from the start of its schedule. The object and the audit
 * log cannot change in one commit: the entry follows, so the log never records what did not happen.
 * Null: no such event.
 */
export async function resendEvent(call: DashboardCall): Promise<Resent | null> {
  const details = await readEvent(call);
  if (details === null) {
    return null;
  }
  const { client, uniqueId, event } = details;
  const { sequence, eventId } = event;
  const path = eventPath(call.environment, { uniqueId, sequence });
  if (!(await client.resendEvent(sequence, RESENDABLE))) {
    return { outcome: 'late', path };
  }
  const detail = { uniqueId, sequence };
  await runBatch(call.env.DB, [audited(call, { action: 'event.resent', target: eventId, detail })]);
  return { outcome: 'resent', path };
}
