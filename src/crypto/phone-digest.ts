import type { NamedKey } from '../config.ts';
import { base64UrlFromBytes, bytesFromBase64, utf8 } from './encoding.ts';
import { importOnce } from './import-once.ts';

/**
 * A phone number that can be looked for but not read: a blind index, HMAC-SHA-256 under a key of
 * its own purpose derived from a data encryption key. Phone numbers are few: without the key they
 * could all be tried.
 */

/** HKDF's label: the same key encrypts secrets, and neither use must say anything about the other. */
const PURPOSE = utf8('kefel/phone-digest');
const HMAC_KEY_BITS = 256;

/** 128 bits: no two of a merchant's customers ever meet by chance, and an index stays small. */
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
 * The digest of a normalised phone number (`251XXXXXXXXX`), in 22 characters of base64url. `owner`
 * is part of it: one number has nothing in common under two tenants.
 */
export async function phoneDigest(key: NamedKey, owner: string, phone: string): Promise<string> {
  const mac = await crypto.subtle.sign('HMAC', await phoneKey(key), utf8(`${owner}/${phone}`));
  return base64UrlFromBytes(new Uint8Array(mac, 0, DIGEST_BYTES));
}

/** The same of an id in which a phone number could be read; nothing in common with the number's. */
export function idDigest(key: NamedKey, owner: string, id: string): Promise<string> {
  return phoneDigest(key, `${owner}/id`, id);
}
