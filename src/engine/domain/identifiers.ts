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

/**
 * A reference that begins with the second in which its payment was created, so that a search finds
 * the payment without an index of references. The other 60 bits are random.
 */
export function attemptReferenceFrom(createdAtMs: number, randomBytes: Uint8Array): string {
  const second = Math.floor(createdAtMs / 1000).toString(16);
  const time = second.toUpperCase().padStart(REFERENCE_TIME_LENGTH, '0');
  return time + referenceFrom(randomBytes).slice(REFERENCE_TIME_LENGTH);
}

/** Bits of a merchant's number in one character; the fifth bit says that more characters follow. */
const NUMBER_BITS = 4;
/** For 2^28 merchants. */
const NUMBER_LENGTH_MAX = 7;

/**
 * The reference of an attempt whose provider reports it to an address that all merchants share. After
 * the second it names the merchant, so that a report finds the merchant's register. It stays
 * as short as CBE needs it. The first 15 merchants leave 55 random bits, a million merchants 35; the
 * register refuses a reference that another payment has.
 */
export function sharedReferenceFrom(
  createdAtMs: number,
  merchantNumber: number,
  randomBytes: Uint8Array,
): string {
  const reference = attemptReferenceFrom(createdAtMs, randomBytes);
  const digits = [...merchantNumber.toString(2 ** NUMBER_BITS)].map((digit, index, { length }) => {
    const follows = index < length - 1 ? 2 ** NUMBER_BITS : 0;
    return REFERENCE_ALPHABET[follows + Number.parseInt(digit, 2 ** NUMBER_BITS)];
  });
  const number = digits.join('');
  const rest = reference.slice(REFERENCE_TIME_LENGTH + number.length);
  return reference.slice(0, REFERENCE_TIME_LENGTH) + number + rest;
}

/** The number of the merchant in such a reference; null in a text that is none. */
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
  return attemptReferenceFrom(createdAtMs, new Uint8Array(REFERENCE_LENGTH)).slice(
    0,
    REFERENCE_TIME_LENGTH,
  );
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
