import type { KeyRing, NamedKey } from '../config.ts';
import { base64UrlFromBytes, bytesFromBase64Url, utf8 } from './encoding.ts';
import { hmacKey } from './hmac-key.ts';

/**
 * Text that we hand out and want back unchanged, such as in a cookie. Whoever has it can read it.
 * The MAC covers the purpose as well. Format: `<keyId>.<base64url(text ‖ MAC)>`.
 */
export type TextPurpose = 'challenge/sign-in' | 'challenge/join' | 'challenge/add-passkey';

const MAC_BYTES = 32;

/** `text` with the MAC of the first key of the ring. */
export async function signText(keys: KeyRing, purpose: TextPurpose, text: string): Promise<string> {
  const [key] = keys;
  const payload = utf8(text);
  const mac = await crypto.subtle.sign('HMAC', await hmacKey(key), messageOf(purpose, payload));
  return `${key.keyId}.${base64UrlFromBytes(new Uint8Array([...payload, ...new Uint8Array(mac)]))}`;
}

/** The text, or null for anything that we did not sign for this purpose. */
export async function verifyText(
  keys: readonly NamedKey[],
  purpose: TextPurpose,
  signed: string,
): Promise<string | null> {
  const dot = signed.indexOf('.');
  const key = keys.find((candidate) => candidate.keyId === signed.slice(0, Math.max(dot, 0)));
  const bytes = bytesFromBase64Url(signed.slice(dot + 1));
  if (key === undefined || bytes === null || bytes.length < MAC_BYTES) {
    return null;
  }
  const payload = bytes.subarray(0, -MAC_BYTES);
  const mac = bytes.subarray(-MAC_BYTES);
  const message = messageOf(purpose, payload);
  const isOurs = await crypto.subtle.verify('HMAC', await hmacKey(key), mac, message);
  return isOurs ? new TextDecoder().decode(payload) : null;
}

function messageOf(purpose: TextPurpose, payload: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array([...utf8(`kefel/${purpose}/`), ...payload]);
}
