import type { OperatorNote, Proposal } from './operator-name.ts';

/**
 * Refunds of a payment (docs/refunds.md). A refund returns a part of one successful attempt, or all
 * of it. Its amount stays reserved until the refund has certainly failed, so that
 * refunded + reserved never exceeds what was paid (docs/promises.md#11).
 */

/**
 * `pending` → `processing` → `succeeded` | `failed` | `requires_action` | `unresolved`;
 * `pending` → `canceled`. `requires_action`: a person at the operator must return the money.
 * `unresolved`: the provider may or may not have returned it. Both stay reserved until proof.
 */
export type RefundStatus =
  | 'pending'
  | 'processing'
  | 'unresolved'
  | 'requires_action'
  | 'succeeded'
  | 'failed'
  | 'canceled';

/** The limit of the merchant's or the operator's own words. */
export const REFUND_REASON_LENGTH_MAX = 255;

/** Why a refund failed. The money certainly stayed with the merchant. */
export const REFUND_FAILURE_REASONS = [
  /** The provider declined without a reason. */
  'declined',
  /** The merchant's account at the provider does not have the money. */
  'insufficient_funds',
  /** The provider is down or unreachable, and certainly received no request. */
  'rail_unavailable',
  /** The provider rejects the gateway: the operator's credentials or settings are wrong. */
  'misconfigured',
  /** The operator recorded that no money was returned. */
  'rejected_by_operator',
] as const;

export type RefundFailureReason = (typeof REFUND_FAILURE_REASONS)[number];

/** Why a person must return the money. */
export const REFUND_ACTION_REASONS = [
  /** The provider has no refunds by API. */
  'not_supported',
  /** The provider has not enabled refunds for the operator's account. */
  'not_enabled',
  /** The provider returns only whole payments. */
  'part_not_supported',
  /** The provider returns only whole birr. */
  'whole_amounts_only',
  /** The provider's time for refunds by API has passed. */
  'too_late',
  /** Another refund returned money after its failure, and with this one too much would go back. */
  'exceeds_payment',
  /** Only an operator says that the customer paid: the provider has not confirmed it. */
  'resolved_by_operator',
  /** Another payment or attempt has the receipt: the provider would return that one's money. */
  'receipt_conflict',
] as const;

export type RefundActionReason = (typeof REFUND_ACTION_REASONS)[number];

/** Who acts for the merchant: a program with an API key, by its digest, or a member. */
export type MerchantRequester =
  | { readonly type: 'api'; readonly keyId: string }
  | { readonly type: 'member'; readonly memberId: string };

/** The actor who asked for a refund. */
export type RefundRequester =
  | MerchantRequester
  /** `isProved`: whether the operator's name is. */
  | { readonly type: 'operator'; readonly operator: string; readonly isProved: boolean };

/** How much of a payment one refund returns, in minor units. */
export interface RefundAmounts {
  /** The part of the payment's amount, without commission. */
  readonly amountMinor: number;
  /** The part of the commission that the operator returns (docs/decisions.md#39). */
  readonly commissionReturnedMinor: number;
  /**
   * What the customer gets: the amount, and the returned commission if the customer paid it. Never
   * changes, because the provider was asked for it.
   */
  readonly returnedMinor: number;
}

export interface Refund extends RefundAmounts {
  /** The merchant chooses it; it is unique among the merchant's refunds in an environment. */
  readonly id: string;
  /**
   * Id of the HTTP request that created it. A repeated command of that request is not a duplicate.
   */
  readonly requestId: string;
  /** SHA-256 digests of the Idempotency-Key and of the body; null without a key. */
  readonly idempotencyKeyDigest: string | null;
  readonly bodyDigest: string | null;
  /** Our number of this refund at the provider: `[A-Z0-9]{20}`. */
  readonly reference: string;
  readonly attemptId: string;
  /** The merchant's reason, not shown to the customer; null without one. */
  readonly reason: string | null;
  readonly requester: RefundRequester;
  readonly status: RefundStatus;
  /** The status of the first answer, which a repeated request gets again. */
  readonly requestedStatus: Extract<RefundStatus, 'pending' | 'requires_action'>;
  /** The reason in that answer, which a repeated request gets again too. */
  readonly requestedActionReason: RefundActionReason | null;
  readonly failureReason: RefundFailureReason | null;
  readonly actionReason: RefundActionReason | null;
  /** When the provider may be called at the earliest. Until then the refund can be canceled. */
  readonly startAtMs: number;
  /** The claim to make the single provider call; null before it. No caller releases it. */
  readonly claimId: string | null;
  /** After this, a refund in `processing` without an outcome is `unresolved`; null before a claim. */
  readonly deadlineAtMs: number | null;
  /** When to query the provider next; null when no query is planned. */
  readonly checkAtMs: number | null;
  /** The number of queries so far, which decides the back-off. */
  readonly checks: number;
  /** The provider's own id of the refund; null until it is known. */
  readonly railReference: string | null;
  /** The latest code or state that the provider reported; null before the first one. */
  readonly providerCode: string | null;
  /** True when proof of success came after the refund had failed. */
  readonly late: boolean;
  /** The operator's decision that awaits a second operator; null without one. */
  readonly proposal: RefundProposal | null;
  /** The id of the operator's manual resolution; null without one. */
  readonly manualResolutionId: string | null;
  /** The operator's latest request to send it again with the same number; null without one. */
  readonly repeat: RefundRepeat | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** A second call for a refund whose first one has an unknown outcome (docs/decisions.md#40). */
export interface RefundRepeat {
  readonly repeatId: string;
  /** The claim to make the call; null before it. No caller releases it: one repeat is one call. */
  readonly claimId: string | null;
}

/** One operator's decision about a refund, until another operator confirms it. */
export interface RefundProposal extends Proposal {
  readonly outcome: ManualRefundOutcome;
}

/** What the operator found at the provider, or did there. */
export type ManualRefundOutcome =
  | { readonly type: 'succeeded'; readonly railReference: string }
  | { readonly type: 'failed' };

/** What the provider reports. `providerCode`: its own code, stored if `printableCode` accepts it. */
export type RefundOutcome = (
  | { readonly type: 'succeeded'; readonly railReference: string | null }
  | { readonly type: 'failed'; readonly reason: RefundFailureReason }
  /** `checkAtMs`: when to query whether a person has returned it; absent: no query can tell. */
  | {
      readonly type: 'requires_action';
      readonly reason: RefundActionReason;
      readonly checkAtMs?: number | null;
    }
  /**
   * There is no proof yet. `checkAtMs`: when to query; null: only a callback or a person can tell.
   */
  | {
      readonly type: 'unknown';
      readonly checkAtMs: number | null;
      readonly railReference?: string | null;
    }
) & { readonly providerCode?: string | null };

/** What a provider returns by API. The operator must make any other refund. */
export interface RefundCapability {
  /** Whether it returns a part of a payment. */
  readonly takesParts: boolean;
  readonly wholeAmountsOnly: boolean;
  /** How long after the payment it returns money, in milliseconds; null: no known limit. */
  readonly windowMs: number | null;
}

/** A claim in the merchant's register that no request may use any more. */
export interface VoidRefundClaim {
  readonly registerClaimId: string;
  readonly atMs: number;
}

interface RefundClaim {
  readonly refundId: string;
  readonly claimId: string;
  readonly deadlineAtMs: number;
}

export type RefundCommand =
  | {
      readonly type: 'request_refund';
      readonly refund: Pick<
        Refund,
        | 'id'
        | 'requestId'
        | 'idempotencyKeyDigest'
        | 'bodyDigest'
        | 'reference'
        | 'attemptId'
        | 'reason'
        | 'requester'
      > & {
        /** Null asks for the whole remaining amount. */
        readonly amountMinor: number | null;
      };
      /** Whether the operator keeps the commission of refunded payments. */
      readonly keepsCommission: boolean;
      /** Null says that the provider returns no money by API. */
      readonly capability: RefundCapability | null;
      /** How long the refund can be canceled before the provider is called, at least 0 ms. */
      readonly startsAfterMs: number;
      /** The request's claim in the merchant's register (`src/engine/register`). */
      readonly registerClaimId: string;
    }
  /**
   * The register asks about the outcome of a claim. Unless the payment has the refund, it rejects
   * every request with this claim from now on, however slow that request is.
   */
  | {
      readonly type: 'void_refund_claim';
      readonly refundId: string;
      readonly registerClaimId: string;
    }
  /**
   * The caller whose claim succeeds makes the single provider call. Without a report by
   * `deadlineAtMs`, that caller has died and the provider is queried.
   */
  | ({ readonly type: 'claim_refund' } & RefundClaim)
  | {
      readonly type: 'resolve_refund';
      readonly refundId: string;
      readonly outcome: RefundOutcome;
      /** When the query that this answers was due; absent for callbacks and the call itself. */
      readonly answersCheckAtMs?: number | null;
    }
  | (OperatorNote & {
      readonly type: 'resolve_refund_manually';
      readonly refundId: string;
      readonly resolutionId: string;
      readonly outcome: ManualRefundOutcome;
      /** Above this sum, in minor units, two operators must agree (`needsSecondOperator`). */
      readonly secondOperatorAboveMinor: number | null;
    })
  /**
   * The operator has an unresolved refund sent again, at a provider that recognizes its number. The
   * alarm makes the call by `deadlineAtMs`, or it is not made.
   */
  | (OperatorNote & {
      readonly type: 'repeat_refund';
      readonly refundId: string;
      readonly repeatId: string;
      readonly deadlineAtMs: number;
    })
  /** The same as `claim_refund`, for the call of a repeat. */
  | ({ readonly type: 'claim_refund_repeat' } & RefundClaim)
  /** A refund can be canceled only before the provider was called. */
  | {
      readonly type: 'cancel_refund';
      readonly refundId: string;
      readonly requester?: MerchantRequester;
    };

export type RefundRejection =
  /** The attempt was not paid. */
  | 'not_paid'
  /** The amount exceeds the attempt's remaining amount, or nothing remains. */
  | 'refund_too_large'
  /** More was returned of the attempt than paid, and no operator has reviewed it. */
  | 'refund_needs_review'
  | 'too_many_refunds'
  /** The payment has a refund with this id. */
  | 'refund_exists'
  /** The register has released the request's claim, because the request was slow. It can claim again. */
  | 'refund_claim_void'
  /** Another refund of the payment was requested with this Idempotency-Key. */
  | 'refund_key_reused'
  | 'refund_not_found'
  /** The provider was called, or the refund has ended. */
  | 'refund_not_pending'
  /** Its start is not due, or an earlier refund of the same attempt has no outcome yet. */
  | 'refund_not_claimable'
  /** It has an outcome, or the provider's answer may still come. */
  | 'refund_not_resolvable'
  /** Only an unresolved refund that the provider was asked for is sent again. */
  | 'refund_not_repeatable'
  /** An operator cannot confirm their own decision. */
  | 'second_operator_needed'
  | 'operator_not_verified';

/** Whether its amount is reserved or returned. */
export function holdsMoney({ status }: Pick<Refund, 'status'>): boolean {
  return status !== 'failed' && status !== 'canceled';
}

/** Whether the provider or the operator may be returning the money now. */
export function isInFlight({ status }: Pick<Refund, 'status'>): boolean {
  return status === 'processing' || status === 'unresolved' || status === 'requires_action';
}

/** Whether neither the provider nor the operator has returned the money, as far as Kefel knows. */
export function isWaiting({ status }: Pick<Refund, 'status'>): boolean {
  return status === 'pending' || status === 'requires_action';
}

export function hasRefundEnded({ status }: Pick<Refund, 'status'>): boolean {
  return status !== 'pending' && !isInFlight({ status });
}

/** The refund as the first answer showed it. */
export function asRequested(refund: Refund): Refund {
  return {
    ...refund,
    status: refund.requestedStatus,
    actionReason: refund.requestedActionReason,
    failureReason: null,
    railReference: null,
    late: false,
    updatedAtMs: refund.createdAtMs,
  };
}
