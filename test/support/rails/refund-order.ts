import type { StandIn, StandInRefund } from '../../../scripts/stand-ins/stand-in.ts';
import type { Attempt } from '../../../src/engine/domain/attempt.ts';
import type { Refund } from '../../../src/engine/domain/refund.ts';
import type { RailOrder } from '../../../src/engine/rails/rail-order.ts';
import type { RefundAnswer, RefundOrder } from '../../../src/engine/rails/refund.ts';
import { freshReference } from './order.ts';

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
      reference: freshReference(),
      attemptId: payment.attempt.id,
      reason: null,
      requester: { type: 'api', keyId: 'key' },
      amountMinor: payment.terms.amountMinor,
      commissionReturnedMinor: payment.chargedMinor - payment.terms.amountMinor,
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
      repeat: null,
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

/** The next part of the same payment. */
export function part(
  { payment }: RefundOrder,
  returnedMinor: number,
  order: Partial<RefundOrder> = {},
  refund: Partial<Refund> = {},
): RefundOrder {
  return refundOrderFor(payment, {
    refund: { amountMinor: returnedMinor, returnedMinor, ...refund },
    order,
  });
}

/** The refund of an attempt that differs. */
export function withAttempt(order: RefundOrder, changed: Partial<Attempt>): RefundOrder {
  const { payment } = order;
  return { ...order, payment: { ...payment, attempt: { ...payment.attempt, ...changed } } };
}

/** The refunds of the payment that the provider got. */
export async function refundsAt(
  standIn: Pick<StandIn, 'order'>,
  { payment }: RefundOrder,
): Promise<readonly StandInRefund[]> {
  return (await standIn.order(payment.attempt.reference)).refunds ?? [];
}

/** The amounts that the provider has returned of the payment. */
export async function returnedAt(
  standIn: Pick<StandIn, 'order'>,
  order: RefundOrder,
): Promise<readonly string[]> {
  const refunds = await refundsAt(standIn, order);
  return refunds.filter(({ isReturned }) => isReturned).map(({ amountText }) => amountText);
}

export const NOT_ENABLED = {
  type: 'requires_action',
  reason: 'not_enabled',
} as const satisfies RefundAnswer;
export const NOT_SUPPORTED = {
  type: 'requires_action',
  reason: 'not_supported',
} as const satisfies RefundAnswer;
export const DECLINED = { type: 'failed', reason: 'declined' } as const satisfies RefundAnswer;
export const MISCONFIGURED = {
  type: 'failed',
  reason: 'misconfigured',
} as const satisfies RefundAnswer;
export const UNKNOWN = { type: 'unknown' } as const satisfies RefundAnswer;
