import { bytesFromBase64, utf8 } from './encoding.ts';
import { importOnce } from './import-once.ts';
import type { NamedKey } from './key-ring.ts';

const HMAC_KEY_BITS = 256;
const HMAC = { name: 'HMAC', hash: 'SHA-256' } as const;

/**
 * HMAC-SHA-256 with keys that HKDF derives for one purpose, so that one secret of the operator
 * serves several purposes and no MAC of one is valid for another. `purpose` is HKDF's label.
 */
export function derivedHmac(
  purpose: string,
): (key: NamedKey, message: string) => Promise<Uint8Array<ArrayBuffer>> {
  const derivedKey = importOnce(async ({ base64 }) => {
    const secret = await crypto.subtle.importKey('raw', bytesFromBase64(base64), 'HKDF', false, [
      'deriveBits',
    ]);
    const algorithm = {
      name: 'HKDF',
      hash: 'SHA-256',
      salt: new Uint8Array(),
      info: utf8(purpose),
    };
    const bits = await crypto.subtle.deriveBits(algorithm, secret, HMAC_KEY_BITS);
    return crypto.subtle.importKey('raw', bits, HMAC, false, ['sign']);
  });
  return async (key, message) =>
    new Uint8Array(await crypto.subtle.sign('HMAC', await derivedKey(key), utf8(message)));
}
