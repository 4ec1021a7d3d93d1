import { derivedHmac } from './derived-key.ts';
import { base64UrlFromBytes } from './encoding.ts';
import type { NamedKey } from './key-ring.ts';

/**
 * A blind index of personal data, which allows exact search without storing the data. It is a
 * MAC under a key derived from a data encryption key. A plain hash would not do:
 * an attacker could hash all phone numbers, and most names.
 */

/** 128 bits: no collisions among a merchant's customers, and a small index. */
const DIGEST_BYTES = 16;

const hmac = derivedHmac('kefel/keyed-digest');

/** What the text is. Digests of two kinds can never be equal. */
export type DigestKind = 'phone' | 'phoneEnd' | 'id' | 'email' | 'name' | 'metadata' | 'link';

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
  return (await hmac(key, `${scope}:${text}`)).slice(0, DIGEST_BYTES);
}
