import type { FailureReason, IntentKind, IntentStatus, Tenant } from '../domain/intent.ts';
import type { Currency, Method } from '../domain/method.ts';
import {
  type Condition,
  type Cursor,
  type List,
  type Page,
  readPage,
  type TimeRange,
} from '../paging.ts';

/** A payment as lists show it: seconds behind its object. Amounts in minor units. */
export interface PaymentRow extends Tenant {
  readonly uuid: string;
  readonly number: number;
  readonly uniqueId: string;
  readonly kind: IntentKind;
  readonly status: IntentStatus;
  readonly failureReason: FailureReason | null;
  readonly late: boolean;
  /** Without commission. */
  readonly amountMinor: number;
  /** Of `method`; 0 while none is chosen. */
  readonly commissionMinor: number;
  /** What the customer pays. */
  readonly chargedMinor: number;
  readonly currency: Currency;
  /** Of the attempt that paid, else of the latest, else null. */
  readonly method: Method | null;
  readonly unresolvedAttempts: number;
  readonly anomalies: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly endedAtMs: number | null;
}

/** What D1 hands out for PAYMENT_COLUMNS. */
export type StoredPayment = Omit<PaymentRow, 'late'> & { readonly late: number };

export const PAYMENT_COLUMNS = `payment.uuid, payment.environment,
  payment.merchant_id AS merchantId, payment.number, payment.unique_id AS uniqueId, payment.kind,
  payment.status, payment.failure_reason AS failureReason, payment.late,
  payment.amount_minor AS amountMinor, payment.commission_minor AS commissionMinor,
  payment.amount_minor + payment.commission_minor * payment.commission_paid_by_customer
    AS chargedMinor,
  payment.currency, payment.method, payment.unresolved_attempts AS unresolvedAttempts,
  payment.anomalies, payment.created_at_ms AS createdAtMs, payment.updated_at_ms AS updatedAtMs,
  payment.ended_at_ms AS endedAtMs`;

export function paymentRow(stored: StoredPayment): PaymentRow {
  return { ...stored, late: stored.late === 1 };
}

/** A list of payments under these conditions, newest first. */
export function paymentList(
  index: string,
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
