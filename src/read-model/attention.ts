import { prepare, type SqlStatement } from '../database.ts';
import type { Environment } from '../domain/method.ts';
import { type Cursor, keysetStatement, type Page, pageOf } from '../paging.ts';
import { EVENT_COLUMNS, type EventRow } from './events-list.ts';
import { PAYMENT_COLUMNS, type PaymentRow, paymentRow, type StoredPayment } from './payment-row.ts';

/** What the operator looks at. Over all merchants: for no merchant's eyes. */

/** Words of the partial index. */
const NEEDS_ATTENTION = '(unresolved_attempts > 0 OR anomalies > 0 OR late = 1)';

/** What the operator has looked at already shows again as soon as there is more of it. */
const IS_NEWS = `NOT EXISTS (
  SELECT 1 FROM payment_reviews AS review WHERE review.uuid = payment.uuid
    AND review.anomalies >= payment.anomalies
    AND review.unresolved_attempts >= payment.unresolved_attempts
    AND review.late >= payment.late)`;

/**
 * Payments with unresolved attempts or anomalies, and late ones, that nobody has reviewed as they
 * are; newest first.
 */
export async function listAttention(
  db: D1Database,
  environment: Environment,
  cursor: Cursor | null,
  limit: number,
): Promise<Page<PaymentRow>> {
  const statement = attentionStatement(environment, cursor, limit);
  const { results } = await prepare(db, statement).all<StoredPayment>();
  return pageOf(results.map(paymentRow), cursor, limit, ({ uuid }) => uuid);
}

export function attentionStatement(
  environment: Environment,
  cursor: Cursor | null,
  limit: number,
): SqlStatement {
  const query = {
    columns: PAYMENT_COLUMNS,
    table: 'payment',
    index: 'payment_needing_attention',
    idColumn: 'uuid',
    conditions: [
      { sql: 'environment = ?', params: [environment] },
      { sql: NEEDS_ATTENTION, params: [] },
      { sql: IS_NEWS, params: [] },
    ],
    range: {},
  } as const;
  return keysetStatement(query, cursor, limit);
}

/** Words of the partial index. */
const HAS_NOT_ARRIVED = "delivery_status NOT IN ('delivered', 'superseded')";

/** Events of one delivery status over all merchants (`dead`, `waiting` …), newest first. */
export async function listEventsOfAll(
  db: D1Database,
  environment: Environment,
  deliveryStatus: string,
  cursor: Cursor | null,
  limit: number,
): Promise<Page<EventRow>> {
  const statement = eventsOfAllStatement(environment, deliveryStatus, cursor, limit);
  const { results } = await prepare(db, statement).all<EventRow>();
  return pageOf(results, cursor, limit, ({ eventId }) => eventId);
}

export function eventsOfAllStatement(
  environment: Environment,
  deliveryStatus: string,
  cursor: Cursor | null,
  limit: number,
): SqlStatement {
  const query = {
    columns: EVENT_COLUMNS,
    table: 'webhook_event',
    index: 'webhook_event_not_arrived',
    idColumn: 'event_id',
    conditions: [
      { sql: 'environment = ? AND delivery_status = ?', params: [environment, deliveryStatus] },
      { sql: HAS_NOT_ARRIVED, params: [] },
    ],
    range: {},
  } as const;
  return keysetStatement(query, cursor, limit);
}

/** The event that has been on its way for longest, or null when none is. */
export async function oldestUndelivered(
  db: D1Database,
  environment: Environment,
): Promise<EventRow | null> {
  const statements = ['queued', 'waiting'].map((status) => oldestStatement(environment, status));
  const results = await db.batch<EventRow>(statements.map((statement) => prepare(db, statement)));
  const found = results.flatMap((result) => result.results);
  return found.reduce<EventRow | null>(
    (oldest, event) =>
      oldest !== null && oldest.createdAtMs <= event.createdAtMs ? oldest : event,
    null,
  );
}

export function oldestStatement(environment: Environment, deliveryStatus: string): SqlStatement {
  return {
    sql: `SELECT ${EVENT_COLUMNS} FROM webhook_event INDEXED BY webhook_event_not_arrived
      WHERE environment = ? AND delivery_status = ? AND ${HAS_NOT_ARRIVED}
      ORDER BY created_at_ms, event_id LIMIT 1`,
    params: [environment, deliveryStatus],
  };
}

/** Events that have not arrived, by delivery status. */
export async function countEventsByStatus(
  db: D1Database,
  environment: Environment,
): Promise<Readonly<Record<string, number>>> {
  const { results } = await prepare(db, countEventsStatement(environment)).all<{
    deliveryStatus: string;
    events: number;
  }>();
  return Object.fromEntries(results.map(({ deliveryStatus, events }) => [deliveryStatus, events]));
}

export function countEventsStatement(environment: Environment): SqlStatement {
  return {
    sql: `SELECT delivery_status AS deliveryStatus, COUNT(*) AS events
      FROM webhook_event INDEXED BY webhook_event_not_arrived
      WHERE environment = ? AND ${HAS_NOT_ARRIVED}
      GROUP BY delivery_status`,
    params: [environment],
  };
}
