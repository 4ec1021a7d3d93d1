import type { KeyRing, NamedKey } from '../config.ts';
import {
  base32FromBytes,
  base64UrlFromBytes,
  bytesFromBase32,
  bytesFromBase64Url,
  bytesFromHex,
  hexFromBytes,
  utf8,
} from './encoding.ts';
import { hmacKey } from './hmac-key.ts';

/**
 * Link tokens: what an unauthenticated page or callback carries in its URL. The MAC is checked
 * before any object is touched (docs/promises.md#8), and covers the purpose, so that a checkout
 * link is no callback link. Format: `<keyId>.<base64url(object id ‖ attempt number ‖ MAC)>`.
 */
export type LinkPurpose = 'checkout' | 'attempt';

/** Apart from those of URLs: an order id is seen by the rail and printed on receipts. */
type IdPurpose = 'order-id';

export interface Link {
  /** Durable Object id, 64 hexadecimal digits. */
  readonly objectId: string;
  /** Index of the attempt for purpose `attempt`, else 0. */
  readonly attemptIndex: number;
}

const OBJECT_ID_BYTES = 32;
const PAYLOAD_BYTES = OBJECT_ID_BYTES + 1;
const MAC_BYTES = 32;

function messageOf(purpose: LinkPurpose | IdPurpose, payload: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array([...utf8(`kefel/${purpose}/`), ...payload]);
}

/** A token for `link`, signed with the first key of the ring. */
export async function signLink(keys: KeyRing, purpose: LinkPurpose, link: Link): Promise<string> {
  const [key] = keys;
  const payload = new Uint8Array([...bytesFromHex(link.objectId), link.attemptIndex]);
  const mac = await crypto.subtle.sign('HMAC', await hmacKey(key), messageOf(purpose, payload));
  return `${key.keyId}.${base64UrlFromBytes(new Uint8Array([...payload, ...new Uint8Array(mac)]))}`;
}

/** The link a token stands for, or null for anything that we did not sign for this purpose. */
export async function verifyLink(
  keys: readonly NamedKey[],
  purpose: LinkPurpose,
  token: string,
): Promise<Link | null> {
  const dot = token.indexOf('.');
  const key = keys.find((candidate) => candidate.keyId === token.slice(0, Math.max(dot, 0)));
  const bytes = bytesFromBase64Url(token.slice(dot + 1));
  if (key === undefined || bytes === null || bytes.length !== PAYLOAD_BYTES + MAC_BYTES) {
    return null;
  }
  const payload = bytes.subarray(0, PAYLOAD_BYTES);
  const mac = bytes.subarray(PAYLOAD_BYTES);
  const message = messageOf(purpose, payload);
  if (!(await crypto.subtle.verify('HMAC', await hmacKey(key), mac, message))) {
    return null;
  }
  return linkOf(payload);
}

/** 128 bits: guessing an id costs more than any payment is worth, and rails want ids short. */
const ID_MAC_BYTES = 16;

/**
 * An order id of 79 letters and digits that leads to `link` by itself, for a rail whose callbacks
 * all come to one address. No key id: every key of the ring is tried.
 */
export async function linkId(keys: KeyRing, link: Link): Promise<string> {
  const payload = new Uint8Array([...bytesFromHex(link.objectId), link.attemptIndex]);
  const mac = await idMac(keys[0], payload);
  return base32FromBytes(new Uint8Array([...payload, ...mac]));
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
  const mac = await crypto.subtle.sign('HMAC', await hmacKey(key), messageOf('order-id', payload));
  return new Uint8Array(mac, 0, ID_MAC_BYTES);
}

/** In a time that does not tell where they differ. */
function areEqual(one: Uint8Array, other: Uint8Array): boolean {
  let difference = one.length ^ other.length;
  for (const [index, byte] of one.entries()) {
    difference |= byte ^ (other[index] ?? 0);
  }
  return difference === 0;
}

function linkOf(payload: Uint8Array): Link {
  return {
    objectId: hexFromBytes(payload.subarray(0, OBJECT_ID_BYTES)),
    attemptIndex: payload[OBJECT_ID_BYTES] ?? 0,
  };
}
