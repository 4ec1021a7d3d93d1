/** Longer input is not a phone number; bounds the work on hostile text. */
const PHONE_INPUT_LENGTH_MAX = 40;

/** What people put between digits: spaces, dashes, dots, brackets, and invisible marks when pasted. */
const SEPARATORS = /[\s\p{Pd}\p{Cf}.()]/gu;

/** The trunk 0 may stand behind the country's code: "+251 (0) 911 …" is how cards print it. */
const PHONE = /^(?:(?:\+|00)?2510?|0)?([79]\d{8})$/;

/** A phone number among other words: `0911 23 45 67`, `+251-911-234567`. */
const WRITTEN_PHONE_NUMBER = /(?<![A-Za-z0-9])(?:\+?251[ -]?|0)?[79](?:[ -]?\d){8}(?![A-Za-z0-9])/g;

/** What people wrote, without the phone numbers in it: for what is kept for years. */
export function withoutPhoneNumbers(text: string): string {
  return text.replaceAll(WRITTEN_PHONE_NUMBER, '…');
}

/** `251XXXXXXXXX` out of how a person writes an Ethiopian mobile number, or null. */
export function phoneFrom(input: string): string | null {
  if (input.length > PHONE_INPUT_LENGTH_MAX) {
    return null;
  }
  const digits = PHONE.exec(input.replace(SEPARATORS, ''));
  return digits?.[1] === undefined ? null : `251${digits[1]}`;
}
