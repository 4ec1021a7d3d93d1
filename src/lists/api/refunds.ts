import type { MerchantCall } from '../../engine/api/call.ts';
import type { RefundStatus } from '../../engine/domain/refund.ts';
import { WIRE_REFUND_STATUSES } from '../../engine/webhooks/refund-payload.ts';
import { isoTime } from '../../kit/ethiopian-time.ts';
import { successResponse } from '../../kit/http/envelope.ts';
import { pageContent, readListQuery } from '../../kit/http/list-request.ts';
import { readerOf } from '../book/reader.ts';
import type { RefundRow } from '../book/rows.ts';
import { refundsQuery } from './schema/list.ts';

/** GET …/refunds: the merchant's refunds of this environment, newest first (docs/lists.md#lists). */
export async function listRefunds({ request, env, access }: MerchantCall): Promise<Response> {
  const query = readListQuery(request, refundsQuery);
  const { status, createdFrom, createdTo, paymentIntentUniqueId, cursor, limit } = query;
  const filter = {
    status: STATUSES.find((known) => WIRE_REFUND_STATUSES[known] === status),
    uniqueId: paymentIntentUniqueId,
    fromMs: createdFrom,
    toMs: createdTo,
  };
  const page = await (await readerOf(env, access)).refunds(filter, cursor ?? null, limit);
  return successResponse('Refunds found', pageContent(page, summaryContent));
}

const STATUSES = (Object.keys(WIRE_REFUND_STATUSES) as RefundStatus[]).filter(
  (status) => status !== 'unresolved',
);

export type RefundSummaryContent = ReturnType<typeof summaryContent>;

/** A refund by the names that the refund object has (docs/lists.md#refund-summary). */
function summaryContent(row: RefundRow) {
  return {
    refundUniqueId: row.id,
    paymentIntentUniqueId: row.uniqueId,
    transactionId: row.transactionId,
    status: WIRE_REFUND_STATUSES[row.status],
    amountMinor: row.amountMinor,
    commissionReturnedMinor: row.commissionReturnedMinor,
    returnedMinor: row.returnedMinor,
    currency: row.currency,
    failureReason: row.failureReason,
    actionReason: row.actionReason,
    providerReference: row.railReference,
    late: row.late === 1,
    createdAt: isoTime(row.createdAtMs),
    updatedAt: isoTime(row.updatedAtMs),
  };
}
