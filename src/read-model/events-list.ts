import { prepare, type SqlStatement } from '../database.ts';
import type { EventType, Tenant } from '../domain/intent.ts';
import type { ProjectedEvent } from '../intent/protocol.ts';
import { type Condition, type List, type TimeRange, tenantIs, when } from '../paging.ts';

/** An event and its delivery in lists. May lag its object by seconds. */
export interface EventRow
  extends Tenant,
    Omit<ProjectedEvent, 'revision' | 'type' | 'deliveryStatus'> {
  readonly paymentUuid: string;
  readonly uniqueId: string;
  readonly type: EventType;
  /** Any text, because a newer release may add statuses. */
  readonly deliveryStatus: string;
}

export const EVENT_COLUMNS = `event_id AS eventId, merchant_id AS merchantId, environment,
  payment_uuid AS paymentUuid, unique_id AS uniqueId, sequence, type,
  delivery_status AS deliveryStatus, created_at_ms AS createdAtMs, due_at_ms AS dueAtMs, tries,
  last_try_at_ms AS lastTryAtMs, last_http_status AS lastHttpStatus, last_error AS lastError,
  last_duration_ms AS lastDurationMs, destination_origin AS destinationOrigin`;

export interface EventFilter extends TimeRange {
  readonly deliveryStatus?: string | undefined;
}

/** A list of events that meet the conditions, newest first. */
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
    idColumn: 'event_id',
    conditions,
    range,
    placeOf: ({ createdAtMs, eventId }) => ({ atMs: createdAtMs, id: eventId }),
  };
}

/** A tenant's events. */
export function eventsOf(
  tenant: Tenant,
  { deliveryStatus, ...range }: EventFilter,
): List<EventRow> {
  const index = deliveryStatus === undefined ? 'webhook_event_by_time' : 'webhook_event_by_status';
  const conditions = [tenantIs(tenant), ...when('delivery_status = ?', deliveryStatus)];
  return eventList(index, conditions, range);
}

/** FAILED_DELIVERIES. Must equal the condition of the partial index. */
const IS_FAILED = "delivery_status IN ('dead', 'undeliverable', 'paused')";

/** A tenant's failed deliveries in a time range. */
export function failedEventsOf(tenant: Tenant, range: TimeRange): List<EventRow> {
  const conditions = [tenantIs(tenant), { sql: IS_FAILED, params: [] }];
  return eventList('webhook_event_failed', conditions, range);
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
    sql: `SELECT COUNT(*) AS events FROM webhook_event INDEXED BY webhook_event_failed
      WHERE merchant_id = ? AND environment = ? AND ${IS_FAILED}
        AND created_at_ms >= ? AND created_at_ms < ?`,
    params: [merchantId, environment, fromMs, toMs],
  };
}
