import type {
  Attempt,
  AttemptPlan,
  FailureReason,
  IntentTerms,
  Outcome,
} from '../domain/intent.ts';
import type { Currency, Method } from '../domain/method.ts';
import type { CallbackCall, CallbackReading } from './callback.ts';

/**
 * One payment method's provider, seen from Kefel. Adapters hold no state: the object does. What only
 * some providers offer is a capability below, present or absent as a whole.
 */
export interface Rail
  extends Partial<PhoneCheck>,
    Partial<SlowStart>,
    Partial<RecoverablePage>,
    Partial<StatusQuery>,
    Partial<Callbacks>,
    Partial<SharedCallbackAddress> {
  /** Name in URLs and logs: lower-case letters and hyphens. */
  readonly id: string;
  readonly currencies: readonly Currency[];
  /** A start that has not answered by then is `unknown`; milliseconds. */
  readonly startTimeoutMs: number;
  /** What an attempt that starts now will look like. Pure. */
  plan(terms: IntentTerms, method: Method, nowMs: number): AttemptPlan;
  /**
   * Asks the provider to take the payment. The attempt's `reference` is the idempotency key. Never
   * throws for what the provider does: a timeout or an unclear answer is `unknown`, not `failed`.
   */
  start(order: RailOrder): Promise<StartResult>;
}

/** The provider serves only some phone numbers. */
export interface PhoneCheck {
  /** Whether a number (251XXXXXXXXX) can have an account with the provider. */
  acceptsPhone(phone: string): boolean;
}

/** `start` answers only after the customer has acted, so a queue consumer calls it, once. */
export interface SlowStart {
  readonly startWaitsForCustomer: true;
}

/** The provider's page follows from the order alone, so a lost answer to a start loses nothing. */
export interface RecoverablePage {
  /** Null for an order that the provider does not take. */
  page(order: RailOrder): RailPage | null;
}

/** The provider can be asked what became of an attempt. */
export interface StatusQuery {
  /** Never throws for what the provider does. */
  query(order: RailOrder, nowMs: number): Promise<Outcome>;
}

/** The provider reports an attempt to that attempt's own URL (`RailOrder.callbackUrl`). */
export interface Callbacks {
  /**
   * Reads a callback that arrived for `order`: authentic first, parsed second. Says what it proves
   * and which reply the provider gets once the outcome is committed.
   */
  readCallback(call: CallbackCall, order: RailOrder): Promise<CallbackReading>;
}

/** The provider reports all attempts to one registered URL: the report itself leads to its order. */
export interface SharedCallbackAddress {
  /** Null for what is not an authentic report of this provider. */
  openCallback(call: CallbackCall): OpenedCallback | null;
}

/** An authentic report, decrypted once. */
export interface OpenedCallback {
  /** The order id that it names (`RailOrder.orderId`); we have not verified it yet. */
  readonly orderId: string;
  /** What it proves about the order that this id leads to. */
  read(order: RailOrder): Promise<CallbackReading>;
}

/** Everything an adapter may know about one attempt. */
export interface RailOrder {
  readonly terms: IntentTerms;
  readonly attempt: Attempt;
  /** With the commission when the customer bears it. */
  readonly chargedMinor: number;
  /** Signed link of this attempt: the unguessable last segment of its callback URL. */
  readonly attemptToken: string;
  /** Where the provider reports this attempt: `<base URL>/rails/<rail id>/<attempt token>`. */
  readonly callbackUrl: string;
  /**
   * Only for a rail with a `SharedCallbackAddress`: an order id of 79 letters and digits (A-Z, 2-7)
   * that leads to this attempt and that only we can make.
   */
  readonly orderId?: string;
  /** The customer's page of this payment. */
  readonly checkoutUrl: string;
  /** Where the provider sends the customer back to: that page, after a status query. */
  readonly returnUrl: string;
}

/** Where the customer goes, and what the provider knows the order by. */
export interface RailPage {
  readonly redirectUrl: string;
  readonly railReference: string | null;
}

/** `providerCode`: the provider's own code or state, verbatim (`withProviderCode`). */
export type StartResult =
  /** Taken: the customer goes to `redirectUrl`, or is prompted on the phone when it is null. */
  | {
      readonly type: 'accepted';
      readonly redirectUrl: string | null;
      readonly railReference: string | null;
      readonly providerCode?: string | null;
    }
  | {
      readonly type: 'refused';
      readonly reason: FailureReason;
      readonly providerCode?: string | null;
    }
  /** Ended already: a `SlowStart` answers with the outcome. */
  | { readonly type: 'resolved'; readonly outcome: Outcome }
  | { readonly type: 'unknown'; readonly providerCode?: string | null };
