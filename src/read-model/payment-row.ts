import type { Currency } from '../domain/method.ts';
import { idSearchKey } from '../domain/search-key.ts';
import type { ProjectionRow } from '../intent/protocol.ts';
import {
  type Condition,
  type Cursor,
  type List,
  type ListPart,
  type Page,
  readPage,
  type TimeRange,
} from '../platform/paging.ts';

/** A payment in lists. May lag its object by seconds. Amounts are in minor units. */
export interface PaymentRow
  extends Omit<ProjectionRow, 'currency' | 'commissionPaidByCustomer' | 'attempts'> {
  readonly currency: Currency;
  /** What the customer pays. */
  readonly chargedMinor: number;
}

/** D1's result for PAYMENT_COLUMNS. */
export type StoredPayment = Omit<PaymentRow, 'late'> & { readonly late: number };

export const PAYMENT_COLUMNS = columnsWith('payment');

/** `placed`: the table in whose order the payments are read, from which their place comes. */
function columnsWith(placed: 'payment' | 'entry'): string {
  return `${placed}.uuid AS uuid, payment.environment,
  payment.merchant_id AS merchantId, payment.number, payment.unique_id AS uniqueId, payment.kind,
  payment.status, payment.failure_reason AS failureReason, payment.late,
  payment.amount_minor AS amountMinor, payment.commission_minor AS commissionMinor,
  payment.amount_minor + payment.commission_minor * payment.commission_paid_by_customer
    AS chargedMinor,
  payment.currency, payment.method, payment.unresolved_attempts AS unresolvedAttempts,
  payment.anomalies, payment.proposed_attempts AS proposedAttempts, ${placed}.created_at_ms AS createdAtMs, payment.updated_at_ms AS updatedAtMs,
  payment.ended_at_ms AS endedAtMs, payment.transaction_id AS transactionId,
  payment.refunded_minor AS refundedMinor, payment.open_refunds AS openRefunds`;
}

/** SQLite's name for the primary key: the order of time, which is the order of the table itself. */
export const PAYMENTS_BY_TIME = 'sqlite_autoindex_payment_1';

/** Joins `payment` by its primary key to a row that has one of the same names. */
export function samePayment(other: string): string {
  return `payment.merchant_id = ${other}.merchant_id AND payment.environment = ${other}.environment
    AND payment.created_at_ms = ${other}.created_at_ms AND payment.uuid = ${other}.uuid`;
}

/**
 * Whether the row of the payment that `given`, a JSON object, names has its `key`. A late message may
 * have others, which no purge would find.
 */
export function isKeyOfPayment(given: string): string {
  return `EXISTS (SELECT 1 FROM payment INDEXED BY ${PAYMENTS_BY_TIME}
      CROSS JOIN json_each(payment.search_keys) AS own
    WHERE payment.merchant_id = ${given} ->> 'merchantId'
      AND payment.environment = ${given} ->> 'environment'
      AND payment.created_at_ms = ${given} ->> 'createdAtMs'
      AND payment.uuid = ${given} ->> 'uuid' AND own.value = ${given} ->> 'key')`;
}

/**
 * Whether `payment` was created in the second from ?1 on, in ms, and an attempt has a reference from
 * ?2 up to ?3. A second has few payments of a tenant, so this needs no index. The purge leaves only
 * the reference of the reported attempt.
 */
export const CREATED_IN_SECOND_WITH_REFERENCE = `payment.created_at_ms BETWEEN ?1 AND ?1 + 999
  AND (payment.transaction_id BETWEEN ?2 AND ?3 OR EXISTS (
    SELECT 1 FROM json_each(payment.search_keys)
    WHERE value BETWEEN '${idSearchKey('')}' || ?2 AND '${idSearchKey('')}' || ?3))`;

export function paymentRow(stored: StoredPayment): PaymentRow {
  return { ...stored, late: stored.late === 1 };
}

/**
 * A list in the order of index entries, whose conditions are about the columns of `entry`. Entries
 * that a condition skips cost no look-up of their payment if the index has all of these columns:
 * SQLite would otherwise look each up, because the table has no row ids.
 */
export function paymentListByEntries(
  parts: readonly ListPart[],
  conditions: readonly Condition[],
  range: TimeRange,
): List<StoredPayment> {
  return {
    ...paymentList({ parts, timeName: 'createdAtMs', idName: 'uuid' }, conditions, range),
    columns: columnsWith('entry'),
    table: 'payment AS entry',
    join: `CROSS JOIN payment INDEXED BY ${PAYMENTS_BY_TIME} ON ${samePayment('entry')}`,
    timeColumn: 'entry.created_at_ms',
    idColumn: 'entry.uuid',
  };
}

/** A list of payments that meet the conditions, newest first. */
export function paymentList(
  index: List<StoredPayment>['index'],
  conditions: readonly Condition[],
  range: TimeRange = {},
): List<StoredPayment> {
  return {
    columns: PAYMENT_COLUMNS,
    table: 'payment',
    index,
    timeColumn: 'created_at_ms',
    idColumn: 'uuid',
    conditions,
    range,
    placeOf: ({ createdAtMs, uuid }) => ({ atMs: createdAtMs, id: uuid }),
  };
}

/** One page of a list of payments. */
export async function readPayments(
  db: D1Database,
  list: List<StoredPayment>,
  cursor: Cursor | null,
  limit: number,
): Promise<Page<PaymentRow>> {
  const page = await readPage(db, list, cursor, limit);
  return { ...page, rows: page.rows.map(paymentRow) };
}
