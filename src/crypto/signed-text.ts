import type { KeyRing, NamedKey } from '../config.ts';
import { utf8 } from './encoding.ts';
import { signBytes, verifyBytes } from './signed-bytes.ts';

/** Text that a client stores for us and must return unchanged, for example in a cookie or a form. */
export type TextPurpose =
  | 'challenge/sign-in'
  | 'challenge/join'
  | 'challenge/confirm-passkey'
  | 'challenge/add-passkey'
  | 'challenge/api-key'
  | 'challenge/invitation'
  | 'challenge/recovery'
  | 'challenge/role'
  | 'challenge/refund'
  | 'challenge/webhook-secret'
  | 'challenge/webhook-endpoint'
  | 'challenge/webhook-enable'
  | 'form/operator';

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
