import type { Command } from '../../engine/domain/command.ts';
import { hasEnded, type Intent } from '../../engine/domain/intent.ts';
import { isReceiptOf } from '../../engine/domain/receipt.ts';
import { hasRefundEnded } from '../../engine/domain/refund.ts';
import { isPending } from '../../engine/domain/time.ts';

/**
 * A newer copy of a payment whose older copy came back first, because the part of the newer one was
 * missing. The payment may have gone on since: its provider may have reported, or an operator decided.
 */

/**
 * Whether the newer copy has everything that the payment knows, so that replacing the payment loses
 * nothing. What only time did to it does not count: time does it again.
 */
export function hasAllOf(newer: Intent, known: Intent): boolean {
  return (
    (!hasEnded(known.status) || known.status === newer.status) &&
    known.attempts.every((attempt) => {
      const same = newer.attempts.find(({ id }) => id === attempt.id);
      const isOpen = isPending(attempt) || attempt.status === 'expired';
      const isSame = same?.status === attempt.status && same.receipt === attempt.receipt;
      return same !== undefined && attempt.proposal === null && (isOpen || isSame);
    }) &&
    known.refunds.every((refund) => {
      const same = newer.refunds.find(({ id }) => id === refund.id);
      const isAhead =
        refund.status === 'requires_action'
          ? same && hasRefundEnded(same)
          : !hasRefundEnded(refund);
      const isSame = same?.status === refund.status;
      return same !== undefined && refund.proposal === null && (isAhead || isSame);
    }) &&
    known.anomalies.every(
      ({ kind, attemptId, refundId }) =>
        kind === 'restored' ||
        newer.anomalies.some(
          (same) =>
            same.kind === kind && same.attemptId === attemptId && same.refundId === refundId,
        ),
    )
  );
}

/** The provider's proofs in the newer copy that a payment which has gone on still takes. */
export function proofsIn(newer: Intent, known: Intent): readonly Command[] {
  return newer.attempts
    .filter(({ status, isProved }) => status === 'succeeded' && isProved)
    .filter(({ id, receipt }) =>
      known.attempts.some(
        (attempt) => attempt.id === id && !(attempt.isProved && isReceiptOf(receipt, attempt)),
      ),
    )
    .map(({ id: attemptId, receipt, issuerReceipt, providerCode }) => ({
      type: 'resolve_attempt',
      attemptId,
      outcome: { type: 'succeeded', receipt, issuerReceipt, providerCode },
    }));
}
