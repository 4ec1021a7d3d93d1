import { isoTime } from '../../kit/ethiopian-time.ts';
import type { Intent } from '../domain/intent.ts';
import type { Refund, RefundStatus } from '../domain/refund.ts';

/**
 * A refund as merchants see it: an unresolved one has no known outcome yet, so it is PROCESSING.
 */
export const WIRE_REFUND_STATUSES = {
  pending: 'PENDING',
  processing: 'PROCESSING',
  unresolved: 'PROCESSING',
  requires_action: 'REQUIRES_ACTION',
  succeeded: 'SUCCESS',
  failed: 'FAILED',
  canceled: 'CANCELED',
} as const satisfies Record<RefundStatus, string>;

/** The order of the keys is part of the contract. */
export function refundPayload(intent: Intent, refund: Refund) {
  const attempt = intent.attempts.find(({ id }) => id === refund.attemptId);
  return {
    refundUniqueId: refund.id,
    paymentIntentUniqueId: intent.terms.uniqueId,
    transactionId: attempt?.reference ?? null,
    status: WIRE_REFUND_STATUSES[refund.status],
    amountMinor: refund.amountMinor,
    commissionReturnedMinor: refund.commissionReturnedMinor,
    returnedMinor: refund.returnedMinor,
    currency: intent.terms.currency,
    reason: refund.reason,
    failureReason: refund.failureReason,
    actionReason: refund.actionReason,
    providerReference: refund.railReference,
    late: refund.late,
    createdAt: isoTime(refund.createdAtMs),
    updatedAt: isoTime(refund.updatedAtMs),
  };
}
