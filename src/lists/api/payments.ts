import type { MerchantCall } from '../../engine/api/call.ts';
import type { IntentStatus } from '../../engine/domain/intent.ts';
import { idWithoutPhone } from '../../engine/domain/phone.ts';
import { WIRE_STATUSES, wireStatus } from '../../engine/webhooks/payload.ts';
import { isoTime } from '../../kit/ethiopian-time.ts';
import { successResponse } from '../../kit/http/envelope.ts';
import { pageContent, readListQuery } from '../../kit/http/list-request.ts';
import { type ExportedPayment, readerOf } from '../book/reader.ts';
import { paymentsQuery } from './schema/list.ts';

/** GET …/intents: the merchant's payments of this environment, newest first (docs/lists.md#lists). */
export async function listPayments({ request, env, access }: MerchantCall): Promise<Response> {
  const query = readListQuery(request, paymentsQuery);
  const filter = {
    status: STATUSES.find((status) => WIRE_STATUSES[status] === query.status),
    method: query.method,
    createdFromMs: query.createdFrom,
    createdToMs: query.createdTo,
    endedFromMs: query.endedFrom,
    endedToMs: query.endedTo,
    paidFromMs: query.paidFrom,
    paidToMs: query.paidTo,
    phone: query.customerPhone,
    metadata: query.metadata,
    paymentLinkUniqueId: query.paymentLinkUniqueId,
  };
  const reader = await readerOf(env, access);
  const page = await reader.summaries(filter, query.cursor ?? null, query.limit);
  return successResponse('Payments found', pageContent(page, summaryContent));
}

const STATUSES = Object.keys(WIRE_STATUSES) as IntentStatus[];

export type PaymentSummaryContent = ReturnType<typeof summaryContent>;

/** Names of the payment object, but for three dates (docs/lists.md#payment-summary). */
function summaryContent({ details, ...row }: ExportedPayment) {
  const { receipt = null, providerReference = null, phone = null, metadata = {} } = details;
  return {
    paymentIntentId: row.number,
    uuid: row.uuid,
    uniqueId: row.uniqueId,
    test: row.environment === 'sandbox',
    status: wireStatus(row.status),
    totalAmount: row.amountMinor,
    commission: row.commissionMinor,
    chargedAmount: row.chargedMinor,
    refundedAmount: row.refundedMinor,
    currency: row.currency,
    transactionId: row.transactionId,
    paymentType: row.method,
    receipt,
    // Null also if it contains the customer's phone number.
    providerReference: idWithoutPhone(providerReference, phone),
    reason: row.failureReason,
    late: row.late,
    createdAt: isoTime(row.createdAtMs),
    updatedAt: isoTime(row.updatedAtMs),
    endedAt: row.endedAtMs === null ? null : isoTime(row.endedAtMs),
    metadata,
    paidAt: row.paidAtMs === null ? null : isoTime(row.paidAtMs),
  };
}
