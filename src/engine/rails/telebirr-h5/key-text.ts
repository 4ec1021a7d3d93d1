import { bytesFromBase64, hexFromBytes } from '../../../kit/crypto/encoding.ts';

/** The formats of the merchant's private key (PKCS#8) and of telebirr's public key (SPKI). */
export type KeyKind = 'pkcs8' | 'spki';

/** The DER of an RSA key after its outer header: version (PKCS#8 only) and algorithm. */
const RSA_DER_STARTS: Readonly<Record<KeyKind, string>> = {
  pkcs8: '020100300d06092a864886f70d010101',
  spki: '300d06092a864886f70d010101',
};

/** An outer SEQUENCE with a two-byte length, as in every RSA key of 1024 bits or more. */
const OUTER_HEADER = '3082';
const OUTER_HEADER_BYTES = 4;

/** Where modulus and exponent begin in an SPKI of 2,048 bits or more; a PKCS#8 repeats both. */
const NUMBERS_START_BYTES = 28;

/** Whether the public key, in bare base64, is that of the private one. */
export function isPair(pkcs8: string, spki: string): boolean {
  const [privateHex = '', publicHex = ''] = [pkcs8, spki].map((key) =>
    hexFromBytes(bytesFromBase64(key)),
  );
  return privateHex.includes(publicHex.slice(2 * NUMBERS_START_BYTES));
}

/**
 * The bare base64 of an RSA key, as the portal issues it or from PEM; null for anything else. Line
 * breaks may also be the two characters `\n`, as some secret stores write them.
 */
export function bareKey(text: string, kind: KeyKind): string | null {
  const base64 = text.replaceAll(/-----(?:BEGIN|END) [A-Z ]{1,40}-----|\\n|\s/g, '');
  try {
    const bytes = bytesFromBase64(base64);
    const hex = hexFromBytes(bytes);
    const announcedBytes = Number.parseInt(hex.slice(4, 2 * OUTER_HEADER_BYTES), 16);
    const isRsaKey =
      hex.startsWith(OUTER_HEADER) &&
      hex.startsWith(RSA_DER_STARTS[kind], 2 * OUTER_HEADER_BYTES) &&
      // A key that was copied without its end would only fail at the first payment.
      announcedBytes === bytes.length - OUTER_HEADER_BYTES;
    return isRsaKey ? base64 : null;
  } catch {
    return null;
  }
}
