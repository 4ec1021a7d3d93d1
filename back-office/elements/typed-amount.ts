import { minorFromMajor } from '../../src/kit/money.ts';

/** Up to 999,999,999.99, with or without commas. */
const AMOUNT = /^(?:\d{1,9}|\d{1,3}(?:,\d{3}){1,2})(?:\.\d{1,2})?$/;

/** Minor units of an amount that a person typed in major units; null for any other text. */
export function amountMinorFrom(text: string): number | null {
  return AMOUNT.test(text) ? minorFromMajor(Number(text.replaceAll(',', ''))) : null;
}
