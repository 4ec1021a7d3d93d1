import type { Currency } from '../../kit/money.ts';
import type { Tenant } from '../../kit/tenant.ts';
import type { AppForm } from './app-form.ts';
import type { Attempt } from './attempt.ts';
import type { Branding, Business } from './merchant.ts';

import type { Method } from './method.ts';

export type IntentKind = 'hosted' | 'express';

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
  /** The unit of `value`: hundredths of a percent, or minor units. */
  readonly type: 'percentage' | 'number';
  readonly value: number;
  /** The beneficiary's share, rounded down (docs/decisions.md#14). */
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

/** The merchant's own notes on a payment, by key. Kefel reads none of them in production. */
export type Metadata = Readonly<Record<string, string>>;

/** How a sandbox express payment is simulated. */
export type Simulation = 'interactive' | 'succeed' | 'fail';

/** The terms that the merchant requested. They never change after creation (docs/promises.md#7). */
export interface IntentTerms extends Tenant {
  readonly merchantName: string;
  /** Unique among all merchants. */
  readonly merchantNumber: number;
  /** Copied at creation, so that an open page does not change its look. Null: none. */
  readonly branding: Branding | null;
  /** Copied at creation, so that a receipt names who sold at that time. Null: nothing is set. */
  readonly business: Business | null;
  readonly uniqueId: string;
  readonly uuid: string;
  /** The integer id: random, 1 … 2^53 − 1. */
  readonly number: number;
  /** The volume of the merchant's book that lists the payment. */
  readonly bookVolume: number;
  readonly kind: IntentKind;
  readonly paymentLinkUniqueId: string | null;
  /** The code of a payment link that had a maximum. Absent on all other payments. */
  readonly countedLink?: string;
  /** The amount excludes the commission. */
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
  /** Absent on nearly every payment: the customer pays on a page, or confirms a prompt. */
  readonly appForm?: AppForm;
  /**
   * The member at whose till it was sold; absent on every other payment. No request can name it, so
   * a till's list has nothing that others made (docs/decisions.md#70).
   */
  readonly tillId?: string;
  readonly returnUrl: string | null;
  readonly callbackUrl: string | null;
  /** The gateway may not send there: events go to the endpoints (docs/decisions.md#19). */
  readonly isCallbackIgnored: boolean;
  /** Whether events of refunds go to the callbackUrl too (docs/decisions.md#17). */
  readonly refundEvents: boolean;
  readonly simulation: Simulation | null;
  readonly metadata: Metadata;
  /** Origin of the customer's pages, stored so that links survive a change of the host name. */
  readonly baseUrl: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
}

/** The commission of a method under these terms, in minor units. */
export function commissionOf(terms: IntentTerms, method: Method): number {
  return terms.methods.find((entry) => entry.method === method)?.commissionMinor ?? 0;
}

/** That of the attempt's method. Without an attempt, the one of all methods; null if they differ. */
export function sharedCommission(terms: IntentTerms, attempt: Attempt | null): number | null {
  if (attempt !== null) {
    return commissionOf(terms, attempt.method);
  }
  const [first = 0, ...others] = terms.methods.map((entry) => entry.commissionMinor);
  return others.every((other) => other === first) ? first : null;
}

/** What the customer pays by this method, including the commission if the customer bears it. */
export function chargedMinor(terms: IntentTerms, method: Method): number {
  return terms.amountMinor + (terms.commissionPaidByCustomer ? commissionOf(terms, method) : 0);
}
