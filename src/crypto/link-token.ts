import type { KeyRing, NamedKey } from '../config.ts';
import { base32FromBytes, bytesFromBase32, bytesFromHex, hexFromBytes } from './encoding.ts';
import { joined } from './keyed-text.ts';
import { macOf, signBytes, verifyBytes } from './signed-bytes.ts';

/**
 * Link tokens: what an unauthenticated page or callback carries in its URL. The MAC is checked
 * before any object is touched (docs/promises.md#8), and covers the purpose, so that a checkout
 * link is no callback link. Format: `<keyId>.<base64url(object id ‖ attempt number ‖ MAC)>`.
 */
export type LinkPurpose = 'checkout' | 'attempt';

/** Differs from those of URLs: the provider sees order ids and prints them on receipts. */
const ID_PURPOSE = 'order-id';

export interface Link {
  /** Durable Object id, 64 hexadecimal digits. */
  readonly objectId: string;
  /** Index of the attempt for purpose `attempt`, else 0. */
  readonly attemptIndex: number;
}

const OBJECT_ID_BYTES = 32;
const PAYLOAD_BYTES = OBJECT_ID_BYTES + 1;

/** A token for `link`, signed with the first key of the ring. */
export function signLink(keys: KeyRing, purpose: LinkPurpose, link: Link): Promise<string> {
  return signBytes(keys, purpose, payloadOf(link));
}

/** The link a token stands for, or null for anything that we did not sign for this purpose. */
export async function verifyLink(
  keys: readonly NamedKey[],
  purpose: LinkPurpose,
  token: string,
): Promise<Link | null> {
  const payload = await verifyBytes(keys, purpose, token);
  return payload?.length === PAYLOAD_BYTES ? linkOf(payload) : null;
}

/** 128 bits: guessing an id costs more than any payment is worth, and rails want ids short. */
const ID_MAC_BYTES = 16;

/**
 * An order id of 79 letters and digits that leads to `link` by itself, for a rail whose callbacks
 * all come to one address. No key id: every key of the ring is tried.
 */
export async function linkId(keys: KeyRing, link: Link): Promise<string> {
  const payload = payloadOf(link);
  return base32FromBytes(joined(payload, await idMac(keys[0], payload)));
}

/** The link that an order id stands for, or null for anything that we did not make. */
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

/** In a time that does not tell where they differ. */
function areEqual(one: Uint8Array, other: Uint8Array): boolean {
  let difference = one.length ^ other.length;
  for (const [index, byte] of one.entries()) {
    difference |= byte ^ (other[index] ?? 0);
  }
  return difference === 0;
}

function payloadOf({ objectId, attemptIndex }: Link): Uint8Array {
  return new Uint8Array([...bytesFromHex(objectId), attemptIndex]);
}

function linkOf(payload: Uint8Array): Link {
  return {
    objectId: hexFromBytes(payload.subarray(0, OBJECT_ID_BYTES)),
    attemptIndex: payload[OBJECT_ID_BYTES] ?? 0,
  };
}
