import { uuidV7, uuidV7TimeMs } from './uuid-v7.ts';

/**
 * The id of an event, which is the `webhook-id` of its webhooks: `evt_` and the digits of a UUIDv7.
 * The book finds an event by the time in its id, which saves an index.
 *
 * @throws {RangeError} for a time that a UUIDv7 cannot carry
 */
export function newEventId(createdAtMs: number): string {
  return `evt_${uuidV7(createdAtMs).replaceAll('-', '')}`;
}

const EVENT_ID = /^evt_(.{8})(.{4})(.{4})(.{4})(.{12})$/;

/** When the event with this id was created; null for a text that is not an event's id. */
export function eventTimeMs(eventId: string): number | null {
  const groups = EVENT_ID.exec(eventId)?.slice(1) ?? [];
  return uuidV7TimeMs(groups.join('-'));
}
