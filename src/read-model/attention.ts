import { prepare, type SqlStatement } from '../database.ts';
import type { Environment } from '../domain/method.ts';
import type { List } from '../paging.ts';
import { EVENT_COLUMNS, type EventRow, eventList } from './events-list.ts';
import { paymentList, type StoredPayment } from './payment-row.ts';

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
 * Payments with unresolved attempts or anomalies, and late ones, that no operator has reviewed as
 * they are now.
 */
export function paymentsNeedingAttention(environment: Environment): List<StoredPayment> {
  return paymentList('payment_needing_attention', [
    { sql: 'environment = ?', params: [environment] },
    { sql: NEEDS_ATTENTION, params: [] },
    { sql: IS_NEWS, params: [] },
  ]);
}

/** Words of the partial index. */
const HAS_NOT_ARRIVED = "delivery_status NOT IN ('delivered', 'superseded')";

/** Events of one delivery status over all merchants: `dead`, `waiting` … */
export function eventsOfAll(environment: Environment, deliveryStatus: string): List<EventRow> {
  return eventList('webhook_event_not_arrived', [
    { sql: 'environment = ? AND delivery_status = ?', params: [environment, deliveryStatus] },
    { sql: HAS_NOT_ARRIVED, params: [] },
  ]);
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
