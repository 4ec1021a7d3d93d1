import type { ManualOutcome, NewAttempt, Outcome } from './attempt.ts';
import type { OtherPayment } from './intent.ts';
import type { OperatorNote } from './operator-name.ts';
import type { MerchantRequester, RefundCommand, RefundRejection } from './refund.ts';

export type Command =
  | RefundCommand
  | {
      readonly type: 'start_attempt';
      readonly attempt: NewAttempt;
      /** The number of attempts when the customer's page was rendered; another number rejects. */
      readonly expectedAttempts?: number;
    }
  /**
   * The caller whose claim succeeds makes the single provider call that starts the attempt.
   * `claimId` identifies the caller, who may repeat the command. `deadlineAtMs` is the end of the
   * rail's window, which begins with the claim. `checkAtMs`: when to query the provider if that
   * caller dies; absent for a provider without a status query.
   */
  | {
      readonly type: 'claim_start';
      readonly attemptId: string;
      readonly claimId: string;
      readonly deadlineAtMs: number;
      readonly checkAtMs?: number;
    }
  /** The provider sent the customer back. It knows the outcome by now, so it is queried at once. */
  | { readonly type: 'customer_returned' }
  /** A callback at this attempt's URL was refused. */
  | { readonly type: 'report_callback'; readonly attemptId: string }
  /** The provider accepted the attempt, and returned its page and its own id. */
  | {
      readonly type: 'accept_attempt';
      readonly attemptId: string;
      readonly redirectUrl: string | null;
      readonly railReference: string | null;
      readonly providerCode?: string | null;
    }
  | {
      readonly type: 'resolve_attempt';
      readonly attemptId: string;
      readonly outcome: Outcome;
      /**
       * When the query that this answers was due. If another one was scheduled meanwhile, an
       * inconclusive answer does not delay that one.
       */
      readonly answersCheckAtMs?: number | null;
      /**
       * The command is rejected once the attempt has an outcome. Only our own simulator sets it.
       */
      readonly onlyPending?: boolean;
    }
  /**
   * The operator records the provider's information. `resolutionId` identifies one decision, whose
   * command may be repeated.
   */
  | (OperatorNote & {
      readonly type: 'resolve_manually';
      readonly attemptId: string;
      readonly resolutionId: string;
      readonly outcome: ManualOutcome;
      /** Above this sum, in minor units, two operators must agree (`paidNeedsSecondOperator`). */
      readonly secondOperatorAboveMinor: number | null;
      /** When to ask the provider to confirm a success; null: it offers no status query. */
      readonly checkAtMs: number | null;
    })
  /** The book found another payment with the receipt of this attempt. */
  | {
      readonly type: 'report_receipt_conflict';
      readonly attemptId: string;
      readonly other: OtherPayment;
    }
  /** The payment's link had no place left. */
  | { readonly type: 'report_surplus' }
  /** The customer says that they paid, by this number. Checks nothing and proves nothing. */
  | { readonly type: 'claim_receipt'; readonly attemptId: string; readonly receipt: string }
  /** The customer leaves a redirect attempt unpaid; another attempt may start. */
  | { readonly type: 'abandon_attempt'; readonly attemptId: string }
  /**
   * An operator has seen the first `count` anomalies. Excess refunds among them no longer block
   * further refunds, and a restored payment is no longer held.
   */
  | (OperatorNote & { readonly type: 'review_anomalies'; readonly count: number })
  | { readonly type: 'cancel'; readonly requester?: MerchantRequester }
  | { readonly type: 'abandon_payment' }
  | { readonly type: 'tick' };

export type Rejection =
  | RefundRejection
  | 'not_open'
  | 'attempt_in_flight'
  /** The page was rendered before the latest attempt: the customer sent its form twice. */
  | 'stale_form'
  | 'attempt_not_found'
  | 'attempt_not_in_flight'
  | 'attempt_not_pending'
  /** The rail may still accept the payment, so a failure cannot be certain. */
  | 'window_open'
  /** The window has passed, but the last provider query may still prove a payment. */
  | 'query_due'
  /** A name, note or receipt that is empty, too long or not printable. */
  | 'malformed_resolution'
  /** Another attempt of the payment was paid by this receipt. */
  | 'receipt_used'
  | 'start_not_claimable'
  /** A text that is no receipt, or one more than a customer may claim. */
  | 'claim_refused'
  | 'method_not_allowed'
  | 'not_abandonable';
