import {
  type Attempt,
  attemptInFlight,
  type Branding,
  commissionOf,
  type Intent,
  type IntentTerms,
  type LineItem,
  reportedAttempt,
} from '../domain/intent.ts';
import type { Currency } from '../domain/method.ts';
import { returnUrlFor, webUrl } from './return-url.ts';

/** What every page of a payment says about it, whatever state it is in. */
export interface PaymentSummary {
  readonly merchantName: string;
  /** The way back to the merchant, or null when it named none. */
  readonly returnUrl: string | null;
  readonly returnHost: string | null;
  /** Null when the merchant has no brand of its own. */
  readonly branding: Branding | null;
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

/** Who is paid for what, and how much of it. */
export function summaryOf(intent: Intent): PaymentSummary {
  const { terms } = intent;
  const attempt =
    attemptInFlight(intent) ?? (intent.status === 'open' ? null : reportedAttempt(intent));
  return {
    merchantName: terms.merchantName,
    returnUrl: returnUrlFor(intent),
    returnHost: webUrl(terms.returnUrl)?.host ?? null,
    branding: terms.branding,
    isTest: terms.environment === 'sandbox',
    description: terms.description,
    currency: terms.currency,
    items: itemLines(terms),
    totals: totalsOf(terms, attempt),
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

/**
 * The items as they were priced (docs/decisions.md#4). Express items need not add up: then no
 * prices.
 */
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
