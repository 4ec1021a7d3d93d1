import { bytesFromBase64, hexFromBytes } from '../../crypto/encoding.ts';

/** What the portal calls the merchant's private key and telebirr's own public key. */
export type KeyKind = 'pkcs8' | 'spki';

/** How the DER of an RSA key goes on after its outer header: version (PKCS#8) and algorithm. */
const RSA_DER_STARTS: Readonly<Record<KeyKind, string>> = {
  pkcs8: '020100300d06092a864886f70d010101',
  spki: '300d06092a864886f70d010101',
};

/** An outer SEQUENCE whose length takes two bytes, as that of every RSA key of 1024 bits and more. */
const OUTER_HEADER = '3082';
const OUTER_HEADER_BYTES = 4;

/**
 * The bare base64 of an RSA key, as the portal issues it or with PEM armour round it; null for
 * anything else. Line breaks may also stand there as the two characters `\n`, for secret stores
 * write them so.
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
      // One that lost its end when it was copied would only fail at the first payment.
      announcedBytes === bytes.length - OUTER_HEADER_BYTES;
    return isRsaKey ? base64 : null;
  } catch {
    return null;
  }
}
