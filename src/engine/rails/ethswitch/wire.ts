import { isLoopback } from '../../../kit/loopback.ts';
import type { IntentTerms } from '../../domain/terms.ts';
import type { RailOrder } from '../rail-order.ts';

const URL_CHARACTERS_MAX = 2_048;

/** States and codes are compared in upper case. Anything but a string stays as it is. */
export function upperCased<Value>(value: Value): Value | string {
  return typeof value === 'string' ? value.toUpperCase() : value;
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

/**
 * The URL of a page for the customer; null for anything else. In production not a plain http one:
 * anyone on the way could replace the page where the customer pays.
 */
export function pageUrlOf(
  value: unknown,
  { environment }: Pick<IntentTerms, 'environment'>,
): string | null {
  const isUrl =
    typeof value === 'string' &&
    value.length <= URL_CHARACTERS_MAX &&
    /^https?:\/\/[^/\\\s@]+(?:[/?#][^\s\\]*)?$/i.test(value);
  const url = isUrl ? URL.parse(value) : null;
  const isPrivate =
    url?.protocol === 'https:' || environment === 'sandbox' || isLoopback(url?.hostname ?? '');
  return isUrl && url !== null && isPrivate ? value : null;
}

/** Letters of any script. */
export const NOT_PLAIN = /[^\p{L}\p{M}\p{N}.,:_-]+/gu;
/** For a gateway that may not support Unicode. */
export const NOT_PLAIN_ASCII = /[^A-Za-z0-9.,:_-]+/g;

/** Shorter than the limits that the gateways publish, because their pages show one line. */
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
