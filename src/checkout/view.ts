import { decide } from '../domain/decide.ts';
import {
  ATTEMPTS_MAX,
  type Attempt,
  attemptInFlight,
  chargedMinor,
  commissionOf,
  type FailureReason,
  type Intent,
  type IntentTerms,
  type LineItem,
  reportedAttempt,
} from '../domain/intent.ts';
import { type Currency, METHODS_NEEDING_PHONE, type Method } from '../domain/method.ts';
import type { FormProblem } from '../pages/messages.ts';
import { returnUrlFor, webUrl } from '../pages/return-url.ts';
import { phoneText } from './phone.ts';

/** Everything a page of a payment shows. Pages render it; they decide nothing. */
export interface CheckoutView {
  readonly summary: PaymentSummary;
  readonly state: CheckoutState;
}

export interface PaymentSummary {
  readonly merchantName: string;
  /** The way back to the merchant, or null when it named none. */
  readonly returnUrl: string | null;
  readonly returnHost: string | null;
  readonly isTest: boolean;
  readonly description: string | null;
  readonly currency: Currency;
  readonly items: readonly ItemLine[];
  readonly totals: Totals;
}

export interface ItemLine {
  readonly name: string;
  readonly description: string | null;
  readonly quantity: number;
  /** Null unless the price is for one unit and there are several. */
  readonly unitPriceMinor: number | null;
  /** Null when the items do not add up to the amount: then no price of theirs is shown. */
  readonly lineTotalMinor: number | null;
}

export interface Totals {
  readonly subtotalMinor: number;
  /** What the customer pays on top: zero when the merchant bears it, null while it depends. */
  readonly commissionMinor: number | null;
  /** What the customer pays in all; null while it depends on the method. */
  readonly totalMinor: number | null;
}

export type CheckoutState =
  | ChooseState
  | RedirectState
  | PushState
  | PaidState
  | {
      readonly kind: 'failed';
      readonly reason: FailureReason | null;
      readonly mayStillSettle: boolean;
    }
  | { readonly kind: 'expired' | 'canceled'; readonly mayStillSettle: boolean };

export interface ChooseState {
  readonly kind: 'choose';
  readonly methods: readonly MethodChoice[];
  readonly selected: Method | null;
  /** Null when no method needs a phone. */
  readonly phone: PhoneField | null;
  readonly lastFailure: FailureReason | null;
  readonly isLastAttempt: boolean;
  readonly problem: FormProblem | null;
  readonly expiresAtMs: number;
}

export interface MethodChoice {
  readonly method: Method;
  readonly needsPhone: boolean;
  /** What the customer pays on top by this method. */
  readonly commissionMinor: number;
  readonly chargedMinor: number;
}

export interface PhoneField {
  readonly value: string;
  readonly isReadOnly: boolean;
}

interface InFlight {
  readonly attemptId: string;
  readonly method: Method;
  readonly reference: string;
  /** The rail's time is over and nothing is proved (decision 31). */
  readonly isUnresolved: boolean;
}

export interface RedirectState extends InFlight {
  readonly kind: 'redirect';
  /** Null until the rail has answered. */
  readonly redirectUrl: string | null;
  /** The customer may leave this attempt for another, or give up. */
  readonly canAbandon: boolean;
}

export interface PushState extends InFlight {
  readonly kind: 'push';
  readonly phone: string | null;
}

export interface PaidState {
  readonly kind: 'paid';
  readonly method: Method;
  readonly reference: string;
  readonly chargedMinor: number;
  readonly paidAtMs: number;
}

/** A form that came back to the customer: what was entered, and what is wrong with it. */
export interface RefusedForm {
  readonly method: Method | null;
  readonly phone: string;
  readonly problem: FormProblem;
}

/** What a request knows beyond the stored payment. */
export interface ViewContext {
  readonly refusedForm?: RefusedForm | null;
  /** The rail's page of the attempt in flight, as `railPageUrl` finds it. */
  readonly railPage?: string | null;
}

/** What the customer sees of `intent` at `nowMs`: time that has run out counts, alarm or not. */
export function checkoutView(
  intent: Intent,
  nowMs: number,
  context: ViewContext = {},
): CheckoutView {
  const current = decide(intent, [{ type: 'tick' }], nowMs).intent;
  return { summary: summaryOf(current), state: stateOf(current, context) };
}

function summaryOf(intent: Intent): PaymentSummary {
  const { terms } = intent;
  const attempt =
    attemptInFlight(intent) ?? (intent.status === 'open' ? null : reportedAttempt(intent));
  return {
    merchantName: terms.merchantName,
    returnUrl: returnUrlFor(intent),
    returnHost: webUrl(terms.returnUrl)?.host ?? null,
    isTest: terms.environment === 'sandbox',
    description: terms.description,
    currency: terms.currency,
    items: itemLines(terms),
    totals: totalsOf(terms, attempt),
  };
}

function stateOf(intent: Intent, context: ViewContext): CheckoutState {
  const mayStillSettle = intent.attempts.some((attempt) => attempt.status === 'unresolved');
  switch (intent.status) {
    case 'open':
      // An express payment is never open for long: it starts with its attempt and ends with it.
      return intent.terms.kind === 'hosted'
        ? chooseState(intent, context.refusedForm ?? null)
        : { kind: 'expired', mayStillSettle };
    case 'processing':
      return inFlightState(intent, context.railPage ?? null);
    case 'succeeded':
      return paidState(intent);
    case 'failed':
      return { kind: 'failed', reason: intent.failureReason, mayStillSettle };
    case 'expired':
    case 'canceled':
      return { kind: intent.status, mayStillSettle };
  }
}

function chooseState(intent: Intent, refusedForm: RefusedForm | null): ChooseState {
  const { terms } = intent;
  const methods = terms.methods.map(({ method }) => ({
    method,
    needsPhone: METHODS_NEEDING_PHONE.includes(method),
    commissionMinor: chargedMinor(terms, method) - terms.amountMinor,
    chargedMinor: chargedMinor(terms, method),
  }));
  const last = intent.attempts.at(-1) ?? null;
  const only = methods.length === 1 ? (methods[0]?.method ?? null) : null;
  return {
    kind: 'choose',
    methods,
    selected: refusedForm === null ? (last?.method ?? only) : (refusedForm.method ?? only),
    phone: methods.some((choice) => choice.needsPhone)
      ? phoneField(terms, last, refusedForm)
      : null,
    lastFailure: refusedForm === null ? (last?.failureReason ?? null) : null,
    isLastAttempt: intent.attempts.length === ATTEMPTS_MAX - 1,
    problem: refusedForm?.problem ?? null,
    expiresAtMs: terms.expiresAtMs,
  };
}

function phoneField(
  terms: IntentTerms,
  last: Attempt | null,
  refusedForm: RefusedForm | null,
): PhoneField {
  const fixed = fixedPhone(terms);
  if (fixed !== null) {
    return { value: phoneText(fixed), isReadOnly: true };
  }
  const known = last?.phone ?? terms.customer?.phone ?? '';
  return { value: refusedForm?.phone ?? phoneText(known), isReadOnly: false };
}

/** The phone that the customer may not change, or null. What the form says is then ignored. */
export function fixedPhone(terms: IntentTerms): string | null {
  return terms.customer?.isPhoneUpdatable === false ? terms.customer.phone : null;
}

function inFlightState(intent: Intent, railPage: string | null): CheckoutState {
  const attempt = attemptInFlight(intent);
  if (attempt === null) {
    throw new Error('a processing intent without an attempt');
  }
  const inFlight: InFlight = {
    attemptId: attempt.id,
    method: attempt.method,
    reference: attempt.reference,
    isUnresolved: attempt.status === 'unresolved',
  };
  if (attempt.flow === 'push') {
    return {
      ...inFlight,
      kind: 'push',
      // No line break inside a number.
      phone: attempt.phone === null ? null : phoneText(attempt.phone).replaceAll(' ', '\u00a0'),
    };
  }
  return {
    ...inFlight,
    kind: 'redirect',
    redirectUrl: webUrl(attempt.redirectUrl ?? railPage)?.href ?? null,
    canAbandon: intent.terms.kind === 'hosted',
  };
}

function paidState(intent: Intent): PaidState {
  const attempt = reportedAttempt(intent);
  if (attempt === null) {
    throw new Error('a paid intent without an attempt');
  }
  return {
    kind: 'paid',
    method: attempt.method,
    reference: attempt.reference,
    chargedMinor: chargedMinor(intent.terms, attempt.method),
    paidAtMs: attempt.updatedAtMs,
  };
}

/** The totals by the attempt's method; without one by all methods, where they agree. */
function totalsOf(terms: IntentTerms, attempt: Attempt | null): Totals {
  const subtotalMinor = terms.amountMinor;
  if (!terms.commissionPaidByCustomer) {
    return { subtotalMinor, commissionMinor: 0, totalMinor: subtotalMinor };
  }
  const commissions =
    attempt === null
      ? new Set(terms.methods.map((entry) => entry.commissionMinor))
      : new Set([commissionOf(terms, attempt.method)]);
  const [commissionMinor = 0, ...others] = commissions;
  return others.length > 0
    ? { subtotalMinor, commissionMinor: null, totalMinor: null }
    : { subtotalMinor, commissionMinor, totalMinor: subtotalMinor + commissionMinor };
}

/** The items as they were priced (decision 4). Express items need not add up: then no prices. */
function itemLines(terms: IntentTerms): readonly ItemLine[] {
  const totals = terms.items.map((item) => lineTotalMinor(item, terms));
  const doAddUp = totals.reduce((sum, total) => sum + total, 0n) === BigInt(terms.amountMinor);
  return terms.items.map((item, index) => ({
    name: item.name,
    description: item.description,
    quantity: item.quantity,
    unitPriceMinor:
      doAddUp && terms.itemPriceBasis === 'unit' && item.quantity > 1 ? item.priceMinor : null,
    lineTotalMinor: doAddUp ? Number(totals[index]) : null,
  }));
}

/** BigInt: a quantity of two thousand million times a large price leaves the safe integers. */
function lineTotalMinor(item: LineItem, terms: IntentTerms): bigint {
  const quantity = terms.itemPriceBasis === 'unit' ? item.quantity : 1;
  return BigInt(item.priceMinor) * BigInt(quantity);
}
