import { REFERENCE_LENGTH, referenceFrom } from '../../../src/domain/identifiers.ts';
import type { Refund } from '../../../src/domain/refund.ts';
import type { RailOrder } from '../../../src/rails/rail-order.ts';
import type { RefundOrder } from '../../../src/rails/refund.ts';

/** A refund of the whole of a paid order, as an adapter gets it at its single call. */
export function refundOrderFor(
  payment: RailOrder,
  changed: {
    readonly refund?: Partial<Refund>;
    readonly order?: Partial<Omit<RefundOrder, 'payment' | 'refund'>>;
  } = {},
): RefundOrder {
  const nowMs = Date.now();
  return {
    payment,
    refund: {
      id: 'refund-1001',
      requestId: crypto.randomUUID(),
      idempotencyKeyDigest: null,
      bodyDigest: null,
      reference: referenceFrom(crypto.getRandomValues(new Uint8Array(REFERENCE_LENGTH))),
      attemptId: payment.attempt.id,
      reason: null,
      requester: { type: 'api', keyId: 'key' },
      amountMinor: payment.chargedMinor,
      commissionReturnedMinor: 0,
      returnedMinor: payment.chargedMinor,
      status: 'processing',
      requestedStatus: 'pending',
      requestedActionReason: null,
      failureReason: null,
      actionReason: null,
      startAtMs: nowMs,
      claimId: crypto.randomUUID(),
      deadlineAtMs: nowMs + 60_000,
      checkAtMs: nowMs + 60_000,
      checks: 0,
      railReference: null,
      providerCode: null,
      late: false,
      proposal: null,
      manualResolutionId: null,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
      ...changed.refund,
    },
    returnedBeforeMinor: 0,
    isFirst: true,
    callbackUrl: `https://pay.example.com/rails/${payment.attempt.railId}/refunds/test1.refund-token`,
    ...changed.order,
  };
}
