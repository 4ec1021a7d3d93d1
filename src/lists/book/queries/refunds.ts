import type { RefundFilter, RefundRow } from '../rows.ts';
import { SHOWN_REFUND_STATUS } from '../schema.ts';
import type { Found, PageStart } from './page.ts';
import { placeRange } from './place-range.ts';
import { paymentOf } from './search.ts';

/** A refund as its book has it. The reader knows the tenant. */
export interface BookedRefund extends Omit<RefundRow, 'environment' | 'merchantId'> {
  /** The attempt that paid the payment; refunds may return another one. */
  readonly paidTransactionId: string | null;
}

const COLUMNS = `refund_id AS id, unique_id AS uniqueId, payment.uuid AS paymentUuid, refund.status,
  refund.amount_minor AS amountMinor, commission_returned_minor AS commissionReturnedMinor,
  returned_minor AS returnedMinor, refund.currency, refund.method,
  refund.transaction_id AS transactionId, payment.transaction_id AS paidTransactionId, reference,
  rail_reference AS railReference, refund.failure_reason AS failureReason,
  action_reason AS actionReason, refund.late, created_at_ms AS createdAtMs,
  refund.updated_at_ms AS updatedAtMs`;

/** Newest first. */
export function refunds(
  sql: SqlStorage,
  { status, uniqueId, ...range }: RefundFilter,
  start: PageStart,
  limit: number,
): Found<BookedRefund> {
  const payment = uniqueId === undefined ? null : paymentOf(sql, uniqueId);
  if (uniqueId !== undefined && payment === null) {
    return { rows: [], coveredTo: null };
  }
  const ofStatus = status === undefined ? [] : [status];
  const [index, condition, values] =
    payment === null
      ? [status === undefined ? '' : 'INDEXED BY refund_by_status', '', []]
      : ['INDEXED BY refund_by_payment', 'payment_id = ? AND', [payment.id]];
  const place = placeRange('refund.created_at_ms', 'reference', range, start);
  const order = start.isAscending ? 'ASC' : 'DESC';
  const rows = sql.exec<BookedRefund & Record<string, SqlStorageValue>>(
    `SELECT ${COLUMNS} FROM refund ${index} CROSS JOIN payment ON payment.id = payment_id
      WHERE ${condition} ${status === undefined ? '' : `${SHOWN_REFUND_STATUS} = ? AND`}
        ${place.condition}
      ORDER BY created_at_ms ${order}, reference ${order} LIMIT ?`,
    ...values,
    ...ofStatus,
    ...place.params,
    limit,
  );
  return {
    rows: rows.toArray().map((row) => ({
      row,
      place: { atMs: row.createdAtMs, id: row.reference, volume: 0 },
    })),
    coveredTo: null,
  };
}
