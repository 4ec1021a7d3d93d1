import {
  type DeliveryStatus,
  FAILED_DELIVERIES,
  MISSED_DELIVERIES,
} from '../../../engine/intent/protocol.ts';
import { eventTimeMs } from '../../../kit/crypto/event-id.ts';
import type { TimeRange } from '../../../kit/platform/paging.ts';
import type { EventFilter, EventRow } from '../rows.ts';
import { type Found, mergeFound, type PageStart, type Place, type ReadRows, scan } from './page.ts';
import { placeRange } from './place-range.ts';
import { paymentOf } from './search.ts';

/** Lists of the deliveries of events. */

/** A delivery as its book has it. The reader knows the tenant. */
export type BookedEvent = Omit<EventRow, 'environment' | 'merchantId'>;

/** The columns of `delivery` with its row of `payment`. */
export const DELIVERY_COLUMNS = `delivery_id AS deliveryId, payment.uuid AS paymentUuid, unique_id AS uniqueId,
  sequence, delivery.type, delivery_status AS deliveryStatus, created_at_ms AS createdAtMs,
  due_at_ms AS dueAtMs, tries, last_try_at_ms AS lastTryAtMs, last_http_status AS lastHttpStatus,
  last_error AS lastError, last_duration_ms AS lastDurationMs, endpoint_id AS endpointId,
  destination_origin AS destinationOrigin`;

export type StoredEvent = Omit<BookedEvent, 'eventId' | 'position'> &
  Record<string, SqlStorageValue>;

/** `delivery_id` is the event's id, a dot and the position. */
export function bookedEvent(stored: StoredEvent): BookedEvent {
  const dot = stored.deliveryId.lastIndexOf('.');
  return {
    ...stored,
    eventId: stored.deliveryId.slice(0, dot),
    position: Number(stored.deliveryId.slice(dot + 1)),
  };
}

function placed(row: BookedEvent) {
  return { row, place: { atMs: row.createdAtMs, id: row.deliveryId, volume: 0 } };
}

/** Deliveries in an order that an index has. `index` and `condition` are constants of this file. */
function inOrder(
  sql: SqlStorage,
  index: string,
  condition: string,
  values: readonly string[],
  range: TimeRange,
  start: PageStart,
): ReadRows<BookedEvent> {
  const order = start.isAscending ? 'ASC' : 'DESC';
  return (after, limit) => {
    const next =
      after === null ? start : { ...start, after: textPlace(after), includesPlace: false };
    const { condition: within, params } = placeRange('created_at_ms', 'delivery_id', range, next);
    const rows = sql.exec<StoredEvent>(
      `SELECT ${DELIVERY_COLUMNS} FROM delivery ${index} CROSS JOIN payment ON payment.id = payment_id
        WHERE ${condition} AND ${within}
        ORDER BY created_at_ms ${order}, delivery_id ${order} LIMIT ?`,
      ...values,
      ...params,
      limit,
    );
    return { rows: rows.toArray().map(bookedEvent).map(placed), coveredTo: null };
  };
}

function textPlace({ atMs, id }: Place) {
  return { atMs, id: String(id) };
}

function ofStatus(sql: SqlStorage, status: string, range: TimeRange, start: PageStart) {
  return inOrder(
    sql,
    'INDEXED BY delivery_by_status',
    "delivery_status <> 'delivered' AND delivery_status = ?",
    [status],
    range,
    start,
  );
}

/** Newest first. `distinct`: of each event its first delivery, or the first in the wanted state. */
export function events(
  sql: SqlStorage,
  { uniqueId, deliveryStatus, endpointId, type, ...range }: EventFilter,
  isDistinct: boolean,
  start: PageStart,
  limit: number,
): Found<BookedEvent> {
  const matches = (row: BookedEvent) =>
    (deliveryStatus ?? row.deliveryStatus) === row.deliveryStatus &&
    (endpointId ?? row.endpointId) === row.endpointId &&
    (type ?? row.type) === row.type &&
    (!isDistinct || isFirst(sql, row, deliveryStatus));
  if (uniqueId !== undefined) {
    return mergeFound(
      [eventsOfPayment(sql, uniqueId, range, start, matches)],
      start.isAscending,
      limit,
    );
  }
  const read =
    endpointId !== undefined
      ? inOrder(
          sql,
          'INDEXED BY delivery_by_endpoint',
          'endpoint_id = ?',
          [endpointId],
          range,
          start,
        )
      : deliveryStatus !== undefined && deliveryStatus !== 'delivered'
        ? ofStatus(sql, deliveryStatus, range, start)
        : inOrder(sql, '', 'TRUE', [], range, start);
  return scan(read, matches, limit);
}

/** Looks up the deliveries at the times in the payment's row, because a payment has few. */
function eventsOfPayment(
  sql: SqlStorage,
  uniqueId: string,
  range: TimeRange,
  start: PageStart,
  matches: (row: BookedEvent) => boolean,
): Found<BookedEvent> {
  const { condition, params } = placeRange('created_at_ms', 'delivery_id', range, start);
  const payment = paymentOf(sql, uniqueId);
  const rows =
    payment === null
      ? []
      : sql
          .exec<StoredEvent>(
            `SELECT ${DELIVERY_COLUMNS} FROM payment CROSS JOIN json_each(event_times) AS event
              CROSS JOIN delivery ON created_at_ms = event.value AND payment_id = payment.id
              WHERE payment.id = ? AND ${condition}`,
            payment.id,
            ...params,
          )
          .toArray()
          .map(bookedEvent)
          .filter(matches);
  return { rows: rows.map(placed), coveredTo: null };
}

function isFirst(sql: SqlStorage, row: BookedEvent, status: string | undefined): boolean {
  const wanted = deliveriesOf(sql, [row.eventId]).filter(
    ({ deliveryStatus }) => (status ?? deliveryStatus) === deliveryStatus,
  );
  return wanted.every(({ position }) => position >= row.position);
}

/** All deliveries of the events with these ids, in no order. */
export function deliveriesOf(sql: SqlStorage, eventIds: readonly string[]): BookedEvent[] {
  return eventIds.flatMap((eventId) => {
    const atMs = eventTimeMs(eventId);
    return atMs === null
      ? []
      : sql
          .exec<StoredEvent>(
            // In ASCII a slash follows the dot, so it ends the range of an event's deliveries.
            `SELECT ${DELIVERY_COLUMNS} FROM delivery CROSS JOIN payment ON payment.id = payment_id
              WHERE created_at_ms = ? AND delivery_id > ? || '.' AND delivery_id < ? || '/'`,
            atMs,
            eventId,
            eventId,
          )
          .toArray()
          .map(bookedEvent);
  });
}

/** Which deliveries a person or a merchant resends together. */
export type ResentStatuses = 'failed' | 'missed';

export const RESENT: Readonly<Record<ResentStatuses, readonly DeliveryStatus[]>> = {
  failed: FAILED_DELIVERIES,
  missed: MISSED_DELIVERIES,
};

export function undelivered(
  sql: SqlStorage,
  which: ResentStatuses,
  range: TimeRange,
  start: PageStart,
  limit: number,
): Found<BookedEvent> {
  const parts = RESENT[which].map((status) => ofStatus(sql, status, range, start)(null, limit));
  return mergeFound(parts, start.isAscending, limit);
}

/** The number of failed deliveries in a time range. */
export function countFailed(
  sql: SqlStorage,
  { fromMs = 0, toMs = Number.MAX_SAFE_INTEGER }: TimeRange,
): number {
  const statuses = FAILED_DELIVERIES.map((status) => `'${status}'`).join();
  return sql
    .exec<{ events: number }>(
      `SELECT COUNT(*) AS events FROM delivery INDEXED BY delivery_by_status
        WHERE delivery_status <> 'delivered' AND delivery_status IN (${statuses})
          AND created_at_ms >= ? AND created_at_ms < ?`,
      fromMs,
      toMs,
    )
    .one().events;
}
