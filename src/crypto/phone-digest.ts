import type { NamedKey } from '../config.ts';
import { base64UrlFromBytes, bytesFromBase64, utf8 } from './encoding.ts';
import { importOnce } from './import-once.ts';

/**
 * A blind index of phone numbers, which allows exact search without storing the number. It is an
 * HMAC-SHA-256 under a key that HKDF derives from a data encryption key. A plain hash would not do:
 * an attacker could hash all phone numbers.
 */

/** HKDF's label. It separates this use from the other use of the same key, encrypting secrets. */
const PURPOSE = utf8('kefel/phone-digest');
const HMAC_KEY_BITS = 256;

/** 128 bits: no collisions among a merchant's customers, and a small index. */
const DIGEST_BYTES = 16;

const HMAC = { name: 'HMAC', hash: 'SHA-256' } as const;

const phoneKey = importOnce(async ({ base64 }) => {
  const secret = await crypto.subtle.importKey('raw', bytesFromBase64(base64), 'HKDF', false, [
    'deriveBits',
  ]);
  const algorithm = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: PURPOSE };
  const bits = await crypto.subtle.deriveBits(algorithm, secret, HMAC_KEY_BITS);
  return crypto.subtle.importKey('raw', bits, HMAC, false, ['sign']);
});

/**
 * The digest of a normalized phone number (`251XXXXXXXXX`), in 22 characters of base64url. It
 * includes `owner`, so that digests of two tenants cannot be compared.
 */
export async function phoneDigest(key: NamedKey, owner: string, phone: string): Promise<string> {
  const mac = await crypto.subtle.sign('HMAC', await phoneKey(key), utf8(`${owner}/${phone}`));
  return base64UrlFromBytes(new Uint8Array(mac, 0, DIGEST_BYTES));
}

/** The digest of an id that may contain a phone number. It never equals a digest of the number. */
export function idDigest(key: NamedKey, owner: string, id: string): Promise<string> {
  return phoneDigest(key, `${owner}/id`, id);
}
