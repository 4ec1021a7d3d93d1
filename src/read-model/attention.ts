import type { Currency, Environment, Method } from '../domain/method.ts';
import { batch, prepare, type SqlStatement } from '../platform/database.ts';
import type { List } from '../platform/paging.ts';
import { EVENT_COLUMNS, type EventRow, eventList } from './events-list.ts';
import { paymentList, type StoredPayment } from './payment-row.ts';

/** Queries for the operator, over all merchants. Never show their results to a merchant. */

/** Must equal the condition of the partial index. */
const NEEDS_ATTENTION =
  '(unresolved_attempts > 0 OR anomalies > 0 OR proposed_attempts > 0 OR late = 1)';

/**
 * A reviewed payment is listed again when it has more to review than at its review. A proposal stays
 * listed until a second operator decides.
 */
const IS_UNREVIEWED = `(proposed_attempts > 0 OR NOT EXISTS (
  SELECT 1 FROM payment_reviews AS review WHERE review.uuid = payment.uuid
    AND review.anomalies >= payment.anomalies
    AND review.unresolved_attempts >= payment.unresolved_attempts
    AND review.late >= payment.late))`;

/**
 * Late payments and payments with unresolved attempts or anomalies, if no operator has reviewed
 * their current state, and those with a proposal.
 */
export function paymentsNeedingAttention(environment: Environment): List<StoredPayment> {
  return paymentList('payment_needing_attention', [
    { sql: 'environment = ?', params: [environment] },
    { sql: NEEDS_ATTENTION, params: [] },
    { sql: IS_UNREVIEWED, params: [] },
  ]);
}

/** Must equal the condition of the partial index. */
const HAS_NO_OUTCOME = "status IN ('pending', 'processing', 'unresolved', 'requires_action')";

/** The gateway calls a provider at once and hears within minutes: after this, something is stuck. */
export const REFUND_OVERDUE_MS = 60 * 60 * 1_000;

/**
 * Refunds that require a person, are unresolved, or are overdue. One that waits for an earlier
 * refund of its attempt is not: that one is listed.
 */
const NEEDS_PERSON = `(status IN ('unresolved', 'requires_action') OR created_at_ms < ? AND NOT (
  status = 'pending' AND EXISTS (SELECT 1 FROM refunds AS other INDEXED BY refunds_by_payment
    WHERE other.merchant_id = refunds.merchant_id AND other.environment = refunds.environment
      AND other.unique_id = refunds.unique_id AND other.transaction_id = refunds.transaction_id
      AND other.status IN ('processing', 'unresolved', 'requires_action'))))`;

/** A refund in lists. May lag its payment's object by seconds. Amounts are in minor units. */
export interface WaitingRefund {
  readonly environment: Environment;
  readonly merchantId: string;
  readonly refundUniqueId: string;
  /** Of the payment. */
  readonly uniqueId: string;
  readonly paymentUuid: string;
  readonly status: 'pending' | 'processing' | 'unresolved' | 'requires_action';
  readonly actionReason: string | null;
  /** What the customer gets. */
  readonly returnedMinor: number;
  readonly currency: Currency;
  readonly method: Method;
  /** Of the attempt that is refunded. */
  readonly transactionId: string;
  /** The refund's number at the provider. */
  readonly reference: string;
  readonly createdAtMs: number;
}

export function refundsNeedingAttention(
  environment: Environment,
  nowMs: number,
): List<WaitingRefund> {
  return {
    columns: `environment, merchant_id AS merchantId, refund_unique_id AS refundUniqueId,
      unique_id AS uniqueId, payment_uuid AS paymentUuid, status, action_reason AS actionReason,
      returned_minor AS returnedMinor, currency, method, transaction_id AS transactionId, reference,
      created_at_ms AS createdAtMs`,
    table: 'refunds',
    index: 'refunds_without_outcome',
    timeColumn: 'created_at_ms',
    // A merchant's id may be longer than a cursor.
    idColumn: 'reference',
    conditions: [
      { sql: 'environment = ?', params: [environment] },
      { sql: HAS_NO_OUTCOME, params: [] },
      { sql: NEEDS_PERSON, params: [nowMs - REFUND_OVERDUE_MS] },
    ],
    placeOf: ({ createdAtMs, reference }) => ({ atMs: createdAtMs, id: reference }),
  };
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
  const results = await batch<EventRow>(db, statements);
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
