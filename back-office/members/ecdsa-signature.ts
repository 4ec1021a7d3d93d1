/** DER tags (ITU-T X.690). */
const SEQUENCE = 0x30;
const INTEGER = 0x02;
/** Longer lengths take more than one byte. A P-256 signature has at most 72 bytes. */
const SHORT_LENGTH_MAX = 0x7f;

export interface EcdsaSignature {
  /** Signed and big-endian, as DER has them: a positive number may start with a zero byte. */
  readonly r: Uint8Array;
  readonly s: Uint8Array;
}

/**
 * Reads `SEQUENCE { r INTEGER, s INTEGER }` (RFC 3279, section 2.2.3), in which authenticators
 * answer signatures over P-256. Throws on anything else, also on bytes before or after.
 */
export function parseEcdsaSignature(der: Uint8Array): EcdsaSignature {
  const sequence = valueAt(der, 0, SEQUENCE);
  const r = valueAt(sequence, 0, INTEGER);
  const s = valueAt(sequence, r.byteOffset + r.length - sequence.byteOffset, INTEGER);
  if (!isAtEnd(sequence, der) || !isAtEnd(s, sequence)) {
    throw new Error('bytes after an ECDSA signature');
  }
  return { r, s };
}

/** The value of the element at an offset, a view of the same memory. */
function valueAt(bytes: Uint8Array, offset: number, tag: number): Uint8Array {
  const start = offset + 2;
  const length = bytes[offset + 1] ?? 0;
  if (bytes[offset] !== tag || length === 0 || length > SHORT_LENGTH_MAX) {
    throw new Error('not an ECDSA signature');
  }
  if (start + length > bytes.length) {
    throw new Error('an ECDSA signature without its end');
  }
  return bytes.subarray(start, start + length);
}

function isAtEnd(part: Uint8Array, whole: Uint8Array): boolean {
  return part.byteOffset + part.length === whole.byteOffset + whole.length;
}
