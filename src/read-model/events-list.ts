import { eventTimeMs } from '../crypto/event-id.ts';
import type { EventType, Tenant } from '../domain/intent.ts';
import type { ProjectedEvent } from '../intent/protocol.ts';
import { prepare, type SqlStatement } from '../platform/database.ts';
import { type Condition, type List, type TimeRange, tenantIs, when } from '../platform/paging.ts';

/** A delivery of an event in lists. May lag its object by seconds. */
export interface EventRow
  extends Tenant,
    Omit<ProjectedEvent, 'revision' | 'type' | 'deliveryStatus'> {
  /** Unique over all events. */
  readonly deliveryId: string;
  readonly paymentUuid: string;
  readonly uniqueId: string;
  readonly type: EventType;
  /** Any text, because a newer release may add statuses. */
  readonly deliveryStatus: string;
}

export const EVENT_COLUMNS = `event_id AS eventId, position, delivery_id AS deliveryId, merchant_id AS merchantId, environment,
  payment_uuid AS paymentUuid, unique_id AS uniqueId, sequence, type,
  delivery_status AS deliveryStatus, created_at_ms AS createdAtMs, due_at_ms AS dueAtMs, tries,
  last_try_at_ms AS lastTryAtMs, last_http_status AS lastHttpStatus, last_error AS lastError,
  last_duration_ms AS lastDurationMs, endpoint_id AS endpointId,
  destination_origin AS destinationOrigin`;

/** SQLite's name for the primary key: the order of time, which is the order of the table itself. */
export const EVENTS_BY_TIME = 'sqlite_autoindex_webhook_event_1';

export interface EventFilter extends TimeRange {
  /** Of the payment. */
  readonly uniqueId?: string | undefined;
  readonly deliveryStatus?: string | undefined;
  readonly endpointId?: string | undefined;
  readonly type?: EventType | undefined;
}

/** A list of deliveries that meet the conditions, newest first. */
export function eventList(
  index: string,
  conditions: readonly Condition[],
  range: TimeRange = {},
): List<EventRow> {
  return {
    columns: EVENT_COLUMNS,
    table: 'webhook_event',
    index,
    timeColumn: 'created_at_ms',
    idColumn: 'delivery_id',
    conditions,
    range,
    placeOf: ({ createdAtMs, deliveryId }) => ({ atMs: createdAtMs, id: deliveryId }),
  };
}

/** A tenant's events. */
export function eventsOf(
  tenant: Tenant,
  { uniqueId, deliveryStatus, endpointId, type, ...range }: EventFilter,
): List<EventRow> {
  const conditions = [
    tenantIs(tenant),
    // Few of its deliveries are in another status, so filtering them costs little.
    ...when('endpoint_id = ?', endpointId),
    ...when('delivery_status = ?', deliveryStatus),
    ...when('type = ?', type),
  ];
  if (uniqueId !== undefined) {
    return {
      ...eventList(EVENTS_BY_TIME, conditions, range),
      ...timesOfPayment(tenant, uniqueId),
    };
  }
  // Most deliveries arrived, so the index by status has only the others.
  const isByStatus = deliveryStatus !== undefined && deliveryStatus !== 'delivered';
  const ofAll = isByStatus ? 'webhook_event_by_status' : EVENTS_BY_TIME;
  const index = endpointId === undefined ? ofAll : 'webhook_event_by_endpoint';
  const isNotDelivered = { sql: "delivery_status <> 'delivered'", params: [] };
  return eventList(index, isByStatus ? [...conditions, isNotDelivered] : conditions, range);
}

/**
 * Looks the events of one payment up at the times that its row names, and sorts them: a payment has
 * few, whatever the tenant has. An index of events by payment would cost a written row for each.
 */
function timesOfPayment({ merchantId, environment }: Tenant, uniqueId: string) {
  return {
    // CROSS JOIN makes SQLite read the times first.
    table: `(SELECT uuid AS owner, event.value AS at_ms
        FROM payment INDEXED BY payment_unique_id CROSS JOIN json_each(event_times) AS event
        WHERE merchant_id = ? AND environment = ? AND unique_id = ?) AS place
      CROSS JOIN webhook_event`,
    tableParams: [merchantId, environment, uniqueId],
    join: 'ON created_at_ms = at_ms AND payment_uuid = owner',
  };
}

/** A tenant's events, of each its first delivery, or the first in the wanted state. */
export function distinctEventsOf(
  tenant: Tenant,
  filter: Omit<EventFilter, 'endpointId'>,
): List<EventRow> {
  const list = eventsOf(tenant, filter);
  const isFirst =
    filter.deliveryStatus === undefined
      ? 'position = 0'
      : `NOT EXISTS (SELECT 1 FROM webhook_event AS earlier INDEXED BY ${EVENTS_BY_TIME}
          WHERE earlier.merchant_id = webhook_event.merchant_id
            AND earlier.environment = webhook_event.environment
            AND earlier.created_at_ms = webhook_event.created_at_ms
            AND ${isDeliveryOf('earlier.delivery_id', 'webhook_event.event_id')}
            AND earlier.position < webhook_event.position
            AND earlier.delivery_status = webhook_event.delivery_status)`;
  return { ...list, conditions: [...list.conditions, { sql: isFirst, params: [] }] };
}

/** A `delivery_id` of an event: the id, a dot and a number. A slash follows the dot in ASCII. */
function isDeliveryOf(deliveryId: string, eventId: string): string {
  return `${deliveryId} > ${eventId} || '.' AND ${deliveryId} < ${eventId} || '/'`;
}

/** The `delivery_id` of the first delivery of an event, which each event has. */
export function firstDeliveryOf(eventId: string): string {
  return `${eventId}.0`;
}

/** All deliveries of the tenant's events with these ids, in no order. */
export function deliveriesStatement(
  { merchantId, environment }: Tenant,
  eventIds: readonly string[],
): SqlStatement {
  const wanted = eventIds.flatMap((id) => {
    const atMs = eventTimeMs(id);
    return atMs === null ? [] : [{ id, atMs }];
  });
  return {
    sql: `SELECT ${EVENT_COLUMNS}
      FROM (SELECT value ->> 'id' AS wanted, value ->> 'atMs' AS at_ms FROM json_each(?))
        CROSS JOIN webhook_event INDEXED BY ${EVENTS_BY_TIME}
          ON created_at_ms = at_ms AND ${isDeliveryOf('delivery_id', 'wanted')}
      WHERE merchant_id = ? AND environment = ?`,
    params: [JSON.stringify(wanted), merchantId, environment],
  };
}

/** MISSED_DELIVERIES. Must equal the condition of the partial index. */
const IS_MISSED = "delivery_status IN ('waiting', 'dead', 'undeliverable', 'paused')";
/** FAILED_DELIVERIES. */
const IS_FAILED = `${IS_MISSED} AND delivery_status <> 'waiting'`;

/** A tenant's missed deliveries since a time, oldest first. */
export function missedEventsOf(tenant: Tenant, range: TimeRange): List<EventRow> {
  const conditions = [tenantIs(tenant), { sql: IS_MISSED, params: [] }];
  return { ...eventList('webhook_event_missed', conditions, range), isOldestFirst: true };
}

/** A tenant's failed deliveries in a time range. */
export function failedEventsOf(tenant: Tenant, range: TimeRange): List<EventRow> {
  const conditions = [tenantIs(tenant), { sql: IS_FAILED, params: [] }];
  return eventList('webhook_event_missed', conditions, range);
}

/** The number of events that `failedEventsOf` lists. */
export async function countFailedEvents(
  db: D1Database,
  tenant: Tenant,
  range: TimeRange,
): Promise<number> {
  const statement = countFailedEventsStatement(tenant, range);
  return (await prepare(db, statement).first<number>('events')) ?? 0;
}

export function countFailedEventsStatement(
  { merchantId, environment }: Tenant,
  { fromMs = 0, toMs = Number.MAX_SAFE_INTEGER }: TimeRange,
): SqlStatement {
  return {
    sql: `SELECT COUNT(*) AS events FROM webhook_event INDEXED BY webhook_event_missed
      WHERE merchant_id = ? AND environment = ? AND ${IS_FAILED}
        AND created_at_ms >= ? AND created_at_ms < ?`,
    params: [merchantId, environment, fromMs, toMs],
  };
}
