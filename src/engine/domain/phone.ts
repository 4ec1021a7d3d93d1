/** Longer input is not a phone number. The limit bounds the work on hostile text. */
const PHONE_INPUT_LENGTH_MAX = 40;

const COUNTRY_CODE = '251';

/** Characters between digits: spaces, dashes, dots, brackets, and marks that come with pasted text. */
const SEPARATORS = /[\s\p{Pd}\p{Cf}\p{Variation_Selector}\uFFFC.()]/gu;

/** The trunk 0 may follow the country code: business cards print "+251 (0) 911 …". */
const PHONE = /^(?:(?:\+|00)?2510?|0)?([79]\d{8})$/;

/**
 * A phone number inside a text: `0911 23 45 67`, `+251-911-234567`, `+251 (0) 911 …`. Excludes
 * digits with dots or slashes, because these are usually dates.
 */
const WRITTEN_PHONE_NUMBER =
  /(?<![A-Za-z0-9])(?:(?:\+|00)?251[\s\p{Pd}()]{0,3})?(?:0[\s\p{Pd}()]{0,3})?[79](?:[\s\p{Pd}]?\d){8}(?![A-Za-z0-9])/gu;

/** Removes phone numbers from a text that is stored for years. */
export function withoutPhoneNumbers(text: string): string {
  return text.replaceAll(WRITTEN_PHONE_NUMBER, '…');
}

/** Parses an Ethiopian mobile number as people write it into `251XXXXXXXXX`, or null. */
export function phoneFrom(input: string): string | null {
  if (input.length > PHONE_INPUT_LENGTH_MAX) {
    return null;
  }
  const digits = PHONE.exec(input.replace(SEPARATORS, ''));
  return digits?.[1] === undefined ? null : COUNTRY_CODE + digits[1];
}

/** A phone number as pages show it, `+251 91 123 4567`; any other text as it is. */
export function phoneText(phone: string): string {
  const [, prefix, start, end] = /^251(\d\d)(\d{3})(\d{4})$/.exec(phoneFrom(phone) ?? '') ?? [];
  return prefix === undefined ? phone : `+251 ${prefix} ${start} ${end}`;
}

/** A provider's id of a payment; null if it contains the phone number, as M-PESA's does. */
export function idWithoutPhone(id: string | null, phone: string | null): string | null {
  const digits = phoneFrom(phone ?? '')?.slice(COUNTRY_CODE.length);
  return digits !== undefined && id?.includes(digits) ? null : id;
}

/** The last four digits of 251XXXXXXXXX, by which customers recognize their own number. */
export function phoneEnd(phone: string): string {
  return phone.slice(-4);
}

/** The end of a phone number as pages show it, `…4567`. */
export function phoneEndText(phone: string): string {
  return `…${phoneEnd(phone)}`;
}

/** The end that a person types to find a payment, with or without what stands for the other digits. */
export function phoneEndFrom(input: string): string | null {
  return /^[.…*]*(\d{4})$/u.exec(input)?.[1] ?? null;
}

/** A phone number as the API and files have it. */
export function maskedPhone(phone: string): string {
  return `251*****${phoneEnd(phone)}`;
}
