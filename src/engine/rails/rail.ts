import type { Currency } from '../../kit/money.ts';
import type { AppForm, AppParameters } from '../domain/app-form.ts';
import type { AttemptPlan, FailureReason, Outcome } from '../domain/attempt.ts';
import type { Method } from '../domain/method.ts';
import type { IntentTerms } from '../domain/terms.ts';
import type { CallbackCall, CallbackReading } from './callback.ts';
import type { RailOrder } from './rail-order.ts';
import type { RefundAnswer, RefundOrder, RefundReading, RefundRepeats, Refunds } from './refund.ts';

/**
 * The adapter for one payment method's provider. Adapters hold no state: the object does. What only
 * some providers offer is optional.
 */
export interface Rail extends Partial<Refunds>, Partial<RefundRepeats>, Partial<AppForms> {
  /** Name in URLs and logs: lower-case letters and hyphens. */
  readonly id: string;
  readonly currencies: readonly Currency[];
  /** Milliseconds after which a start without an answer is `unknown`. */
  readonly startTimeoutMs: number;
  /**
   * The plan for an attempt that starts now. Pure. Its window ends with the payment where the
   * provider takes a lifetime, as far as the provider's shortest lifetime allows.
   */
  plan(terms: IntentTerms, method: Method, nowMs: number): AttemptPlan;
  /**
   * Asks the provider to start the payment. The attempt's `reference` is the idempotency key. Never
   * throws because of the provider: a timeout or an unclear answer is `unknown`, not `failed`.
   */
  start(order: RailOrder): Promise<StartResult>;
  /** `start` answers only after the customer has acted, so the payment's object calls it, once. */
  readonly startWaitsForCustomer?: true;
  /**
   * The provider serves only some phone numbers: whether a number (251XXXXXXXXX) can have an account
   * with it.
   */
  acceptsPhone?(phone: string): boolean;
  /** The provider may take no cents: such a payment is not offered this method. */
  readonly wholeAmountsOnly?: boolean;
  /**
   * The provider's page can be computed from the order, so a lost answer to a start loses nothing.
   * `start` computes it too, without a call: it could be refused when the customer already pays
   * there. Null for an order that the provider does not accept.
   */
  page?(order: RailOrder): Promise<RailPage | null>;
  /**
   * The provider answers queries about the outcome of an attempt. Never throws because of the
   * provider. `unknown` also when the provider only accepts the query and reports the result later,
   * to the attempt's callback URL.
   */
  query?(order: RailOrder, nowMs: number): Promise<Outcome>;
  /**
   * The provider reports an attempt to that attempt's own URL (`RailOrder.callbackUrl`). Reads a
   * callback that arrived for `order`: checks authenticity first, then parses. Returns what it proves
   * and the reply that the provider gets once the outcome is committed.
   */
  readCallback?(call: CallbackCall, order: RailOrder): Promise<CallbackReading>;
  /**
   * The provider reports all attempts to one registered URL: the report itself names its order. Null
   * unless it is an authentic report of this provider.
   */
  openCallback?(call: CallbackCall): Promise<OpenedCallback | null>;
  /**
   * The provider can be tried without moving money and without prompting a phone. Signs in, then asks
   * about an order that cannot exist, as far as the provider has such calls. `resultUrl`: where a
   * provider that answers later posts its result. Never throws because of the provider.
   */
  probe?(resultUrl: string): Promise<ProbeResult>;
  /**
   * The provider answers queries about a refund. Never throws because of the provider. An answer that
   * is not understood is `unknown`.
   */
  refundStatus?(order: RefundOrder, nowMs: number): Promise<RefundAnswer>;
  /**
   * The provider reports a refund to that refund's own URL (`RefundOrder.callbackUrl`). Checks
   * authenticity first, then parses.
   */
  readRefundCallback?(call: CallbackCall, order: RefundOrder): Promise<RefundReading>;
}

/** The customer may pay in the provider's app. */
export interface AppForms {
  /** The forms that the operator has switched on. A start in another one would have no way to pay. */
  readonly appForms: readonly AppForm[];
}

/** What a provider takes. A payment that breaks a rule is not offered the method. */
export type RailRules = Pick<Rail, 'currencies' | 'acceptsPhone' | 'wholeAmountsOnly' | 'appForms'>;

/**
 * Time to store the answer of a start that waits for the customer, between its timeout and the end
 * of the window that begins with the claim.
 */
export const STORING_TIME_MS = 5_000;

/** An authentic report, already decrypted. */
export interface OpenedCallback {
  /** The order id in the report, or our reference; not yet verified. */
  readonly orderId: string;
  /** What the report proves about the order with this id. */
  read(order: RailOrder): Promise<CallbackReading>;
}

export type ProbeOutcome =
  /** The provider accepts the credentials that this rail can try. */
  | 'accepted'
  /** It answers, but the answer proves nothing about the credentials. */
  | 'reached'
  /** It refuses the credentials, the signature or the call, or we would refuse its answer. */
  | 'refused'
  /** No connection, no answer in time, or a gateway that cannot reach it. */
  | 'unreachable';

/** What a probe saw. Has no secret, and nothing of the provider's text. */
export interface ProbeResult {
  readonly outcome: ProbeOutcome;
  /** The last call, by the provider's name of it. */
  readonly call: string;
  /** Its HTTP status; null when no answer came. */
  readonly status: number | null;
  /** The code in its answer, verbatim. */
  readonly providerCode: string | null;
  /** If accepted, the settings that the probe could not try; otherwise, those to check. */
  readonly settings: readonly string[];
}

/** The provider's page for the customer, and the provider's id of the order. */
export interface RailPage {
  readonly redirectUrl: string;
  readonly railReference: string | null;
}

/** `providerCode`: the provider's own code or state, verbatim (`withProviderCode`). */
export type StartResult =
  /** The customer continues at `redirectUrl`, in the provider's app, or else on the phone. */
  | {
      readonly type: 'accepted';
      readonly redirectUrl: string | null;
      readonly app?: AppParameters;
      readonly railReference: string | null;
      readonly providerCode?: string | null;
    }
  | {
      readonly type: 'refused';
      readonly reason: FailureReason;
      readonly providerCode?: string | null;
    }
  /** Already has an outcome: a start that waits for the customer returns it. */
  | { readonly type: 'resolved'; readonly outcome: Outcome }
  | { readonly type: 'unknown'; readonly providerCode?: string | null };
