import type { IntentStatus } from '../../../src/engine/domain/intent.ts';
import { CURRENCIES, type Currency } from '../../../src/kit/money.ts';
import type { Total } from '../../../src/lists/book/rows.ts';
import { type PaymentFilterForm, STATUSES } from './filter.ts';

/** What the filters find, in numbers. Pure. */

export interface Amount {
  readonly currency: Currency;
  /** Without commission. */
  readonly amountMinor: number;
}

export interface ListSummary {
  /** How many payments have each status, as if the member had chosen no tab. */
  readonly counts: Readonly<Record<IntentStatus, number>>;
  /** How many payments there are with any status. */
  readonly all: number;
  /** The payments of the chosen tab. */
  readonly payments: number;
  /** Their sum in each currency that they use. */
  readonly amounts: readonly Amount[];
  /** The paid ones among them. */
  readonly paid: number;
  readonly paidAmounts: readonly Amount[];
  /** What was returned of them, in each currency with refunds. */
  readonly refundedAmounts: readonly Amount[];
}

/** The days and the method of `totals` are those of the form already. */
export function summaryOf(totals: readonly Total[], { filter }: PaymentFilterForm): ListSummary {
  const ofCurrency = totals.filter(
    ({ currency }) => filter.currency === undefined || currency === filter.currency,
  );
  const ofStatus = (status: IntentStatus | undefined) =>
    ofCurrency.filter((total) => status === undefined || total.status === status);
  const listed = ofStatus(filter.status);
  const paid = listed.filter(({ status }) => status === 'succeeded');
  const counts = Object.fromEntries(
    STATUSES.map((status) => [status, count(ofStatus(status))]),
  ) as Record<IntentStatus, number>;
  return {
    counts,
    all: count(ofCurrency),
    payments: count(listed),
    amounts: amountsIn(listed),
    paid: count(paid),
    paidAmounts: amountsIn(paid),
    refundedAmounts: amountsIn(
      listed.map((total) => ({ ...total, amountMinor: total.refundedMinor })),
    ).filter(({ amountMinor }) => amountMinor > 0),
  };
}

function count(totals: readonly Total[]): number {
  return totals.reduce((sum, { payments }) => sum + payments, 0);
}

function amountsIn(totals: readonly Total[]): readonly Amount[] {
  return CURRENCIES.flatMap((currency) => {
    const own = totals.filter((total) => total.currency === currency);
    const amountMinor = own.reduce((sum, total) => sum + total.amountMinor, 0);
    return own.length === 0 ? [] : [{ currency, amountMinor }];
  });
}
