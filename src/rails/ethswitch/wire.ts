import { minorFromMajor } from '../../domain/money.ts';
import type { RailOrder } from '../rail-order.ts';

const TEXT_CHARACTERS_MAX = 200;
const URL_CHARACTERS_MAX = 2_048;

/** A string short enough to be an id or a state; null for anything else. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value.length <= TEXT_CHARACTERS_MAX
    ? value
    : null;
}

/** States and codes are compared in upper case. Anything but a string stays as it is. */
export function upperCased<Value>(value: Value): Value | string {
  return typeof value === 'string' ? value.toUpperCase() : value;
}

/** An integer, as a JSON number or a string of digits: SmartVista's versions differ. */
export function integerOf(value: unknown): number | null {
  if (typeof value === 'number') {
    return Number.isSafeInteger(value) ? value : null;
  }
  return typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : null;
}

/** The given codes and states as one text for the log; null when there are none. */
export function codeOf(...values: readonly unknown[]): string | null {
  const codes = values
    .filter((value) => typeof value === 'string' || typeof value === 'number')
    .map(String);
  return codes.length === 0 ? null : [...new Set(codes)].join(' ');
}

const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;
const IPV6 = /^[0-9a-f:.]*:[0-9a-f:.]*$/i;

/** An IP address in its canonical spelling, for comparisons; null for anything else. */
export function canonicalAddress(text: string): string | null {
  if (IPV6.test(text)) {
    return URL.parse(`http://[${text}]/`)?.hostname.slice(1, -1) ?? null;
  }
  const isIpv4 = IPV4.test(text) && URL.parse(`http://${text}/`)?.hostname === text;
  return isIpv4 ? text : null;
}

/** Minor units of an amount in major units, given as a JSON number or a decimal string. */
export function minorOf(value: unknown): number | null {
  if (typeof value === 'number') {
    return minorFromMajor(value);
  }
  return typeof value === 'string' && /^\d{1,12}(?:\.\d{1,6})?$/.test(value)
    ? minorFromMajor(Number(value))
    : null;
}

/** The URL of a page for the customer; null for anything else. */
export function pageUrlOf(value: unknown): string | null {
  const isUrl =
    typeof value === 'string' &&
    value.length <= URL_CHARACTERS_MAX &&
    /^https?:\/\/[^/\\\s@]+(?:[/?#][^\s\\]*)?$/i.test(value) &&
    URL.canParse(value);
  return isUrl ? value : null;
}

/** Letters of any script. */
export const NOT_PLAIN = /[^\p{L}\p{M}\p{N}.,:_-]+/gu;
/** For a gateway that may not support Unicode. */
export const NOT_PLAIN_ASCII = /[^A-Za-z0-9.,:_-]+/g;

/** Neither gateway publishes a limit this short, but their pages show one line. */
const DESCRIPTION_CHARACTERS_MAX = 100;

/**
 * What the customer reads on the gateway's page: the merchant and what the payment is for, in
 * letters, digits and harmless punctuation. Each run of other characters becomes a space.
 */
export function descriptionOf({ terms, attempt }: RailOrder, notPlain: RegExp): string {
  const text = `${terms.merchantName}: ${terms.description ?? terms.uniqueId}`;
  const plain = text.normalize('NFC').replaceAll(notPlain, ' ').trim();
  const short = [...plain].slice(0, DESCRIPTION_CHARACTERS_MAX).join('').trim();
  return /[\p{L}\p{N}]/u.test(short) ? short : attempt.reference;
}
