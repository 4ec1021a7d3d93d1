/** The longest id of a merchant (docs/decisions.md#7): it is part of every webhook. */
export const ID_CHARACTERS_MAX = 255;

/** Alphabet of references: every rail accepts letters and digits in order ids. */
const REFERENCE_ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
export const REFERENCE_LENGTH = 20;

/** A 20-character reference from 20 random bytes: 100 bits (256 is a multiple of 32). */
export function referenceFrom(randomBytes: Uint8Array): string {
  let reference = '';
  for (const byte of randomBytes.subarray(0, REFERENCE_LENGTH)) {
    reference += REFERENCE_ALPHABET[byte % REFERENCE_ALPHABET.length];
  }
  return reference;
}

/** Seconds since 1970 in hexadecimal digits, which suffice until 2106. */
const REFERENCE_TIME_LENGTH = 8;
/** Bits of a merchant's number in one character; the fifth bit says that more characters follow. */
const NUMBER_BITS = 4;
/** For 2^28 merchants. */
const NUMBER_LENGTH_MAX = 7;

/**
 * A reference that begins with the second in which its payment was created and the merchant's number.
 * So it leads to the merchant, and in the merchant's book to the payment, without an index of
 * references. The first 15 merchants have 55 random bits in a second, a million merchants 35.
 */
export function attemptReferenceFrom(
  createdAtMs: number,
  merchantNumber: number,
  randomBytes: Uint8Array,
): string {
  const digits = [...merchantNumber.toString(2 ** NUMBER_BITS)].map((digit, index, { length }) => {
    const follows = index < length - 1 ? 2 ** NUMBER_BITS : 0;
    return REFERENCE_ALPHABET[follows + Number.parseInt(digit, 2 ** NUMBER_BITS)];
  });
  const start = referencesFrom(createdAtMs) + digits.join('');
  return start + referenceFrom(randomBytes).slice(start.length);
}

/** The number of the merchant in an attempt's reference; null in a text that is none. */
export function merchantNumberIn(reference: string): number | null {
  let number = 0;
  for (const character of reference.slice(REFERENCE_TIME_LENGTH).slice(0, NUMBER_LENGTH_MAX)) {
    const digit = REFERENCE_ALPHABET.indexOf(character);
    number = number * 2 ** NUMBER_BITS + (digit % 2 ** NUMBER_BITS);
    if (digit < 2 ** NUMBER_BITS) {
      return REFERENCE.test(reference) && number > 0 ? number : null;
    }
  }
  return null;
}

/** Where the references of payments that were created from this time on begin. */
export function referencesFrom(createdAtMs: number): string {
  const second = Math.floor(createdAtMs / 1000).toString(16);
  return second.toUpperCase().padStart(REFERENCE_TIME_LENGTH, '0');
}

/**
 * The second in which the payment was created, in ms since 1970, if the text is an attempt's
 * reference or at least its first 8 characters; null for another text.
 */
export function referenceTimeMs(text: string): number | null {
  const isOne = REFERENCE_START.test(text) && text.length <= REFERENCE_LENGTH;
  return isOne ? Number.parseInt(text.slice(0, REFERENCE_TIME_LENGTH), 16) * 1000 : null;
}

const REFERENCE_START = new RegExp(`^[0-9A-F]{${REFERENCE_TIME_LENGTH}}[${REFERENCE_ALPHABET}]*$`);

/** The form of attempt references. */
export const REFERENCE = new RegExp(`^[${REFERENCE_ALPHABET}]{${REFERENCE_LENGTH}}$`);

/** An integer payment id from 8 random bytes: 53 bits, which JSON numbers keep exactly; never 0. */
export function intentNumberFrom(randomBytes: Uint8Array): number {
  const bits = new DataView(randomBytes.buffer, randomBytes.byteOffset, 8).getBigUint64(0);
  return Number(bits >> 11n) || 1;
}

/** A payment's integer id. */
export const INTENT_NUMBER = /^[1-9]\d{0,15}$/;
/** The name of a payment's Durable Object. */
export const OBJECT_NAME = /^[0-9a-f]{64}$/;
