import type { NamedKey } from '../config.ts';
import { base64UrlFromBytes, bytesFromBase64, utf8 } from './encoding.ts';
import { importOnce } from './import-once.ts';

/**
 * A blind index of personal data, which allows exact search without storing the data. It is an
 * HMAC-SHA-256 under a key that HKDF derives from a data encryption key. A plain hash would not do:
 * an attacker could hash all phone numbers, and most names.
 */

/** HKDF's label. It separates this use from the other use of the same key, encrypting secrets. */
const PURPOSE = utf8('kefel/keyed-digest');
const HMAC_KEY_BITS = 256;

/** 128 bits: no collisions among a merchant's customers, and a small index. */
const DIGEST_BYTES = 16;

const HMAC = { name: 'HMAC', hash: 'SHA-256' } as const;

const hmacKey = importOnce(async ({ base64 }) => {
  const secret = await crypto.subtle.importKey('raw', bytesFromBase64(base64), 'HKDF', false, [
    'deriveBits',
  ]);
  const algorithm = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: PURPOSE };
  const bits = await crypto.subtle.deriveBits(algorithm, secret, HMAC_KEY_BITS);
  return crypto.subtle.importKey('raw', bits, HMAC, false, ['sign']);
});

/** What the text is. Digests of two kinds can never be equal. */
export type DigestKind = 'phone' | 'id' | 'email' | 'name';

/**
 * The digest of a normalized text, in 22 characters of base64url. It includes `owner`, so that
 * digests of two tenants cannot be compared.
 */
export async function keyedDigest(
  key: NamedKey,
  owner: string,
  kind: DigestKind,
  text: string,
): Promise<string> {
  return base64UrlFromBytes(await keyedMac(key, `${owner}/${kind}`, text));
}

/** The first 128 bits of a MAC of the text. The scope contains no `:`. */
export async function keyedMac(
  key: NamedKey,
  scope: string,
  text: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const mac = await crypto.subtle.sign('HMAC', await hmacKey(key), utf8(`${scope}:${text}`));
  return new Uint8Array(mac, 0, DIGEST_BYTES);
}
