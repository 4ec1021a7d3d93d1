import { prepare, type SqlStatement } from '../database.ts';
import type { Environment } from '../domain/method.ts';
import type { List } from '../paging.ts';
import { EVENT_COLUMNS, type EventRow, eventList } from './events-list.ts';
import { paymentList, type StoredPayment } from './payment-row.ts';

/** Queries for the operator, over all merchants. Never show their results to a merchant. */

/** Must equal the condition of the partial index. */
const NEEDS_ATTENTION = '(unresolved_attempts > 0 OR anomalies > 0 OR late = 1)';

/** A reviewed payment is listed again when it has more to review than at its review. */
const IS_UNREVIEWED = `NOT EXISTS (
  SELECT 1 FROM payment_reviews AS review WHERE review.uuid = payment.uuid
    AND review.anomalies >= payment.anomalies
    AND review.unresolved_attempts >= payment.unresolved_attempts
    AND review.late >= payment.late)`;

/**
 * Late payments and payments with unresolved attempts or anomalies, if no operator has reviewed
 * their current state.
 */
export function paymentsNeedingAttention(environment: Environment): List<StoredPayment> {
  return paymentList('payment_needing_attention', [
    { sql: 'environment = ?', params: [environment] },
    { sql: NEEDS_ATTENTION, params: [] },
    { sql: IS_UNREVIEWED, params: [] },
  ]);
}

/** Must equal the condition of the partial index. */
const HAS_NOT_ARRIVED = "delivery_status NOT IN ('delivered', 'superseded', 'skipped')";

/** All merchants' events of one delivery status, such as `dead` or `waiting`. */
export function eventsOfAll(environment: Environment, deliveryStatus: string): List<EventRow> {
  return eventList('webhook_event_not_arrived', [
    { sql: 'environment = ? AND delivery_status = ?', params: [environment, deliveryStatus] },
    { sql: HAS_NOT_ARRIVED, params: [] },
  ]);
}

/** The oldest event that is still being delivered, or null. */
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
      ORDER BY created_at_ms, delivery_id LIMIT 1`,
    params: [environment, deliveryStatus],
  };
}

/** The number of undelivered events by delivery status. */
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
