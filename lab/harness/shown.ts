import type { eventBody, statusContent } from '../../src/webhooks/payload.ts';

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
