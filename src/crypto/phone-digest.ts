import type { NamedKey } from '../config.ts';
import { derivedHmac } from './derived-key.ts';
import { base64UrlFromBytes } from './encoding.ts';

/**
 * A blind index of phone numbers, which allows exact search without storing the number. It is a MAC
 * under a key derived from a data encryption key. A plain hash would not do: an attacker could hash
 * all phone numbers.
 */

/** 128 bits: no collisions among a merchant's customers, and a small index. */
const DIGEST_BYTES = 16;

const phoneMac = derivedHmac('kefel/phone-digest');

/**
 * The digest of a normalized phone number (`251XXXXXXXXX`), in 22 characters of base64url. It
 * includes `owner`, so that digests of two tenants cannot be compared.
 */
export async function phoneDigest(key: NamedKey, owner: string, phone: string): Promise<string> {
  const mac = await phoneMac(key, `${owner}/${phone}`);
  return base64UrlFromBytes(mac.subarray(0, DIGEST_BYTES));
}

/** The digest of an id that may contain a phone number. It never equals a digest of the number. */
export function idDigest(key: NamedKey, owner: string, id: string): Promise<string> {
  return phoneDigest(key, `${owner}/id`, id);
}
