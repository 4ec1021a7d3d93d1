import { minorFromMajor } from '../../domain/money.ts';
import type { RailOrder } from '../rail.ts';

const TEXT_CHARACTERS_MAX = 200;
const URL_CHARACTERS_MAX = 2_048;

/** A text that the rail may have sent as an id or a state; null for anything else. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value.length <= TEXT_CHARACTERS_MAX
    ? value
    : null;
}

/** An integer sent as a JSON number or as its digits: SmartVista's versions differ in that. */
export function integerOf(value: unknown): number | null {
  if (typeof value === 'number') {
    return Number.isSafeInteger(value) ? value : null;
  }
  return typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : null;
}

/** Codes and states as they were sent, for the log; null when there are none. */
export function codeOf(...values: readonly unknown[]): string | null {
  const codes = values
    .filter((value) => typeof value === 'string' || typeof value === 'number')
    .map(String);
  return codes.length === 0 ? null : [...new Set(codes)].join(' ');
}

const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;
const IPV6 = /^[0-9a-f:.]*:[0-9a-f:.]*$/i;

/** The one spelling of an IP address by which two of them can be compared; null for what is none. */
export function canonicalAddress(text: string): string | null {
  if (IPV6.test(text)) {
    return URL.parse(`http://[${text}]/`)?.hostname.slice(1, -1) ?? null;
  }
  const isIpv4 = IPV4.test(text) && URL.parse(`http://${text}/`)?.hostname === text;
  return isIpv4 ? text : null;
}

/** Minor units of an amount in major units: a JSON number, or its digits with any zeros behind. */
export function minorOf(value: unknown): number | null {
  if (typeof value === 'number') {
    return minorFromMajor(value);
  }
  return typeof value === 'string' && /^\d{1,12}(?:\.\d{1,6})?$/.test(value)
    ? minorFromMajor(Number(value))
    : null;
}

/** The address of a page to which a customer can be sent; null for anything else. */
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
/** For a rail that may not know Unicode. */
export const NOT_PLAIN_ASCII = /[^A-Za-z0-9.,:_-]+/g;

/** Neither gateway publishes a short limit; the pages show one line. */
const DESCRIPTION_CHARACTERS_MAX = 100;

/**
 * What the customer reads on the gateway's page: whom and what is paid, in words, digits and
 * harmless signs. Each run of anything else becomes a space.
 */
export function descriptionOf({ terms, attempt }: RailOrder, notPlain: RegExp): string {
  const text = `${terms.merchantName}: ${terms.description ?? terms.uniqueId}`;
  const plain = text.normalize('NFC').replaceAll(notPlain, ' ').trim();
  const short = [...plain].slice(0, DESCRIPTION_CHARACTERS_MAX).join('').trim();
  return /[\p{L}\p{N}]/u.test(short) ? short : attempt.reference;
}
