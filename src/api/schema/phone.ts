const COUNTRY_CODE = '251';

/** A mobile number, optionally with 0, 251 or +251 before it (docs/decisions.md#3). */
const MOBILE = /^(?:0|\+?251)?([79]\d{8})$/;

/** A phone number as 251XXXXXXXXX, or null when it is not an Ethiopian mobile number. */
export function internationalPhone(text: string): string | null {
  const subscriber = MOBILE.exec(text)?.[1];
  return subscriber === undefined ? null : COUNTRY_CODE + subscriber;
}
