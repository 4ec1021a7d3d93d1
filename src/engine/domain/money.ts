/** Every amount inside Kefel is an integer number of minor units (cents of ETB or USD). */

/** The largest accepted amount: 999,999,999.99 (docs/decisions.md#5). Sums stay far below 2^53. */
export const AMOUNT_MINOR_MAX = 99_999_999_999;

/** The smallest refund: 0.01. */
export const REFUND_MINOR_MIN = 1;

/** The smallest total of a hosted checkout: 1.00 (docs/api.md#limits). */
export const HOSTED_TOTAL_MINOR_MIN = 100;

const BASIS_POINTS_WHOLE = 10_000;

/** The commission of one method: `basisPoints` of the amount plus `fixedMinor`. */
export interface CommissionRate {
  readonly basisPoints: number;
  readonly fixedMinor: number;
}

/** The commission on an amount, rounded half up to the minor unit (docs/decisions.md#15). */
export function commissionMinor(amountMinor: number, rate: CommissionRate): number {
  return roundedShare(amountMinor, rate.basisPoints, 'half_up') + rate.fixedMinor;
}

/**
 * `amountMinor` × `basisPoints` / 10,000 as an integer. Uses BigInt, because the product of the
 * largest amount and 10,000 basis points exceeds the safe integers.
 */
export function roundedShare(
  amountMinor: number,
  basisPoints: number,
  rounding: 'down' | 'half_up',
): number {
  const product = BigInt(amountMinor) * BigInt(basisPoints);
  const half = rounding === 'half_up' ? BigInt(BASIS_POINTS_WHOLE / 2) : 0n;
  return Number((product + half) / BigInt(BASIS_POINTS_WHOLE));
}
