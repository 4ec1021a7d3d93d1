import { bytesFromBase64, utf8 } from './encoding.ts';
import { importOnce } from './import-once.ts';
import type { KeyRing, NamedKey } from './key-ring.ts';
import { joined, keyedText, parseKeyedText } from './keyed-text.ts';

/**
 * Bytes followed by an HMAC-SHA-256: `<keyId>.<base64url(payload ‖ MAC)>`. The payload is readable
 * by all. The MAC covers the purpose, so that a token signed for one purpose fails for another.
 */

const MAC_BYTES = 32;

const hmacKey = importOnce(({ base64 }) => {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const usages: KeyUsage[] = ['sign', 'verify'];
  return crypto.subtle.importKey('raw', bytesFromBase64(base64), algorithm, false, usages);
});

/** Signs with the first key of the ring. */
export async function signBytes(
  keys: KeyRing,
  purpose: string,
  payload: Uint8Array,
): Promise<string> {
  return keyedText(keys[0], payload, await macOf(keys[0], purpose, payload));
}

/** The payload, or null when we did not sign it for this purpose. */
export async function verifyBytes(
  keys: readonly NamedKey[],
  purpose: string,
  signed: string,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const parsed = parseKeyedText(keys, signed);
  if (parsed === null || parsed.bytes.length < MAC_BYTES) {
    return null;
  }
  const payload = parsed.bytes.subarray(0, -MAC_BYTES);
  const mac = parsed.bytes.subarray(-MAC_BYTES);
  const key = await hmacKey(parsed.key);
  return (await crypto.subtle.verify('HMAC', key, mac, messageOf(purpose, payload)))
    ? payload
    : null;
}

export async function macOf(
  key: NamedKey,
  purpose: string,
  payload: Uint8Array,
): Promise<Uint8Array<ArrayBuffer>> {
  const message = messageOf(purpose, payload);
  return new Uint8Array(await crypto.subtle.sign('HMAC', await hmacKey(key), message));
}

/** Compares in constant time: the duration must not reveal where a forged MAC differs. */
export function areEqual(one: Uint8Array, other: Uint8Array): boolean {
  let difference = one.length ^ other.length;
  for (const [index, byte] of one.entries()) {
    difference |= byte ^ (other[index] ?? 0);
  }
  return difference === 0;
}

function messageOf(purpose: string, payload: Uint8Array): Uint8Array<ArrayBuffer> {
  return joined(utf8(`kefel/${purpose}/`), payload);
}

/** Text that a client stores for us and must return unchanged, for example in a cookie or a form. */
export type TextPurpose =
  | 'challenge/sign-in'
  | 'challenge/join'
  | 'challenge/confirm-passkey'
  | 'challenge/add-passkey'
  | 'challenge/api-key'
  | 'challenge/bank-code'
  | 'challenge/invitation'
  | 'challenge/recovery'
  | 'challenge/role'
  | 'challenge/refund'
  | 'challenge/webhook-secret'
  | 'challenge/webhook-endpoint'
  | 'challenge/webhook-enable'
  | 'form/link'
  | 'form/operator'
  | 'session/operator';

export function signText(keys: KeyRing, purpose: TextPurpose, text: string): Promise<string> {
  return signBytes(keys, purpose, utf8(text));
}

/** The text, or null when we did not sign it for this purpose. */
export async function verifyText(
  keys: readonly NamedKey[],
  purpose: TextPurpose,
  signed: string,
): Promise<string | null> {
  const payload = await verifyBytes(keys, purpose, signed);
  return payload === null ? null : new TextDecoder().decode(payload);
}
