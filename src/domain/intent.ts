import type { Currency, Environment, Method } from './method.ts';

/** Who owns a payment: nothing is ever looked up without both halves (docs/promises.md#8). */
export interface Tenant {
  readonly environment: Environment;
  readonly merchantId: string;
}

/**
 * A hosted attempt that fails leaves the intent payable until this many were made
 * (docs/decisions.md#30).
 */
export const ATTEMPTS_MAX = 10;

export type IntentKind = 'hosted' | 'express';

/** `open` → `processing` → `succeeded` | `failed` | back to `open`; `open` → `expired`, `canceled`. */
export type IntentStatus = 'open' | 'processing' | 'succeeded' | 'failed' | 'expired' | 'canceled';

export interface LineItem {
  readonly name: string;
  readonly description: string | null;
  readonly image: string | null;
  readonly quantity: number;
  readonly type: 'SERVICE' | 'DIGITAL_PRODUCT' | 'PHYSICAL_PRODUCT';
  readonly priceMinor: number;
}

/** Whether an item's price is for one unit or for the whole line (docs/decisions.md#4). */
export type ItemPriceBasis = 'unit' | 'line';

export interface Split {
  readonly bank: string;
  readonly creditAccount: string;
  /** A percentage carries hundredths of a percent, a number minor units. */
  readonly type: 'percentage' | 'number';
  readonly value: number;
  /** What the beneficiary is owed, rounded down (docs/decisions.md#14). */
  readonly shareMinor: number;
}

export interface Customer {
  readonly name: string | null;
  readonly email: string | null;
  /** Hosted: 9 digits as given; express: 251XXXXXXXXX. */
  readonly phone: string | null;
  readonly isPhoneUpdatable: boolean | null;
}

export interface MethodTerms {
  readonly method: Method;
  readonly commissionMinor: number;
}

/** The merchant's own look of the customer's page; null for what it leaves to the page. */
export interface Branding {
  /** `#rrggbb` in lower case. */
  readonly colour: string | null;
  /** SHA-256 of the logo's bytes, in lower-case hexadecimal. */
  readonly logoDigest: string | null;
}

/** How a sandbox express payment is simulated; null outside it. */
export type Simulation = 'interactive' | 'succeed' | 'fail';

/** What the merchant asked for. Never changes after creation (docs/promises.md#7). */
export interface IntentTerms extends Tenant {
  readonly merchantName: string;
  /** As it was at creation: a page that is open must not change its face. Null: none. */
  readonly branding: Branding | null;
  readonly uniqueId: string;
  readonly uuid: string;
  /** The integer id: random, 1 … 2^53 − 1. */
  readonly number: number;
  readonly kind: IntentKind;
  readonly paymentLinkUniqueId: string | null;
  /** Without commission. */
  readonly amountMinor: number;
  readonly currency: Currency;
  readonly methods: readonly MethodTerms[];
  readonly items: readonly LineItem[];
  readonly itemPriceBasis: ItemPriceBasis;
  readonly splits: readonly Split[];
  readonly commissionPaidByCustomer: boolean;
  readonly customer: Customer | null;
  readonly description: string | null;
  readonly debitAccount: string | null;
  readonly returnUrl: string | null;
  readonly callbackUrl: string | null;
  readonly simulation: Simulation | null;
  /** Origin of the customer's pages, stored so that links survive a change of address. */
  readonly baseUrl: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
}

/**
 * `unresolved`: the rail's window has passed, or the customer walked away, without proof either
 * way. It is not a failure: reconciliation goes on (docs/decisions.md#31).
 * `expired`: the window passed and the rail is known to take no payment after it.
 */
export type AttemptStatus = 'processing' | 'unresolved' | 'succeeded' | 'failed' | 'expired';

/** Whether the customer is sent to a page or prompted on the phone. */
export type AttemptFlow = 'redirect' | 'push';

/** Why an attempt or intent failed: one small set for the API, webhooks, page and logs. */
export type FailureReason =
  /** The rail or the bank refused, and did not say more. */
  | 'declined'
  | 'insufficient_funds'
  /** The customer said no to the rail. */
  | 'canceled_by_customer'
  | 'wrong_pin'
  /** The customer left the payment to us: gave up, or went to another method. */
  | 'abandoned'
  /** Certainly not paid within the rail's own window. */
  | 'timed_out'
  /** The rail refuses everybody, or cannot be reached and certainly took nothing. */
  | 'rail_unavailable'
  /** The rail refuses us: credentials, a signature or a setting of the operator's is wrong. */
  | 'misconfigured';

/** What the rail's adapter says about an attempt before it starts. */
export interface AttemptPlan {
  readonly flow: AttemptFlow;
  /** When the rail's own window closes. */
  readonly deadlineAtMs: number;
  /** True when the rail certainly takes no payment after the deadline. */
  readonly windowIsFinal: boolean;
  /** When to ask the rail if it has not spoken, or null when there is nobody to ask. */
  readonly checkAtMs: number | null;
}

export interface Attempt extends AttemptPlan {
  /** The adapter that started it, by its id: settings may change while it is under way. */
  readonly railId: string;
  /**
   * Of a rail that is called by a queue consumer, once: whether somebody has taken it upon them. A
   * claim is never given back, because nobody knows what became of the call.
   */
  readonly startClaim: 'not_needed' | 'free' | 'taken';
  /** Of whoever has taken it; null otherwise. */
  readonly startClaimId: string | null;
  /** UUID, also the idempotency key towards the rail. */
  readonly id: string;
  /** The order id the rail sees and the merchant's `transactionId`: `[A-Z0-9]{20}`. */
  readonly reference: string;
  readonly method: Method;
  readonly phone: string | null;
  readonly status: AttemptStatus;
  /** Where the rail wants the customer; null until the rail answered, and for push. */
  readonly redirectUrl: string | null;
  /** What the rail calls the attempt since it took it: a session, order or request id. */
  readonly railReference: string | null;
  /** What the rail last said of the attempt, in its own code or state; null: nothing so far. */
  readonly providerCode: string | null;
  /** The rail's proof that money moved. */
  readonly receipt: string | null;
  readonly failureReason: FailureReason | null;
  /** The operator's manual resolution; null without one. */
  readonly manualResolutionId: string | null;
  /** Checks made so far; decides the back-off. */
  readonly checks: number;
  readonly startedAtMs: number;
  readonly updatedAtMs: number;
}

/** Something a human must look at. It never changes what the merchant was told. */
export interface Anomaly {
  readonly kind: 'duplicate_payment' | 'contradicting_failure' | 'refused_callback';
  readonly attemptId: string;
  readonly atMs: number;
}

export interface Intent {
  readonly terms: IntentTerms;
  readonly status: IntentStatus;
  readonly previousStatus: IntentStatus | null;
  readonly failureReason: FailureReason | null;
  /** Grows by one with every stored change; orders events, projected rows and snapshots. */
  readonly version: number;
  /** True when success was proved after the intent had ended otherwise. */
  readonly late: boolean;
  readonly attempts: readonly Attempt[];
  /** The attempt that the merchant was told paid; a later second payment never replaces it. */
  readonly paidAttemptId: string | null;
  readonly anomalies: readonly Anomaly[];
  readonly updatedAtMs: number;
  /** When a final status was first reached, or null. */
  readonly endedAtMs: number | null;
}

export type EventType = 'payment_succeeded' | 'payment_failed' | 'payment_expired';

export type Command =
  | {
      readonly type: 'start_attempt';
      readonly attempt: Pick<
        Attempt,
        'id' | 'reference' | 'method' | 'phone' | 'railId' | 'startClaim'
      > &
        AttemptPlan;
      /** How many attempts the customer's page knew of: another number is refused. */
      readonly expectedAttempts?: number;
    }
  /**
   * Whoever is not rejected makes the one call that starts the attempt at its rail. `claimId`: of
   * one caller, who may repeat the command. `deadlineAtMs`: the end of the rail's window, which
   * begins only now.
   */
  | {
      readonly type: 'claim_start';
      readonly attemptId: string;
      readonly claimId: string;
      readonly deadlineAtMs: number;
    }
  /** The rail sent the customer back: its answer is known by now, and asked for at once. */
  | { readonly type: 'customer_returned' }
  /** A callback came to this attempt's address that is not acted upon. */
  | { readonly type: 'report_callback'; readonly attemptId: string }
  /** The rail took the attempt: where the customer must go, and what the rail calls it. */
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
       * The check that this answers, by when it was due. If another was scheduled meanwhile, an
       * answer that proves nothing does not put it off.
       */
      readonly answersCheckAtMs?: number | null;
      /** Rejects once the attempt has an outcome: for our own simulator. */
      readonly onlyPending?: boolean;
    }
  /**
   * What an operator found out at the rail. `resolutionId`: of one decision, which may be repeated.
   * The operator's name and note are kept in the history.
   */
  | {
      readonly type: 'resolve_manually';
      readonly attemptId: string;
      readonly resolutionId: string;
      readonly outcome: HandOutcome;
      /** Whose decision it is, for people. */
      readonly operator: string;
      /** Why, for people. */
      readonly note: string;
    }
  /** The customer says that a redirect was not paid; another attempt may start. */
  | { readonly type: 'abandon_attempt'; readonly attemptId: string }
  | { readonly type: 'cancel' }
  | { readonly type: 'abandon_payment' }
  | { readonly type: 'tick' };

/** `providerCode`: the provider's own code or state, kept where it is printable (`printableCode`). */
export type Outcome = (
  | { readonly type: 'succeeded'; readonly receipt: string | null }
  | { readonly type: 'failed'; readonly reason: FailureReason }
  /** Asked, and nothing proved. `checkAtMs`: when to ask again. */
  | { readonly type: 'unknown'; readonly checkAtMs: number | null }
) & { readonly providerCode?: string | null };

/** What a human may say of an attempt: never "nothing proved", which is what is there already. */
export type HandOutcome =
  | { readonly type: 'succeeded'; readonly receipt: string | null }
  | { readonly type: 'failed'; readonly reason: FailureReason };

export type Rejection =
  | 'not_open'
  | 'attempt_in_flight'
  /** The customer's page did not know of all attempts: its form was sent before. */
  | 'stale_form'
  | 'attempt_not_found'
  | 'attempt_not_in_flight'
  | 'attempt_not_pending'
  /** The rail may still take money: nobody can know that it did not. */
  | 'window_open'
  /** A name, note or receipt that is empty, too long or not printable. */
  | 'malformed_resolution'
  | 'start_not_claimable'
  | 'method_not_allowed'
  | 'not_abandonable';

/** Statuses in which an intent has ended, as far as the merchant was told. */
export function hasEnded(status: IntentStatus): boolean {
  return status !== 'open' && status !== 'processing';
}

/** The attempt in flight, or null: at most one is ever `processing` while the intent is. */
export function attemptInFlight(intent: Intent): Attempt | null {
  if (intent.status !== 'processing') {
    return null;
  }
  return intent.attempts.at(-1) ?? null;
}

/** The attempt a merchant or customer is told about: the one that paid, else the latest. */
export function reportedAttempt(intent: Intent): Attempt | null {
  const paid = intent.attempts.find((attempt) => attempt.id === intent.paidAttemptId);
  return paid ?? intent.attempts.at(-1) ?? null;
}

/** The commission of a method under these terms, in minor units. */
export function commissionOf(terms: IntentTerms, method: Method): number {
  return terms.methods.find((entry) => entry.method === method)?.commissionMinor ?? 0;
}

/** What the customer pays by this method: with the commission when the customer bears it. */
export function chargedMinor(terms: IntentTerms, method: Method): number {
  return terms.amountMinor + (terms.commissionPaidByCustomer ? commissionOf(terms, method) : 0);
}
