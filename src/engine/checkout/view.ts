import { webUrl } from '../../kit/http/web-url.ts';
import {
  ATTEMPTS_MAX,
  type Attempt,
  countedAttempts,
  type FailureReason,
} from '../domain/attempt.ts';
import { decide } from '../domain/decide.ts';
import { attemptInFlight, type Intent, reportedAttempt } from '../domain/intent.ts';
import { type Method, TRAITS } from '../domain/method.ts';
import { isHeld } from '../domain/restored-hold.ts';
import { chargedMinor, type IntentTerms } from '../domain/terms.ts';
import { expiryHeldUntilMs } from '../domain/time.ts';
import type { FormProblem } from '../i18n/messages.ts';
import type { SwitchedOff } from '../merchants/switched-off.ts';
import { receiptOf } from './receipt.ts';
import { summaryOf } from './summary.ts';

/**
 * A paid payment opened later than this shows its receipt, and does not return to the merchant. The
 * margin is for customers who return to the waiting page some time after they approved in an app.
 */
const FRESHLY_PAID_MS = 600_000;

/** Query of the page for a customer who tried to pay a paid payment. */
export const ALREADY_PARAMETER = 'already';

/** Query of the page for a customer who has just abandoned the payment and wants to leave. */
export const LEAVING_PARAMETER = 'leaving';

/** Everything that a page of a payment shows. Pages only render it. */
export type CheckoutView = Readonly<ReturnType<typeof checkoutView>>;

export type ChooseState = Readonly<ReturnType<typeof chooseState>>;
export type MethodChoice = Readonly<ReturnType<typeof waysOf>[number]>;
export type PhoneField = Readonly<ReturnType<typeof phoneField>>;
export type PushState = Readonly<ReturnType<typeof pushState>>;
export type RedirectState = Readonly<ReturnType<typeof redirectState>>;
export type PaidState = Readonly<ReturnType<typeof paidState>>;

export type CheckoutState =
  | ChooseState
  | RedirectState
  | PushState
  | PaidState
  | {
      readonly kind: 'failed';
      readonly reason: FailureReason | null;
      readonly mayStillSettle: boolean;
      readonly askedPhone: string | null;
      readonly claimed: readonly string[] | null;
      readonly isLeaving: boolean;
    }
  | {
      readonly kind: 'expired' | 'canceled';
      readonly mayStillSettle: boolean;
      /** The number that an unresolved prompt went to; null without one. */
      readonly askedPhone: string | null;
      /** The numbers that the customer has sent of an unresolved attempt; null without one. */
      readonly claimed: readonly string[] | null;
    };

/** A rejected form: what the customer entered, and what is wrong with it. */
export interface RefusedForm {
  readonly method: Method | null;
  readonly phone: string;
  readonly problem: FormProblem;
}

/** What the request adds to the stored payment. */
export interface ViewContext {
  /** The methods that the operator has switched off for now. */
  readonly switchedOff?: readonly SwitchedOff[];
  /** The methods whose provider seems to be down (docs/decisions.md#66). */
  readonly down?: readonly Method[];
  readonly refusedForm?: RefusedForm | null;
  readonly hasFailed?: boolean;
  /** The provider's page for the attempt in flight, from `railPageUrl`. */
  readonly railPage?: string | null;
  /** The customer tried to pay a paid payment. */
  readonly triedAgain?: boolean;
  /** The customer has just abandoned the payment and returns to the merchant. */
  readonly isLeaving?: boolean;
  /**
   * The page's link shows only the receipt. Then the page has no way back to the merchant, whose
   * `returnUrl` may contain what only the payer should have.
   */
  readonly isReceipt?: boolean;
}

/**
 * What the customer sees of `intent` at `nowMs`. A deadline in the past counts, even before its
 * alarm.
 */
export function checkoutView(intent: Intent, nowMs: number, context: ViewContext = {}) {
  const current = decide(intent, [{ type: 'tick' }], nowMs).intent;
  const state = stateOf(current, nowMs, context);
  const summary = summaryOf(current);
  return {
    summary: context.isReceipt ? { ...summary, returnUrl: null, returnHost: null } : summary,
    state,
    /** Opaque. A waiting page compares it; it changes whenever the page would. */
    tag: tagOf(current, state),
    /** The time that the customer has left to pay or to confirm; null without a deadline. */
    remainingMs: remainingMsOf(state, nowMs),
    nowMs,
  };
}

/**
 * The version changes with every stored change except a provider's answer, which shows in the
 * state. An open form changes only with a new attempt, so that news of an abandoned attempt does
 * not discard what the customer is typing.
 */
function tagOf(intent: Intent, state: CheckoutState): string {
  switch (state.kind) {
    case 'choose':
      return `${intent.attempts.length}-choose`;
    case 'redirect':
    case 'push':
      return `${intent.version}-${stageOf(state)}`;
    default:
      return `${intent.version}-${state.kind}`;
  }
}

/** What time alone, or an answer of the provider, changes on the page of an attempt in flight. */
function stageOf(state: RedirectState | PushState): string {
  if (state.isUnresolved) {
    return 'unresolved';
  }
  const isConnecting = state.kind === 'redirect' && state.redirectUrl === null;
  // The queue consumer's claim sets the end of the provider's time.
  const isHeld = state.reportedUntilMs !== null;
  return `${isConnecting ? 'connecting' : state.kind}${isHeld ? '-held' : ''}`;
}

function remainingMsOf(state: CheckoutState, nowMs: number): number | null {
  switch (state.kind) {
    case 'choose':
      return Math.max(0, state.dueAtMs - nowMs);
    case 'redirect':
    case 'push':
      return state.isUnresolved ? null : Math.max(0, state.dueAtMs - nowMs);
    default:
      return null;
  }
}

function stateOf(intent: Intent, nowMs: number, context: ViewContext): CheckoutState {
  const unresolved = intent.attempts.findLast((attempt) => attempt.status === 'unresolved');
  const mayStillSettle = unresolved !== undefined;
  const ended = {
    mayStillSettle,
    askedPhone: unresolved ? promptedPhone(unresolved) : null,
    claimed: unresolved ? claimedOf(unresolved) : null,
  };
  switch (intent.status) {
    case 'open':
      // The customer may have paid a restored payment by an attempt that Kefel does not know.
      if (isHeld(intent, nowMs)) {
        return { kind: 'expired', ...ended, mayStillSettle: true };
      }
      // An express payment is open only briefly: it starts and ends with its attempt.
      return intent.terms.kind === 'hosted'
        ? chooseState(intent, unresolved?.method ?? null, context)
        : { kind: 'expired', ...ended };
    case 'processing':
      return inFlightState(intent, nowMs, context.railPage ?? null);
    case 'succeeded':
      return paidState(intent, nowMs, context);
    case 'failed':
      return {
        kind: 'failed',
        reason: intent.failureReason,
        ...ended,
        isLeaving: context.isLeaving ?? false,
      };
    case 'expired':
    case 'canceled':
      return { kind: intent.status, ...ended };
  }
}

function chooseState(
  intent: Intent,
  left: Method | null,
  { refusedForm = null, hasFailed = false, switchedOff = [], down = [] }: ViewContext,
) {
  const { terms } = intent;
  const last = intent.attempts.at(-1) ?? null;
  // The customer who chose another method needs no alarm, and the old one is not their choice.
  const hasLeft = last?.failureReason === 'abandoned' || last?.status === 'unresolved';
  const lastFailure = hasLeft ? null : failureOf(last);
  const failed = lastFailure === null ? null : last?.method;
  const choices = terms.methods
    .map(({ method }) => ({
      ...methodChoice(terms, method, method === failed, switchedOff),
      /** It stays choosable. */
      isDown: down.includes(method),
    }))
    .sort((one, other) => placeOf(one) - placeOf(other));
  const methods = [...Map.groupBy(choices, accountOf).values()].flatMap(waysOf);
  const free = methods.filter(({ off }) => off === null);
  const only = free.length === 1 ? (free[0]?.method ?? null) : null;
  const lastWanted = hasLeft ? null : last?.method;
  const wanted = refusedForm === null ? lastWanted : refusedForm.method;
  // The page proposes no method that does not work. The customer may have chosen it all the same.
  const mayPropose = (choice: MethodChoice) => refusedForm !== null || !choice.isDown;
  const found = free.find((choice) => choice.method === wanted && mayPropose(choice));
  const selected = found?.method ?? only;
  return {
    kind: 'choose' as const,
    /**
     * In the order of the page: the one that has just failed is the first, those that do not work are
     * the last, ways of one account together.
     */
    methods,
    selected,
    /** Null when no method needs a phone. */
    phone: free.some((choice) => choice.phoneStarts !== null)
      ? phoneField(terms, last, refusedForm, free, selected)
      : null,
    lastFailure: refusedForm === null ? lastFailure : null,
    /** The provider may still confirm an attempt by it that the customer left: they must not pay twice. */
    left,
    isLastAttempt: countedAttempts(intent.attempts) === ATTEMPTS_MAX - 1,
    problem: refusedForm?.problem ?? null,
    /** Kefel could not process a form because of its own failure. */
    hasFailed,
    /** The form sends it back, so one form starts one attempt. */
    attemptsMade: intent.attempts.length,
    dueAtMs: terms.expiresAtMs,
  };
}

/** Why an attempt failed, as the form says it. */
function failureOf(attempt: Attempt | null): Exclude<FailureReason, 'abandoned'> | null {
  const reason = attempt?.failureReason ?? null;
  return reason === 'abandoned' ? null : reason;
}

/** Where a method stands on the page: what works before what does not, what cannot be chosen last. */
function placeOf({ off, isDown, isRetry }: PlainChoice): number {
  if (off !== null) {
    return 3;
  }
  if (isDown) {
    return 2;
  }
  return isRetry ? 0 : 1;
}

/** `isRetry`: it has just failed. */
function methodChoice(
  terms: IntentTerms,
  method: Method,
  isRetry: boolean,
  switchedOff: readonly SwitchedOff[],
) {
  return {
    method,
    /** Null while it can be chosen. */
    off: switchedOff.find((one) => one.method === method) ?? null,
    /** The first digits of the phone numbers that the form takes; null when it needs no number. */
    phoneStarts: TRAITS[method].confirmsOn === 'phone' ? phoneStarts(terms, method) : null,
    isRetry,
    /** What the customer pays on top with this method. */
    commissionMinor: chargedMinor(terms, method) - terms.amountMinor,
    chargedMinor: chargedMinor(terms, method),
  };
}

function accountOf({ method }: PlainChoice): Method {
  return TRAITS[method].account ?? method;
}

/** `way`: of several ways to pay from one account, the first one has the account's name above it. */
function waysOf(choices: readonly PlainChoice[]) {
  return choices.map((choice, index) => {
    const way = index === 0 ? ('first' as const) : ('next' as const);
    return { ...choice, way: choices.length === 1 ? null : way };
  });
}

type PlainChoice = ReturnType<typeof methodChoice> & { readonly isDown: boolean };

/** The sandbox accepts any number, so that merchants can test with their own. */
function phoneStarts({ environment }: IntentTerms, method: Method): string {
  return (environment === 'production' ? TRAITS[method].phoneStart : undefined) ?? '79';
}

function phoneField(
  terms: IntentTerms,
  last: Attempt | null,
  refusedForm: RefusedForm | null,
  methods: readonly MethodChoice[],
  selected: Method | null,
) {
  const fixed = fixedPhone(terms);
  if (fixed !== null) {
    return { value: phoneText(fixed), isReadOnly: true, wasAsked: null };
  }
  const known = phoneText(last?.phone ?? terms.customer?.phone ?? '');
  // A number that no method on offer could charge would only be refused.
  const asking = methods.filter(({ method }) => selected === null || method === selected);
  const isOfUse = asking.some(({ phoneStarts }) => phoneStarts?.includes(known.charAt(1)));
  const isAsked = asking.some(({ phoneStarts }) => phoneStarts !== null);
  return {
    value: refusedForm?.phone ?? (isOfUse || !isAsked ? known : ''),
    isReadOnly: false,
    /** The number of the prompt that has just failed, if it may be the wrong one. */
    wasAsked: last !== null && mayHaveWrongPhone(last) ? promptedPhone(last) : null,
  };
}

/** False when Kefel could not reach the provider: then no other number would have helped. */
function mayHaveWrongPhone({ status, failureReason }: Attempt): boolean {
  const isNotPaid = status === 'failed' || status === 'expired';
  return isNotPaid && failureReason !== 'rail_unavailable' && failureReason !== 'misconfigured';
}

/** The number of an attempt by prompt, without a line break within it; null without one. */
function promptedPhone({ flow, phone }: Attempt): string | null {
  return flow === 'push' && phone !== null ? phoneText(phone).replaceAll(' ', '\u00a0') : null;
}

/** `251911234567` in national notation, "0911 234 567". Any other text is returned unchanged. */
function phoneText(phone: string): string {
  const parts = /^(?:251)?([79]\d{2})(\d{3})(\d{3})$/.exec(phone);
  return parts === null ? phone : `0${parts[1]} ${parts[2]} ${parts[3]}`;
}

/** The phone number that the customer cannot change, or null. The form's number is then ignored. */
export function fixedPhone(terms: IntentTerms): string | null {
  return terms.customer?.isPhoneUpdatable === false ? terms.customer.phone : null;
}

function inFlightState(intent: Intent, nowMs: number, railPage: string | null): CheckoutState {
  const attempt = attemptInFlight(intent);
  if (attempt === null) {
    throw new Error('a processing intent without an attempt');
  }
  const pageUrl = webUrl(attempt.redirectUrl ?? railPage)?.href ?? null;
  const isTimeOver = nowMs >= intent.terms.expiresAtMs;
  return attempt.flow === 'push'
    ? pushState(intent, attempt, pageUrl, isTimeOver)
    : redirectState(intent, attempt, pageUrl, isTimeOver);
}

function pushState(intent: Intent, attempt: Attempt, pageUrl: string | null, isTimeOver: boolean) {
  const canStartAnother =
    intent.terms.kind === 'hosted' && countedAttempts(intent.attempts) < ATTEMPTS_MAX;
  return {
    ...inFlight(intent, attempt, isTimeOver),
    kind: 'push' as const,
    phone: promptedPhone(attempt),
    /** In the sandbox, the page that replaces the phone. */
    simulatorUrl: pageUrl,
    /** The customer may try again once the provider reports that this attempt failed. */
    mayRetry: canStartAnother && !isTimeOver,
    isPhoneFixed: fixedPhone(intent.terms) !== null,
    /** When the prompt expires; null after that, and when the payment expires with it. */
    promptEndsAtMs:
      attempt.status === 'processing' && attempt.deadlineAtMs < intent.terms.expiresAtMs
        ? attempt.deadlineAtMs
        : null,
  };
}

function redirectState(
  intent: Intent,
  attempt: Attempt,
  pageUrl: string | null,
  isTimeOver: boolean,
) {
  return {
    ...inFlight(intent, attempt, isTimeOver),
    kind: 'redirect' as const,
    /** Null until the provider has answered. */
    redirectUrl: pageUrl,
    /** The customer pays in the provider's app, which has no URL of ours. */
    isInApp: intent.terms.appForm !== undefined && pageUrl === null,
    /** The customer may switch to another method, or abandon the payment. */
    canAbandon: intent.terms.kind === 'hosted' && !isTimeOver,
  };
}

function claimedOf({ claimedReceipts = [] }: Attempt): readonly string[] {
  return claimedReceipts;
}

function inFlight(intent: Intent, attempt: Attempt, isTimeOver: boolean) {
  const isUnresolved = attempt.status === 'unresolved' || isTimeOver;
  return {
    attemptId: attempt.id,
    method: attempt.method,
    /** The time to confirm is over, without a report of the provider (docs/decisions.md#31). */
    isUnresolved,
    /** The numbers that the customer has sent; null before the time is over. */
    claimed: isUnresolved ? claimedOf(attempt) : null,
    /** The end of the provider's time limit, or of the payment's time if that is sooner. */
    dueAtMs: Math.min(attempt.deadlineAtMs, intent.terms.expiresAtMs),
    /** Until when the provider may report a payment after the payment's time; null: it may not. */
    reportedUntilMs: expiryHeldUntilMs(intent),
  };
}

function paidState(intent: Intent, nowMs: number, context: ViewContext) {
  const attempt = reportedAttempt(intent);
  if (attempt === null) {
    throw new Error('a paid intent without an attempt');
  }
  const { triedAgain = false, isReceipt = false } = context;
  const receipt = receiptOf(intent, attempt);
  const isNews =
    nowMs - attempt.updatedAtMs <= FRESHLY_PAID_MS &&
    intent.refunds.length === 0 &&
    !receipt.hasPaidTwice;
  return {
    kind: 'paid' as const,
    receipt,
    /** The customer has just paid, and returns to the merchant. */
    isFresh: isNews && !triedAgain && !isReceipt,
    triedAgain,
    /** The link shows nothing else, so the customer may share it. */
    isShared: isReceipt,
  };
}
