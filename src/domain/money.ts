/** Every amount inside Kefel is an integer number of minor units (cents of ETB or USD). */

/** The largest accepted amount: 999,999,999.99 (docs/decisions.md#5). Sums stay far below 2^53. */
export const AMOUNT_MINOR_MAX = 99_999_999_999;

/** The smallest refund: 0.01. */
export const REFUND_MINOR_MIN = 1;

/** The smallest total of a hosted checkout: 1.00 (docs/api.md#limits). */
export const HOSTED_TOTAL_MINOR_MIN = 100;

const MINOR_PER_MAJOR = 100;
const BASIS_POINTS_WHOLE = 10_000;

/**
 * Exact minor units of a JSON number in major units, or null when it has more than two decimals.
 * Parses the number's shortest decimal text, so that 1.15 is 115 and 1.005 is rejected. Float
 * multiplication would get both wrong (docs/decisions.md#5).
 */
export function minorFromMajor(amountMajor: number): number | null {
  const parts = /^(\d+)(?:\.(\d{1,2}))?$/.exec(String(amountMajor));
  if (parts === null) {
    return null;
  }
  const whole = Number(parts[1]);
  const fraction = Number((parts[2] ?? '').padEnd(2, '0'));
  const amountMinor = whole * MINOR_PER_MAJOR + fraction;
  return Number.isSafeInteger(amountMinor) ? amountMinor : null;
}

/** Whether an amount has no cents. */
export function isWholeMajor(amountMinor: number): boolean {
  return amountMinor % MINOR_PER_MAJOR === 0;
}

/** The next amount without cents, for methods that take whole amounts only. */
export function roundedUpToMajor(amountMinor: number): number {
  return Math.ceil(amountMinor / MINOR_PER_MAJOR) * MINOR_PER_MAJOR;
}

/** Formats `12345` as `"123.45"`, for messages, rails and forms. Never for arithmetic. */
export function majorText(amountMinor: number): string {
  const size = Math.abs(amountMinor);
  const whole = Math.trunc(size / MINOR_PER_MAJOR);
  const text = `${whole}.${String(size % MINOR_PER_MAJOR).padStart(2, '0')}`;
  return amountMinor < 0 ? `-${text}` : text;
}

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
