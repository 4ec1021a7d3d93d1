import { eventTimeMs } from '../../../kit/crypto/event-id.ts';

/**
 * A merchant's sandbox events in the order in which they became rows. Places only grow, unlike
 * times, so a listener that continues after the last place misses no late event.
 */

/** An event's place is when it became a row, in these parts of a millisecond, or the next free number. */
export const STREAM_PLACES_PER_MS = 1_000;

export interface StreamedEvent {
  /** Unique in its volume. */
  readonly place: number;
  readonly eventId: string;
  readonly uniqueId: string;
  readonly sequence: number;
}

type Stored = Omit<StreamedEvent, 'eventId'> & { deliveryId: string } & Record<
    string,
    SqlStorageValue
  >;

function read(
  sql: SqlStorage,
  condition: string,
  ...params: (string | number | null)[]
): StreamedEvent[] {
  return sql
    .exec<Stored>(
      `SELECT stream_place AS place, delivery_id AS deliveryId, unique_id AS uniqueId, sequence
        FROM delivery ${condition}`,
      ...params,
    )
    .toArray()
    .map(({ deliveryId, ...event }) => ({
      ...event,
      eventId: deliveryId.slice(0, deliveryId.lastIndexOf('.')),
    }));
}

const IN_ORDER = 'INDEXED BY delivery_of_stream CROSS JOIN payment ON payment.id = payment_id';

export function streamedAfter(sql: SqlStorage, place: number, limit: number): StreamedEvent[] {
  const next = `${IN_ORDER} WHERE stream_place > ? ORDER BY stream_place LIMIT ?`;
  return read(sql, next, place, limit);
}

/** Null before the first event. */
export function newestStreamed(sql: SqlStorage): StreamedEvent | null {
  const newest = `${IN_ORDER} WHERE stream_place IS NOT NULL ORDER BY stream_place DESC LIMIT 1`;
  return read(sql, newest)[0] ?? null;
}

export function findStreamed(sql: SqlStorage, eventId: string): StreamedEvent | null {
  const first = `CROSS JOIN payment ON payment.id = payment_id
    WHERE created_at_ms = ? AND delivery_id = ? AND stream_place IS NOT NULL`;
  return read(sql, first, eventTimeMs(eventId), `${eventId}.0`)[0] ?? null;
}
