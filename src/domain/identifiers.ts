/** Alphabet of attempt references: every rail accepts letters and digits in order ids. */
const REFERENCE_ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
export const REFERENCE_LENGTH = 20;

/** A 20-character attempt reference from 20 random bytes: 100 bits (256 is a multiple of 32). */
export function referenceFrom(randomBytes: Uint8Array): string {
  let reference = '';
  for (const byte of randomBytes.subarray(0, REFERENCE_LENGTH)) {
    reference += REFERENCE_ALPHABET[byte % REFERENCE_ALPHABET.length];
  }
  return reference;
}

/** The form of attempt references. */
export const REFERENCE = new RegExp(`^[${REFERENCE_ALPHABET}]{${REFERENCE_LENGTH}}$`);

/** An integer payment id from 8 random bytes: 53 bits, which JSON numbers keep exactly; never 0. */
export function intentNumberFrom(randomBytes: Uint8Array): number {
  const bits = new DataView(randomBytes.buffer, randomBytes.byteOffset, 8).getBigUint64(0);
  return Number(bits >> 11n) || 1;
}

/** A payment's integer id. */
export const INTENT_NUMBER = /^[1-9]\d{0,15}$/;
/** The id of a payment's Durable Object. */
export const OBJECT_ID = /^[0-9a-f]{64}$/;
