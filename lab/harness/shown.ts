import type { eventBody, statusContent } from '../../src/engine/webhooks/payload.ts';

/** A payment as merchants see it in the answer of the status call. */
export type ShownPayment = ReturnType<typeof statusContent>;
export type ShownRefund = ShownPayment['refunds'][number];

/** A payment as merchants see it in an event: the content of `eventBody`. */
export interface ShownEvent
  extends Omit<ShownPayment, 'anomalies' | 'refundedAmount' | 'refunds' | 'netShareAmounts'> {
  readonly event: string;
  readonly refundedAmount?: number;
  /** The refund that the event is about. */
  readonly refund?: ShownRefund;
}

/** What a webhook carries: the event's body as text, and its signature. */
export interface Envelope {
  readonly webHookEvent: string;
  readonly paymentIntentUniqueId: string;
  readonly status: string;
  readonly environment: string;
  readonly signature: string;
  readonly body: ReturnType<typeof eventBody>;
}

/**
 * How an envelope contradicts its own body. Many receivers read only the envelope, and must not take
 * a refund for a payment.
 */
export function contradictionsIn(envelope: Envelope): readonly string[] {
  const payment: ShownEvent = JSON.parse(envelope.body);
  const { status, refund } = payment;
  const name = refund === undefined ? `PAYMENT_${status}` : `REFUND_${refund.status}`;
  const comparisons = {
    id: [envelope.paymentIntentUniqueId, payment.uniqueId],
    name: [envelope.webHookEvent, name],
    event: [payment.event, name],
    status: [
      envelope.status,
      refund === undefined ? status : name === 'REFUND_SUCCESS' ? 'REFUNDED' : name,
    ],
    // The payment of a refund stays paid.
    payment: [status, refund === undefined ? status : 'SUCCESS'],
  };
  return Object.entries(comparisons).flatMap(([what, [shown, wanted]]) =>
    shown === wanted ? [] : [`${what} of the event is ${shown}, and must be ${wanted}`],
  );
}
