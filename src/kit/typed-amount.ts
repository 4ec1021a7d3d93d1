import { minorFromMajor } from './money.ts';

/** Up to 999,999,999.99, with or without commas. */
const AMOUNT = /^(?:\d{1,9}|\d{1,3}(?:,\d{3}){1,2})(?:\.\d{1,2})?$/;

/** Minor units of an amount that a person typed in major units; null for any other text. */
export function amountMinorFrom(text: string): number | null {
  return AMOUNT.test(text) ? minorFromMajor(Number(text.replaceAll(',', ''))) : null;
}

/** What customers write beside an amount: its currency, in front or behind. */
const CURRENCY_WORD = /^(?:etb|birr|br\.?|ብር|usd|\$)|(?:etb|birr|br\.?|ብር|usd|\$)$/giu;

/** The same as customers type it: `250 birr`, `ብር 1 500`, `1,500.50`. */
export function amountMinorWritten(text: string): number | null {
  return amountMinorFrom(text.replaceAll(/\s/gu, '').replaceAll(CURRENCY_WORD, ''));
}
