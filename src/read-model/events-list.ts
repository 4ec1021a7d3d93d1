import { prepare, type SqlStatement } from '../database.ts';
import type { EventType, Tenant } from '../domain/intent.ts';
import { type Cursor, keysetStatement, type Page, pageOf, type TimeRange } from '../paging.ts';

/** An event and its delivery as lists show it: seconds behind its object. */
export interface EventRow extends Tenant {
  readonly eventId: string;
  readonly paymentUuid: string;
  readonly uniqueId: string;
  /** Names the event within its payment. */
  readonly sequence: number;
  readonly type: EventType;
  /** Free text: the object's words but `claimed`, which reads `queued`. */
  readonly deliveryStatus: string;
  readonly createdAtMs: number;
  /** When it is tried next; null unless it waits for that. */
  readonly dueAtMs: number | null;
  readonly tries: number;
  readonly lastTryAtMs: number | null;
  readonly lastHttpStatus: number | null;
  readonly lastError: string | null;
  readonly lastDurationMs: number | null;
  /** Of the payment's own callbackUrl; null: wherever the merchant's setting says. */
  readonly destinationOrigin: string | null;
}

export const EVENT_COLUMNS = `event_id AS eventId, merchant_id AS merchantId, environment,
  payment_uuid AS paymentUuid, unique_id AS uniqueId, sequence, type,
  delivery_status AS deliveryStatus, created_at_ms AS createdAtMs, due_at_ms AS dueAtMs, tries,
  last_try_at_ms AS lastTryAtMs, last_http_status AS lastHttpStatus, last_error AS lastError,
  last_duration_ms AS lastDurationMs, destination_origin AS destinationOrigin`;

export interface EventFilter extends TimeRange {
  readonly deliveryStatus?: string | undefined;
}

/** A tenant's events, newest first. `limit`: 1 … PAGE_ROWS_MAX rows. */
export function listEvents(
  db: D1Database,
  tenant: Tenant,
  filter: EventFilter,
  cursor: Cursor | null,
  limit: number,
): Promise<Page<EventRow>> {
  return readEvents(db, eventsStatement(tenant, filter, cursor, limit), cursor, limit);
}

export function eventsStatement(
  tenant: Tenant,
  { deliveryStatus, ...range }: EventFilter,
  cursor: Cursor | null,
  limit: number,
): SqlStatement {
  const query = {
    columns: EVENT_COLUMNS,
    table: 'webhook_event',
    index: deliveryStatus === undefined ? 'webhook_event_by_time' : 'webhook_event_by_status',
    idColumn: 'event_id',
    conditions: [
      ofTenant(tenant),
      ...(deliveryStatus === undefined
        ? []
        : [{ sql: 'delivery_status = ?', params: [deliveryStatus] }]),
    ],
    range,
  } as const;
  return keysetStatement(query, cursor, limit);
}

/** Has not arrived, and nothing more is going to happen by itself. Words of the partial index. */
const IS_FAILED = "delivery_status IN ('dead', 'undeliverable', 'paused')";

/** A tenant's events of a range that failed for good, newest first. */
export function failedEvents(
  db: D1Database,
  tenant: Tenant,
  range: TimeRange,
  cursor: Cursor | null,
  limit: number,
): Promise<Page<EventRow>> {
  return readEvents(db, failedEventsStatement(tenant, range, cursor, limit), cursor, limit);
}

export function failedEventsStatement(
  tenant: Tenant,
  range: TimeRange,
  cursor: Cursor | null,
  limit: number,
): SqlStatement {
  const query = {
    columns: EVENT_COLUMNS,
    table: 'webhook_event',
    index: 'webhook_event_failed',
    idColumn: 'event_id',
    conditions: [ofTenant(tenant), { sql: IS_FAILED, params: [] }],
    range,
  } as const;
  return keysetStatement(query, cursor, limit);
}

/** How many events `failedEvents` would list. */
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

function ofTenant({ merchantId, environment }: Tenant) {
  return { sql: 'merchant_id = ? AND environment = ?', params: [merchantId, environment] };
}

async function readEvents(
  db: D1Database,
  statement: SqlStatement,
  cursor: Cursor | null,
  limit: number,
): Promise<Page<EventRow>> {
  const { results } = await prepare(db, statement).all<EventRow>();
  return pageOf(results, cursor, limit, ({ eventId }) => eventId);
}
