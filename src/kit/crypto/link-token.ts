import { base32FromBytes, bytesFromBase32, bytesFromHex, hexFromBytes } from './encoding.ts';
import type { KeyRing, NamedKey } from './key-ring.ts';
import { joined } from './keyed-text.ts';
import { areEqual, macOf, signBytes, verifyBytes } from './signed-bytes.ts';

/**
 * Link tokens, which unauthenticated pages and callbacks carry in their URLs. The gateway checks
 * the MAC before it contacts any object (docs/promises.md#8). The MAC covers the purpose, so that
 * a checkout link does not work as a callback link, and a receipt's link can pay nothing.
 * Format: `<keyId>.<base64url(object name ‖ index ‖ MAC)>`.
 */
export type LinkPurpose = 'checkout' | 'receipt' | 'attempt' | 'refund';

/** Differs from the purposes of URLs, because order ids are public: receipts show them. */
const ID_PURPOSE = 'order-id';

export interface Link {
  /** The name of the payment's object, 64 hexadecimal digits. */
  readonly objectName: string;
  /** Which attempt or refund of the payment the link is about; 0 for the checkout page and the receipt. */
  readonly index: number;
}

const OBJECT_NAME_BYTES = 32;
const PAYLOAD_BYTES = OBJECT_NAME_BYTES + 1;

/** A token for `link`, signed with the first key of the ring. */
export function signLink(keys: KeyRing, purpose: LinkPurpose, link: Link): Promise<string> {
  return signBytes(keys, purpose, payloadOf(link));
}

/** The link in a token, or null when we did not sign the token for this purpose. */
export async function verifyLink(
  keys: readonly NamedKey[],
  purpose: LinkPurpose,
  token: string,
): Promise<Link | null> {
  const payload = await verifyBytes(keys, purpose, token);
  return payload?.length === PAYLOAD_BYTES ? linkOf(payload) : null;
}

/** 128 bits: too many to guess, and short enough for the rails' limits on ids. */
const ID_MAC_BYTES = 16;

/**
 * An order id of 79 letters and digits that contains `link`, for a rail that sends all callbacks
 * to one address. It has no key id: verification tries every key of the ring.
 */
export async function linkId(keys: KeyRing, link: Link): Promise<string> {
  const payload = payloadOf(link);
  return base32FromBytes(joined(payload, await idMac(keys[0], payload)));
}

/** The link in an order id, or null when we did not create the id. */
export async function verifyLinkId(keys: readonly NamedKey[], id: string): Promise<Link | null> {
  const bytes = bytesFromBase32(id);
  if (bytes === null || bytes.length !== PAYLOAD_BYTES + ID_MAC_BYTES) {
    return null;
  }
  const payload = bytes.subarray(0, PAYLOAD_BYTES);
  const macs = await Promise.all(keys.map((key) => idMac(key, payload)));
  const given = bytes.subarray(PAYLOAD_BYTES);
  return macs.some((mac) => areEqual(mac, given)) ? linkOf(payload) : null;
}

async function idMac(key: NamedKey, payload: Uint8Array): Promise<Uint8Array> {
  return (await macOf(key, ID_PURPOSE, payload)).subarray(0, ID_MAC_BYTES);
}

function payloadOf({ objectName, index }: Link): Uint8Array {
  return new Uint8Array([...bytesFromHex(objectName), index]);
}

function linkOf(payload: Uint8Array): Link {
  return {
    objectName: hexFromBytes(payload.subarray(0, OBJECT_NAME_BYTES)),
    index: payload[OBJECT_NAME_BYTES] ?? 0,
  };
}
