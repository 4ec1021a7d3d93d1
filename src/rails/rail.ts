import type {
  Attempt,
  AttemptPlan,
  FailureReason,
  IntentTerms,
  Outcome,
} from '../domain/intent.ts';
import type { Currency, Method } from '../domain/method.ts';

/** One payment method's provider, seen from Kefel. Adapters hold no state: the object does. */
export interface Rail {
  /** Name in URLs and logs: lower-case letters and hyphens. */
  readonly id: string;
  readonly currencies: readonly Currency[];
  /** A start that has not answered by then is `unknown`; milliseconds. */
  readonly startTimeoutMs: number;
  /** Whether a phone (251XXXXXXXXX) can have an account here; where it is missing, any can. */
  takesPhone?(phone: string): boolean;
  /**
   * True when `start` waits for the customer, a minute or more: it is then called once, by a queue
   * consumer, instead of within a request.
   */
  readonly startsInQueue: boolean;
  /** What an attempt that starts now will look like. Pure. */
  plan(terms: IntentTerms, method: Method, nowMs: number): AttemptPlan;
  /**
   * Asks the rail to take the payment. The attempt's `reference` is the idempotency key. Never
   * throws for what the rail does: a timeout or an unclear answer is `unknown`, not `failed`.
   */
  start(order: RailOrder): Promise<StartResult>;
  /**
   * The rail's page for an attempt whose start was never answered, where it follows from the order
   * alone; null where only the rail could tell, for a charge is never started twice.
   */
  page(order: RailOrder): RailPage | null;
  /** Asks the rail what became of an attempt. Never throws for what the rail does. */
  query(order: RailOrder, nowMs: number): Promise<Outcome>;
  /**
   * Reads a callback that arrived for `order`: authentic first, parsed second. Says what it proves
   * and how the rail wants to be answered once the outcome is committed.
   */
  handleCallback(request: Request, order: RailOrder): Promise<CallbackResult>;
  /**
   * Where all callbacks come to one registered address: the order id in one that is authentic, which
   * leads to its attempt (`selfDescribingId`); null for any other text.
   */
  orderIdIn?(text: string): Promise<string | null>;
}

/** Everything an adapter may know about one attempt. */
export interface RailOrder {
  readonly terms: IntentTerms;
  readonly attempt: Attempt;
  /** With the commission when the customer bears it. */
  readonly chargedMinor: number;
  /** Signed link of this attempt: the unguessable last segment of its callback URL. */
  readonly attemptToken: string;
  /** Where the rail reports this attempt: `<base URL>/rails/<rail id>/<attempt token>`. */
  readonly callbackUrl: string;
  /**
   * For a rail whose callbacks all come to one registered address: an order id of 79 letters and
   * digits (A-Z, 2-7) that leads to this attempt and that nobody else can make.
   */
  readonly selfDescribingId: string;
  /** The customer's page of this payment. */
  readonly checkoutUrl: string;
  /** Where the rail sends the customer back to: that page, once the rail was asked what happened. */
  readonly returnUrl: string;
}

/** Where the customer goes, and what the rail knows the order by. */
export interface RailPage {
  readonly redirectUrl: string;
  readonly railReference: string | null;
}

/** `words`: the rail's own code or state, for people (`withWords`). */
export type StartResult =
  /** Taken: the customer goes to `redirectUrl`, or is prompted on the phone when it is null. */
  | {
      readonly type: 'accepted';
      readonly redirectUrl: string | null;
      readonly railReference: string | null;
      readonly words?: string | null;
    }
  | {
      readonly type: 'refused';
      readonly reason: FailureReason;
      readonly words?: string | null;
    }
  /** Ended already: a rail that answers only after the customer has acted says how. */
  | { readonly type: 'settled'; readonly outcome: Outcome }
  | { readonly type: 'unknown'; readonly words?: string | null };

export type CallbackResult =
  | {
      readonly type: 'outcome';
      readonly outcome: Outcome;
      /** The customer also gives up the whole payment (the simulator's third button). */
      readonly givesUp: boolean;
      /** Where the rail is ourselves: an attempt that is settled already stays as it is. */
      readonly onlyPending: boolean;
      /** The answer, sent only after the commit. `returnUrl`: where the customer goes next. */
      readonly answer: (next: { readonly customerUrl: string }) => Response;
    }
  /** Nothing changes, whatever it said; the operator is told why. */
  | {
      readonly type: 'refused';
      readonly suspicion: CallbackSuspicion;
      readonly answer: Response;
    };

/** What is wrong with a callback that is not acted upon. */
export type CallbackSuspicion =
  /** Not in the rail's form. */
  | 'unreadable'
  /** Its signature, decryption or hash does not hold. */
  | 'not_authentic'
  /** It speaks of another order, merchant or request than the one whose address it came to. */
  | 'other_order'
  | 'wrong_amount'
  /** A state whose meaning we do not know: nobody guesses about money. */
  | 'unknown_state'
  /** It says that an attempt was paid which has ended otherwise, and the rail, asked, does not. */
  | 'not_confirmed';
