import { AMOUNT_MINOR_MAX, roundedShare } from './money.ts';
import type { ItemPriceBasis, LineItem, Split } from './terms.ts';

/** 100 % in hundredths of a percent. */
export const PERCENTAGE_WHOLE = 10_000;

/** The fields of an item that determine the total. */
export type ItemAmounts = Pick<LineItem, 'priceMinor' | 'quantity'>;

/** The total of the items for both meanings of their prices; null above AMOUNT_MINOR_MAX. */
export interface ItemTotals {
  /** The sum of price × quantity, in minor units. */
  readonly unitMinor: number | null;
  /** The sum of the prices, in minor units. */
  readonly lineMinor: number | null;
}

/**
 * Both totals of the items (docs/decisions.md#4). Uses BigInt, because the largest price times the
 * largest quantity exceeds the safe integers, and the cap applies to the exact sum.
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

/** The price basis by which the items add up to the amount, `unit` first; null when none does. */
export function matchingBasis(amountMinor: number, totals: ItemTotals): ItemPriceBasis | null {
  if (totals.unitMinor === amountMinor) {
    return 'unit';
  }
  return totals.lineMinor === amountMinor ? 'line' : null;
}

/** How a beneficiary's share is calculated: hundredths of a percent, or minor units. */
export type SplitValue = Pick<Split, 'type' | 'value'>;

/** A beneficiary's share of an amount without commission, rounded down (docs/decisions.md#14). */
export function shareMinor(amountMinor: number, split: SplitValue): number {
  return split.type === 'percentage' ? roundedShare(amountMinor, split.value, 'down') : split.value;
}

/** The sum of all shares of an amount, in minor units. */
export function sharesMinor(amountMinor: number, splits: readonly SplitValue[]): number {
  return splits.reduce((sum, split) => sum + shareMinor(amountMinor, split), 0);
}

/** The sum of the percentages, in hundredths of a percent. Valid up to PERCENTAGE_WHOLE. */
export function percentageTotal(splits: readonly SplitValue[]): number {
  return splits.reduce((sum, { type, value }) => sum + (type === 'percentage' ? value : 0), 0);
}

/**
 * The amount that the beneficiaries can share, in minor units: without the highest commission that
 * the merchant may bear, because the customer has not chosen a method yet.
 */
export function shareableMinor(
  amountMinor: number,
  commissionsBorneMinor: readonly number[],
): number {
  return Math.max(0, amountMinor - Math.max(0, ...commissionsBorneMinor));
}
