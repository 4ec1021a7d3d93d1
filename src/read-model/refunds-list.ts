import type { Tenant } from '../domain/intent.ts';
import type { Currency } from '../domain/method.ts';
import type { RefundStatus } from '../domain/refund.ts';
import type { ProjectedRefund } from '../intent/protocol.ts';
import { type List, type TimeRange, tenantIs, when } from '../platform/paging.ts';

/** A refund in lists. May lag its object by seconds. Amounts are in minor units. */
export interface RefundRow extends Tenant, Omit<ProjectedRefund, 'late'> {
  /** Of the payment. */
  readonly uniqueId: string;
  readonly paymentUuid: string;
  readonly currency: Currency;
  /** 0 or 1. */
  readonly late: number;
}

const REFUND_COLUMNS = `environment, merchant_id AS merchantId, refund_unique_id AS id,
  unique_id AS uniqueId, payment_uuid AS paymentUuid, status, amount_minor AS amountMinor,
  commission_returned_minor AS commissionReturnedMinor, returned_minor AS returnedMinor, currency,
  method, transaction_id AS transactionId, reference, rail_reference AS railReference,
  failure_reason AS failureReason, action_reason AS actionReason, late,
  created_at_ms AS createdAtMs, updated_at_ms AS updatedAtMs`;

/** Merchants see an unresolved refund as one in process. */
export type ShownRefundStatus = Exclude<RefundStatus, 'unresolved'>;

/** An absent member does not restrict. */
export interface RefundFilter extends TimeRange {
  readonly status?: ShownRefundStatus | undefined;
  readonly uniqueId?: string | undefined;
}

/** A tenant's refunds, newest first. */
export function refundsOf(tenant: Tenant, filter: RefundFilter): List<RefundRow> {
  const { status, uniqueId, ...range } = filter;
  return {
    columns: REFUND_COLUMNS,
    table: 'refunds',
    index: indexFor(filter),
    timeColumn: 'created_at_ms',
    idColumn: 'reference',
    conditions: [
      tenantIs(tenant),
      ...when('unique_id = ?', uniqueId),
      ...when('shown_status = ?', status),
    ],
    range,
    placeOf: ({ createdAtMs, reference }) => ({ atMs: createdAtMs, id: reference }),
  };
}

function indexFor({ status, uniqueId }: RefundFilter): string {
  if (uniqueId !== undefined) {
    return 'refunds_by_payment';
  }
  return status === undefined ? 'refunds_by_time' : 'refunds_by_status';
}
