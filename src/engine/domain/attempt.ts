import type { Method } from './method.ts';
import type { Proposal } from './operator-name.ts';

/**
 * A hosted intent stays payable after a failed attempt until it has this many attempts that count
 * (docs/decisions.md#30).
 */
export const ATTEMPTS_MAX = 10;

/** So many attempts that never reached the provider do not count (docs/decisions.md#66). */
export const UNCOUNTED_ATTEMPTS_MAX = 20;

/** How many of a payment's attempts count towards `ATTEMPTS_MAX`. */
export function countedAttempts(attempts: readonly Pick<Attempt, 'neverReached'>[]): number {
  const neverReached = attempts.filter((attempt) => attempt.neverReached === true).length;
  return attempts.length - Math.min(neverReached, UNCOUNTED_ATTEMPTS_MAX);
}

/**
 * `unresolved`: the rail's window closed, or the customer abandoned the attempt, without proof of
 * success or failure. Reconciliation continues (docs/decisions.md#31).
 * `expired`: the window closed, and the rail certainly accepts no payment after it.
 */
export type AttemptStatus = 'processing' | 'unresolved' | 'succeeded' | 'failed' | 'expired';

/** Whether the customer pays on the provider's page or confirms a prompt on the phone. */
export type AttemptFlow = 'redirect' | 'push';

/** Why an attempt or intent failed: one small set for the API, webhooks, page and logs. */
export const FAILURE_REASONS = [
  /** The provider or the bank declined without a reason. */
  'declined',
  'insufficient_funds',
  /** The customer canceled at the provider. */
  'canceled_by_customer',
  'wrong_pin',
  /** The customer abandoned the payment, or changed to another method. */
  'abandoned',
  /** The rail's own window closed, and the customer certainly paid nothing. */
  'timed_out',
  /** The provider is down or unreachable, and certainly received no payment. */
  'rail_unavailable',
  /** The provider rejects the gateway: the operator's credentials or settings are wrong. */
  'misconfigured',
] as const;

export type FailureReason = (typeof FAILURE_REASONS)[number];

/** The adapter's plan for an attempt, made before it starts. */
export interface AttemptPlan {
  readonly flow: AttemptFlow;
  /** When the rail's own window closes. */
  readonly deadlineAtMs: number;
  /** True when the rail certainly accepts no payment after the deadline. */
  readonly windowIsFinal: boolean;
  /** When to query the provider if it has not reported; null when it offers no query. */
  readonly checkAtMs: number | null;
}

export interface Attempt extends AttemptPlan {
  /** The id of the adapter that started it: settings may change during the attempt. */
  readonly railId: string;
  /**
   * Whether the start is claimed, on a rail whose answer waits for the customer. Nothing releases a
   * claim, because a call without an answer may have charged the customer.
   */
  readonly startClaim: 'not_needed' | 'free' | 'taken';
  /** Null when not claimed. */
  readonly startClaimId: string | null;
  /** UUID, also the idempotency key towards the rail. */
  readonly id: string;
  /** The order id that the provider sees, also the merchant's `transactionId`: `[A-Z0-9]{20}`. */
  readonly reference: string;
  readonly method: Method;
  readonly phone: string | null;
  readonly status: AttemptStatus;
  /** The provider's page for the customer; null until the provider answers, and for push. */
  readonly redirectUrl: string | null;
  /** The provider's own id of the attempt: a session, order or request id. */
  readonly railReference: string | null;
  /** The latest code or state that the provider reported; null before the first one. */
  readonly providerCode: string | null;
  /** The provider's proof that money moved. Its calls about the payment take this id. */
  readonly receipt: string | null;
  /** The id that the customer's wallet or bank gave the payment, where it has one of its own. */
  readonly issuerReceipt: string | null;
  /**
   * The receipts of further successes that the provider reported for the attempt, each an anomaly.
   * Absent on nearly every attempt. Refunds never name them.
   */
  readonly furtherReceipts?: readonly string[];
  /**
   * What the customer typed as the number of the provider's message, oldest first: claims, never proof
   * (receipt-claim.ts). Absent on nearly every attempt.
   */
  readonly claimedReceipts?: readonly string[];
  /**
   * Whether the provider itself reported the success. An attempt that only an operator resolved as
   * paid becomes proved when the provider names its receipt, too.
   */
  readonly isProved: boolean;
  readonly failureReason: FailureReason | null;
  /** The start certainly never reached the provider. Absent on nearly every attempt. */
  readonly neverReached?: true;
  /** The operator's finding "paid" that awaits a second operator; null without one. */
  readonly proposal: PaidProposal | null;
  /** The id of the operator's manual resolution; null without one. */
  readonly manualResolutionId: string | null;
  /** Provider queries so far; decides the back-off. */
  readonly checks: number;
  /** When the provider last answered a query inconclusively; null before that. */
  readonly queriedAtMs: number | null;
  readonly startedAtMs: number;
  readonly updatedAtMs: number;
}

/** One operator's finding that an attempt was paid, until another operator confirms it. */
export interface PaidProposal extends Proposal {
  readonly receipt: string;
}

/** An attempt to start, as its rail plans it. */
export type NewAttempt = AttemptPlan &
  Pick<Attempt, 'id' | 'reference' | 'method' | 'phone' | 'railId' | 'startClaim'>;

/** `providerCode`: the provider's own code or state, stored if `printableCode` accepts it. */
export type Outcome = (
  | {
      readonly type: 'succeeded';
      readonly receipt: string | null;
      readonly issuerReceipt?: string | null;
      /** When the customer paid, by the provider's own date; absent where it gives none. */
      readonly paidAtMs?: number | null;
    }
  /** `neverReached`: the provider certainly knows nothing of the attempt. */
  | { readonly type: 'failed'; readonly reason: FailureReason; readonly neverReached?: true }
  /** An inconclusive query. `checkAtMs`: when to query again. */
  | { readonly type: 'unknown'; readonly checkAtMs: number | null }
) & { readonly providerCode?: string | null };

/** The outcomes of a manual resolution: never `unknown`, which the attempt already is. */
export type ManualOutcome =
  | { readonly type: 'succeeded'; readonly receipt: string }
  | { readonly type: 'failed'; readonly reason: FailureReason };
