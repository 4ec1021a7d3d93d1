import type { EventName, EventSummary } from '../../../src/engine/intent/protocol.ts';
import { actorOf, type DashboardCall, tenantOf } from '../call.ts';
import { eventPath } from '../paths.ts';

/** A payment has few versions, so a longer number names no event. */
const SEQUENCE = /^[1-9]\d{0,8}$/;
/** The position of a delivery among the few of its event. */
const POSITION = /^\d{1,3}$/;

/** The event that the path names; null for a path of none. */
export function eventNameIn({ params }: DashboardCall): EventName | null {
  const { uniqueId = '', sequence = '' } = params;
  return SEQUENCE.test(sequence) ? { uniqueId, sequence: Number(sequence) } : null;
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
  /** The delivery; the first delivery of the event stands for all of them. */
  readonly event: { readonly sequence: number; readonly position: number };
}

/**
 * Resends the delivery at the form's `position` of the event that the path names, or without one
 * every delivery. Null: no such event.
 */
export async function resendEvent(call: DashboardCall): Promise<Resent | null> {
  const named = eventNameIn(call);
  if (named === null) {
    return null;
  }
  const typed = call.form.text('position');
  const position = POSITION.test(typed) ? Number(typed) : null;
  const { resend } = call.payments.events;
  const outcome = await resend(tenantOf(call), actorOf(call), named, position);
  const event = { sequence: named.sequence, position: position ?? 0 };
  return outcome === 'not_found'
    ? null
    : { outcome, path: eventPath(call.environment, named), event };
}
