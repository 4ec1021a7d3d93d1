import type { ItemPriceBasis, LineItem, Split } from './intent.ts';
import { AMOUNT_MINOR_MAX, roundedShare } from './money.ts';

/** 100 %, in the hundredths of a percent that percentages are kept in. */
export const PERCENTAGE_WHOLE = 10_000;

/** What an item adds to the total. */
export type ItemAmounts = Pick<LineItem, 'priceMinor' | 'quantity'>;

/** The total of the items by either reading of their prices; null when it exceeds the cap. */
export interface ItemTotals {
  /** Sum of price × quantity, in minor units. */
  readonly unitMinor: number | null;
  /** Sum of prices, in minor units. */
  readonly lineMinor: number | null;
}

/**
 * Both sums of the items (docs/decisions.md#4). BigInt, because the largest price times the largest quantity
 * leaves the safe integers: the cap is applied to the exact sum.
 */
export function itemTotals(items: readonly ItemAmounts[]): ItemTotals {
  let unitMinor = 0n;
  let lineMinor = 0n;
  for (const { priceMinor, quantity } of items) {
    unitMinor += BigInt(priceMinor) * BigInt(quantity);
    lineMinor += BigInt(priceMinor);
  }
  return { unitMinor: withinCap(unitMinor), lineMinor: withinCap(lineMinor) };
}

function withinCap(totalMinor: bigint): number | null {
  return totalMinor > BigInt(AMOUNT_MINOR_MAX) ? null : Number(totalMinor);
}

/** By which reading the items add up to the amount, units first; null when by neither. */
export function matchingBasis(amountMinor: number, totals: ItemTotals): ItemPriceBasis | null {
  if (totals.unitMinor === amountMinor) {
    return 'unit';
  }
  return totals.lineMinor === amountMinor ? 'line' : null;
}

/** How a beneficiary's share is reckoned: hundredths of a percent, or minor units. */
export type SplitValue = Pick<Split, 'type' | 'value'>;

/**
 * What a beneficiary is owed of an amount without commission, rounded down (docs/decisions.md#14).
 */
export function shareMinor(amountMinor: number, split: SplitValue): number {
  return split.type === 'percentage' ? roundedShare(amountMinor, split.value, 'down') : split.value;
}

/** The sum of all shares of an amount, in minor units. */
export function sharesMinor(amountMinor: number, splits: readonly SplitValue[]): number {
  return splits.reduce((sum, split) => sum + shareMinor(amountMinor, split), 0);
}

/** The sum of the percentages, in hundredths of a percent; at most PERCENTAGE_WHOLE is sound. */
export function percentageTotal(splits: readonly SplitValue[]): number {
  return splits.reduce((sum, { type, value }) => sum + (type === 'percentage' ? value : 0), 0);
}

/**
 * What there is to share, in minor units: the amount, less the highest commission when the merchant
 * bears it, for until the customer has chosen a method the commission may be the highest.
 */
export function shareableMinor(
  amountMinor: number,
  commissionsBorneMinor: readonly number[],
): number {
  return Math.max(0, amountMinor - Math.max(0, ...commissionsBorneMinor));
}
