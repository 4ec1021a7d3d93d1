import type { Currency } from '../domain/method.ts';
import { majorText } from '../domain/money.ts';

const formats = new Map<string, Intl.NumberFormat>();

/**
 * `123450` of ETB as "ETB 1,234.50", in the locale's own grouping. Intl is given decimal text, not
 * a number, so no float ever stands between the stored amount and what the customer reads.
 */
export function moneyText(amountMinor: number, currency: Currency, locale: string): string {
  const key = `${locale} ${currency}`;
  let format = formats.get(key);
  if (format === undefined) {
    // The code, not the symbol: "$" alone does not say whose dollar.
    const options = { style: 'currency', currency, currencyDisplay: 'code' } as const;
    format = new Intl.NumberFormat(locale, options);
    formats.set(key, format);
  }
  return format.format(majorText(amountMinor) as Intl.StringNumericLiteral);
}

/** A moment on the customers' clock, with the zone named. */
export function timeText(atMs: number, locale: string): string {
  const format = new Intl.DateTimeFormat(locale, {
    dateStyle: 'medium',
    timeStyle: 'short',
    hourCycle: 'h23',
    timeZone: 'Africa/Addis_Ababa',
    calendar: 'gregory',
  });
  return format.format(atMs);
}
