import {
  base64UrlFromBytes,
  bytesFromBase64Url,
  bytesFromHex,
  hexFromBytes,
  utf8,
} from '../../kit/crypto/encoding.ts';
import type { KeyRing, NamedKey } from '../../kit/crypto/key-ring.ts';
import { joined } from '../../kit/crypto/keyed-text.ts';
import { areEqual, macOf } from '../../kit/crypto/signed-bytes.ts';
import { ENVIRONMENTS, type Tenant } from '../../kit/tenant.ts';

/**
 * The slug in `/pay/{slug}`: the link's code, its environment and its merchant with a MAC, which the
 * Worker checks before it reaches anything (docs/promises.md#8). It names no key, so that a printed
 * code has fewer modules: verification tries every key of the ring.
 * Format: `base64url(MAC ‖ code ‖ environment ‖ merchant id)`.
 */

const PURPOSE = 'payment-link';
/** 128 bits: too many to guess. */
const MAC_BYTES = 16;
const CODE_BYTES = 8;
/** Longer than any slug. Bounds the work on hostile text. */
const SLUG_CHARACTERS_MAX = 256;

/** The link that a slug names. */
export interface LinkName {
  readonly tenant: Tenant;
  readonly code: string;
}

/** The slug by the first key of the ring. */
export async function slugOf(keys: KeyRing, { tenant, code }: LinkName): Promise<string> {
  const { environment, merchantId } = tenant;
  const place = new Uint8Array([ENVIRONMENTS.indexOf(environment)]);
  const name = joined(bytesFromHex(code), place, utf8(merchantId));
  return base64UrlFromBytes(joined(await macFor(keys[0], name), name));
}

/** What we signed, or null. */
export async function verifySlug(
  keys: readonly NamedKey[],
  slug: string,
): Promise<LinkName | null> {
  const bytes = slug.length > SLUG_CHARACTERS_MAX ? null : bytesFromBase64Url(slug);
  if (bytes === null || bytes.length <= MAC_BYTES + CODE_BYTES + 1) {
    return null;
  }
  const name = bytes.subarray(MAC_BYTES);
  const macs = await Promise.all(keys.map((key) => macFor(key, name)));
  const given = bytes.subarray(0, MAC_BYTES);
  const environment = ENVIRONMENTS[name[CODE_BYTES] ?? -1];
  if (!macs.some((mac) => areEqual(mac, given)) || environment === undefined) {
    return null;
  }
  const merchantId = new TextDecoder().decode(name.subarray(CODE_BYTES + 1));
  return {
    tenant: { environment, merchantId },
    code: hexFromBytes(name.subarray(0, CODE_BYTES)),
  };
}

async function macFor(key: NamedKey, name: Uint8Array): Promise<Uint8Array> {
  return (await macOf(key, PURPOSE, name)).subarray(0, MAC_BYTES);
}

/** The address of a link's page. */
export async function linkUrl(keys: KeyRing, origin: string, name: LinkName): Promise<string> {
  return `${origin}/pay/${await slugOf(keys, name)}`;
}
