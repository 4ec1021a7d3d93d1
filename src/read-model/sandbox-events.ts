import { eventTimeMs } from '../crypto/event-id.ts';
import { prepare, readInTime, type SqlStatement } from '../platform/database.ts';
import { EVENTS_BY_TIME, firstDeliveryOf } from './events-list.ts';

/**
 * A merchant's events of the sandbox in the order in which they became rows. Unlike their times,
 * their places only grow, so a reader who goes on after the last place misses no event that came late.
 */

export interface SandboxEvent {
  /** Among the merchant's, from 1, perhaps with gaps. */
  readonly place: number;
  readonly eventId: string;
  readonly uniqueId: string;
  readonly sequence: number;
}

const OF_MERCHANT = `FROM webhook_event INDEXED BY webhook_event_of_sandbox
  WHERE merchant_id = ? AND stream_place`;

/** The first events after a place. Throws DatabaseUnavailable. */
export async function sandboxEventsAfter(
  db: D1Database,
  ...[merchantId, place, limit]: Parameters<typeof sandboxEventsAfterStatement>
): Promise<readonly SandboxEvent[]> {
  const statement = sandboxEventsAfterStatement(merchantId, place, limit);
  const { results } = await readInTime(() => prepare(db, statement).all<SandboxEvent>());
  return results;
}

export function sandboxEventsAfterStatement(
  merchantId: string,
  place: number,
  limit: number,
): SqlStatement {
  return {
    sql: `SELECT stream_place AS place, event_id AS eventId, unique_id AS uniqueId, sequence
      ${OF_MERCHANT} > ? ORDER BY stream_place LIMIT ?`,
    params: [merchantId, place, limit],
  };
}

/** The merchant's newest event; null before the first. Throws DatabaseUnavailable. */
export function newestSandboxEvent(
  db: D1Database,
  merchantId: string,
): Promise<Pick<SandboxEvent, 'place' | 'eventId'> | null> {
  return readInTime(() => prepare(db, newestSandboxEventStatement(merchantId)).first());
}

export function newestSandboxEventStatement(merchantId: string): SqlStatement {
  return {
    sql: `SELECT stream_place AS place, event_id AS eventId
      ${OF_MERCHANT} IS NOT NULL ORDER BY stream_place DESC LIMIT 1`,
    params: [merchantId],
  };
}

/** The merchant's event of this id, or null. Throws DatabaseUnavailable. */
export function findSandboxEvent(
  db: D1Database,
  merchantId: string,
  eventId: string,
): Promise<Pick<SandboxEvent, 'place' | 'eventId'> | null> {
  return readInTime(() => prepare(db, findSandboxEventStatement(merchantId, eventId)).first());
}

export function findSandboxEventStatement(merchantId: string, eventId: string): SqlStatement {
  return {
    sql: `SELECT stream_place AS place, event_id AS eventId
      FROM webhook_event INDEXED BY ${EVENTS_BY_TIME}
      WHERE merchant_id = ? AND environment = 'sandbox' AND created_at_ms = ? AND delivery_id = ?`,
    params: [merchantId, eventTimeMs(eventId), firstDeliveryOf(eventId)],
  };
}
