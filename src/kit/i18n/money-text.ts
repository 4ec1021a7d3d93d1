import type { Currency } from '../money.ts';
import { majorText } from '../money.ts';

/** The Workers runtime lacks data for some languages; it has this one, which Ethiopia uses. */
const FALLBACK_LOCALE = 'en-ET';

/** What a language calls a currency, where readers expect it instead of the code. */
const CURRENCY_NAMES: Readonly<Record<string, Partial<Record<Currency, string>>>> = {
  'am-ET': { ETB: 'ብር' },
};

const formats = new Map<string, Intl.NumberFormat>();

/**
 * `123450` of ETB as "ETB 1,234.50", in the locale's own grouping. Intl is given decimal text, not
 * a number, so no float comes between the stored amount and what the customer reads.
 */
export function moneyText(amountMinor: number, currency: Currency, locale: string): string {
  const key = `${locale} ${currency}`;
  let format = formats.get(key);
  if (format === undefined) {
    // The code, not the symbol: "$" alone does not say whose dollar.
    const options = { style: 'currency', currency, currencyDisplay: 'code' } as const;
    format = new Intl.NumberFormat([locale, FALLBACK_LOCALE], options);
    formats.set(key, format);
  }
  const text = format.format(majorText(amountMinor) as Intl.StringNumericLiteral);
  return text.replace(currency, CURRENCY_NAMES[locale]?.[currency] ?? currency);
}

/** `123450` as "1,234.50", beside an amount that names the currency. */
export function amountText(amountMinor: number, locale: string): string {
  const format = new Intl.NumberFormat([locale, FALLBACK_LOCALE], { minimumFractionDigits: 2 });
  return format.format(majorText(amountMinor) as Intl.StringNumericLiteral);
}

/** How many of something, in the locale's own grouping. */
export function countText(count: number, locale: string): string {
  return new Intl.NumberFormat([locale, FALLBACK_LOCALE]).format(count);
}
