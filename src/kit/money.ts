export const CURRENCIES = ['ETB', 'USD'] as const;

export type Currency = (typeof CURRENCIES)[number];

const MINOR_PER_MAJOR = 100;

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

/** The number that `minorFromMajor` reads back as the same amount, for requests and answers in JSON. */
export function majorFromMinor(amountMinor: number): number {
  return amountMinor / MINOR_PER_MAJOR;
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
