import { webUrl } from '../../kit/http/web-url.ts';
import type { Attempt } from '../domain/attempt.ts';
import { attemptInFlight, type Intent, reportedAttempt } from '../domain/intent.ts';
import { type IntentTerms, type LineItem, sharedCommission } from '../domain/terms.ts';
import { returnUrlFor } from './return-url.ts';

/** What every page of a payment shows, in any state. */
export type PaymentSummary = Readonly<ReturnType<typeof summaryOf>>;

export type ItemLine = Readonly<ReturnType<typeof itemLines>[number]>;

export interface Totals {
  readonly subtotalMinor: number;
  /**
   * What the customer pays on top: 0 when the merchant pays it, null while it depends on the
   * method.
   */
  readonly commissionMinor: number | null;
  /** What the customer pays in total; null while it depends on the method. */
  readonly totalMinor: number | null;
}

/** The merchant, the items and the totals. */
export function summaryOf(intent: Intent) {
  const { terms } = intent;
  const attempt =
    attemptInFlight(intent) ?? (intent.status === 'open' ? null : reportedAttempt(intent));
  return {
    merchantName: terms.merchantName,
    /** The merchant's `returnUrl`, or null when it set none. */
    returnUrl: returnUrlFor(intent),
    returnHost: webUrl(terms.returnUrl)?.host ?? null,
    /** Origin of the page. */
    baseUrl: terms.baseUrl,
    /** Null when the merchant has no branding. */
    branding: terms.branding,
    isTest: terms.environment === 'sandbox',
    /** The merchant's own id of the payment. */
    orderId: terms.uniqueId,
    /** What the provider and the merchant know the latest attempt by; null before the first one. */
    reference: reportedAttempt(intent)?.reference ?? null,
    description: terms.description,
    currency: terms.currency,
    items: itemLines(terms),
    totals: totalsOf(terms, attempt),
  };
}

/**
 * The totals by the attempt's method; without an attempt, those that all methods have in common.
 */
function totalsOf(terms: IntentTerms, attempt: Attempt | null): Totals {
  const subtotalMinor = terms.amountMinor;
  if (!terms.commissionPaidByCustomer) {
    return { subtotalMinor, commissionMinor: 0, totalMinor: subtotalMinor };
  }
  const commissionMinor = sharedCommission(terms, attempt);
  const totalMinor = commissionMinor === null ? null : subtotalMinor + commissionMinor;
  return { subtotalMinor, commissionMinor, totalMinor };
}

/**
 * The items with their prices (docs/decisions.md#4). Express items need not add up; then the prices
 * are null.
 */
function itemLines(terms: IntentTerms) {
  const totals = terms.items.map((item) => lineTotalMinor(item, terms));
  const doAddUp = totals.reduce((sum, total) => sum + total, 0n) === BigInt(terms.amountMinor);
  return terms.items.map((item, index) => ({
    name: item.name,
    description: item.description,
    quantity: item.quantity,
    /** Null unless the price is for one unit of several. */
    unitPriceMinor:
      doAddUp && terms.itemPriceBasis === 'unit' && item.quantity > 1 ? item.priceMinor : null,
    /** Null when the items do not add up to the amount, so no item prices are shown. */
    lineTotalMinor: doAddUp ? Number(totals[index]) : null,
  }));
}

/** BigInt, because a quantity of two billion times a large price exceeds the safe integers. */
function lineTotalMinor(item: LineItem, terms: IntentTerms): bigint {
  const quantity = terms.itemPriceBasis === 'unit' ? item.quantity : 1;
  return BigInt(item.priceMinor) * BigInt(quantity);
}
