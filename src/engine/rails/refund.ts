import type { Refund, RefundCapability, RefundOutcome } from '../domain/refund.ts';
import type { CallbackReply, CallbackSuspicion } from './callback.ts';
import type { RailOrder } from './rail-order.ts';

/**
 * The provider returns money by API. A rail has this as a whole or not at all; without it, a person
 * at the operator must return the money.
 */
export interface Refunds {
  readonly refunds: RefundCapability;
  /** For the sandbox's rehearsal of a refund that waits, in milliseconds; absent: 0. */
  refundStartsAfterMs?(amountMinor: number): Promise<number>;
  /**
   * Asks the provider to return the money. Called at most once for each refund; its `reference` is
   * the idempotency key. Takes at most REFUND_TIMEOUT_MS_MAX. Never throws because of the provider:
   * a timeout or an unclear answer is `unknown`, not `failed`.
   */
  refund(order: RefundOrder): Promise<RefundAnswer>;
}

/**
 * The provider recognizes a refund by its number, so that the same call again does not return the
 * money twice. Only where the operator has seen it in a live test.
 */
export interface RefundRepeats {
  /** Whether the first call of this refund carried what the provider recognizes. Pure. */
  isRefundRepeatable(order: RefundOrder): boolean;
  /** Makes the call again, with the same number and amount. Otherwise like `refund`. */
  repeatRefund(order: RefundOrder): Promise<RefundAnswer>;
}

/** Below REFUND_WINDOW_MS, so that there is time to store the answer. */
export const REFUND_TIMEOUT_MS_MAX = 45_000;

/** Everything that an adapter may know about one refund. */
export interface RefundOrder {
  /** The attempt that paid. */
  readonly payment: RailOrder;
  readonly refund: Refund;
  /** What earlier refunds returned of the same attempt, in minor units. */
  readonly returnedBeforeMinor: number;
  /** The provider was asked for no other refund of the same attempt before this one. */
  readonly isFirst: boolean;
  /** Where the provider reports it: `<base URL>/rails/<rail id>/refunds/<refund token>`. */
  readonly callbackUrl: string;
}

/** An outcome; `checkAtMs` absent: queries back off as usual. */
export type RefundAnswer =
  | Exclude<RefundOutcome, { type: 'unknown' }>
  | {
      readonly type: 'unknown';
      readonly checkAtMs?: number;
      /** The provider's own id, once it has accepted the refund. */
      readonly railReference?: string | null;
      readonly providerCode?: string | null;
    };

/** What a callback about a refund proves, and the reply, sent only after the commit. */
export type RefundReading = { readonly reply: CallbackReply } & (
  | { readonly type: 'outcome'; readonly outcome: RefundAnswer }
  | { readonly type: 'refused'; readonly suspicion: CallbackSuspicion }
);
