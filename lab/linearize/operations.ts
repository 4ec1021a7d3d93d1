import type { ShownPayment, ShownRefund } from '../harness/shown.ts';

/** What clients do to one payment at the same time, and what they are told. */

export type CreateKind = 'hosted' | 'express_succeeds' | 'express_fails';

export type Operation =
  | {
      readonly type: 'create';
      readonly kind: CreateKind;
      readonly amountMinor: number;
      readonly idempotencyKey: string | null;
    }
  | { readonly type: 'read' }
  | { readonly type: 'cancel' }
  | {
      readonly type: 'request_refund';
      readonly refundId: string;
      /** Null: all that is left. */
      readonly amountMinor: number | null;
    }
  | { readonly type: 'cancel_refund'; readonly refundId: string }
  | { readonly type: 'read_refund'; readonly refundId: string };

export type RefundView = Pick<ShownRefund, 'refundUniqueId' | 'status' | 'amountMinor'>;

/** The part of an answer about a payment that the check compares. */
export interface PaymentView extends Pick<ShownPayment, PaymentField> {
  readonly transaction: Pick<Transaction, 'id' | 'transactionId' | 'transactionStatus'> | null;
  readonly anomalies: readonly unknown[];
  readonly refunds: readonly RefundView[];
}

type PaymentField =
  | 'totalAmount'
  | 'status'
  | 'previousStatus'
  | 'sequence'
  | 'reason'
  | 'late'
  | 'refundedAmount';
type Transaction = NonNullable<ShownPayment['transaction']>;

export type Answer =
  | { readonly type: 'created'; readonly isReplay: boolean; readonly body: string }
  | { readonly type: 'payment'; readonly payment: PaymentView }
  | { readonly type: 'refund'; readonly refund: RefundView }
  | { readonly type: 'problem'; readonly status: number; readonly code: string };

/** One operation of a history. */
export interface Call {
  readonly client: number;
  readonly operation: Operation;
  /** Positions in the order of all requests and answers: an earlier one happened before. */
  readonly invokedAt: number;
  /** Infinity without an answer. */
  readonly answeredAt: number;
  /** Null: none came, so the operation may have had its effect or not, at any time since. */
  readonly answer: Answer | null;
}
