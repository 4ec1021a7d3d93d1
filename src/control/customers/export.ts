import type { Attempt } from '../../engine/domain/attempt.ts';
import type { Intent } from '../../engine/domain/intent.ts';
import type { Refund } from '../../engine/domain/refund.ts';
import { intentByUniqueId } from '../../engine/intent/client.ts';
import type { EventSummary } from '../../engine/intent/protocol.ts';
import { concurrently } from '../../kit/platform/concurrently.ts';
import { batch } from '../../kit/platform/database.ts';
import { bodyOf, type StoredDeadLetter } from '../dead-letters/store.ts';
import type { ActionCall } from '../operator/call.ts';
import type { FoundPayment } from './search.ts';

/** What is stored about a customer, payment by payment, for the customer to read. */

/** In the order in which they were found. */
export async function exportedPayments(
  call: ActionCall,
  found: readonly FoundPayment[],
): Promise<readonly ExportedPayment[]> {
  const exported = await concurrently([...found.entries()], async ([index, payment]) => ({
    index,
    payment: await exportedPayment(call, payment),
  }));
  return exported.toSorted((one, other) => one.index - other.index).map(({ payment }) => payment);
}

export type ExportedPayment = Awaited<ReturnType<typeof exportedPayment>>;

async function exportedPayment({ env, config }: ActionCall, payment: FoundPayment) {
  const { tenant, uniqueId, uuid } = payment;
  const client = await intentByUniqueId(env, tenant, uniqueId);
  const intent = await client.read();
  const events = intent === null ? [] : await client.events();
  const [reviews, receipts, letters] = await batch<Record<string, unknown>>(env.DB, [
    {
      sql: 'SELECT note, reviewed_at_ms AS reviewedAtMs FROM payment_reviews WHERE uuid = ?1',
      params: [uuid],
    },
    {
      sql: `SELECT recorded_at_ms AS recordedAtMs FROM manual_receipts
        WHERE environment = ?1 AND merchant_id = ?2 AND unique_id = ?3`,
      params: [tenant.environment, tenant.merchantId, uniqueId],
    },
    {
      sql: `SELECT kind, subject, status, sent_at_ms AS sentAtMs, sealed_body AS sealedBody
        FROM dead_letters INDEXED BY dead_letters_by_object WHERE object_name = ?1`,
      params: [client.objectName],
    },
  ]);
  const undelivered = (letters?.results ?? []) as unknown as readonly StoredDeadLetter[];
  return {
    ...tenant,
    uniqueId,
    uuid,
    /** Null: only what is below is left of it. */
    payment: intent && paymentOf(intent),
    events: events.map(eventOf),
    reviews: reviews?.results ?? [],
    recordedReceipts: receipts?.results ?? [],
    undeliveredMessages: await Promise.all(
      undelivered.map(async (letter) => ({
        kind: letter.kind,
        status: letter.status,
        sentAtMs: letter.sentAtMs,
        message: letter.sealedBody && (await bodyOf(config.dataEncryptionKeys, letter)),
      })),
    ),
  };
}

function paymentOf({ terms, ...intent }: Intent) {
  return {
    merchantName: terms.merchantName,
    status: intent.status,
    failureReason: intent.failureReason,
    amountMinor: terms.amountMinor,
    currency: terms.currency,
    createdAtMs: terms.createdAtMs,
    endedAtMs: intent.endedAtMs,
    customer: terms.customer,
    description: terms.description,
    metadata: terms.metadata,
    items: terms.items,
    debitAccount: terms.debitAccount,
    returnUrl: terms.returnUrl,
    callbackUrl: terms.callbackUrl,
    attempts: intent.attempts.map(attemptOf),
    refunds: intent.refunds.map(refundOf),
    anomalies: intent.anomalies.map(({ kind, atMs }) => ({ kind, atMs })),
  };
}

function attemptOf(attempt: Attempt) {
  return {
    reference: attempt.reference,
    method: attempt.method,
    phone: attempt.phone,
    status: attempt.status,
    railReference: attempt.railReference,
    providerCode: attempt.providerCode,
    receipt: attempt.receipt,
    issuerReceipt: attempt.issuerReceipt,
    furtherReceipts: attempt.furtherReceipts ?? [],
    claimedReceipts: attempt.claimedReceipts ?? [],
    failureReason: attempt.failureReason,
    startedAtMs: attempt.startedAtMs,
    updatedAtMs: attempt.updatedAtMs,
  };
}

function refundOf(refund: Refund) {
  return {
    id: refund.id,
    reference: refund.reference,
    reason: refund.reason,
    status: refund.status,
    returnedMinor: refund.returnedMinor,
    railReference: refund.railReference,
    createdAtMs: refund.createdAtMs,
    updatedAtMs: refund.updatedAtMs,
  };
}

/** Who received what, and when. The event repeats the payment as it was then. */
function eventOf({ type, origin, deliveryStatus, createdAtMs, tries }: EventSummary) {
  return {
    type,
    receiver: origin,
    deliveryStatus,
    createdAtMs,
    tries: tries.map(({ atMs, httpStatus }) => ({ atMs, httpStatus })),
  };
}

/** What Kefel cannot see, for the customer to ask for there. */
export const KEPT_ELSEWHERE = [
  'The merchants of these payments: their own systems, and files that their members exported.',
  'The payment providers and banks, which keep records of their own.',
  'The gateway’s logs, for as long as its operator keeps them. They hold no phone number.',
  'Payments without your phone number or e-mail address, such as those that a provider’s page took.',
] as const;
