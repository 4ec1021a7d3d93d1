import { ConfigError } from '../config-error.ts';
import { bytesFromBase64, utf8 } from './encoding.ts';
import { importOnce } from './import-once.ts';
import type { KeyRing, NamedKey } from './key-ring.ts';
import { keyedMac } from './keyed-digest.ts';
import { keyedText, parseKeyedText } from './keyed-text.ts';

/**
 * Secrets at rest: AES-256-GCM under the operator's data encryption keys, so that a leaked copy of
 * the database reveals none. Format: `<keyId>.<base64url(IV ‖ ciphertext ‖ tag)>`. The context
 * (which secret, of which merchant) is authenticated too: a sealed secret that an attacker copies
 * to another merchant's row does not decrypt. Scripts run this in Node: only Web APIs here.
 */

const KEY_BYTES = 32;
/** NIST SP 800-38D: 96 random bits are safe for 2^32 secrets under one key. */
const IV_BYTES = 12;

const aesKey = importOnce(importAesKey);

async function importAesKey(key: NamedKey): Promise<CryptoKey> {
  const bytes = bytesFromBase64(key.base64);
  if (bytes.length !== KEY_BYTES) {
    throw new ConfigError(`data encryption key ${key.keyId} must be ${KEY_BYTES} bytes`);
  }
  return crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt']);
}

/** Seals `plaintext` with the first key of the ring. Throws ConfigError for an unusable ring. */
export async function seal(keys: KeyRing, plaintext: string, context: string): Promise<string> {
  return sealWith(keys[0], crypto.getRandomValues(new Uint8Array(IV_BYTES)), plaintext, context);
}

/**
 * The same, but equal plaintexts of one context give equal texts, so that sealing again changes
 * nothing. The IV is a MAC of both: it repeats only with the whole plaintext.
 */
export async function sealRepeatably(
  keys: KeyRing,
  plaintext: string,
  context: string,
): Promise<string> {
  const mac = await keyedMac(keys[0], 'iv', JSON.stringify([context, plaintext]));
  return sealWith(keys[0], mac.slice(0, IV_BYTES), plaintext, context);
}

async function sealWith(
  key: NamedKey,
  iv: Uint8Array<ArrayBuffer>,
  plaintext: string,
  context: string,
): Promise<string> {
  const algorithm = { name: 'AES-GCM', iv, additionalData: utf8(context) };
  const sealed = await crypto.subtle.encrypt(algorithm, await aesKey(key), utf8(plaintext));
  return keyedText(key, iv, new Uint8Array(sealed));
}

/** The plaintext, or null for an unknown key, another context, or forged text. */
export async function unseal(
  keys: readonly NamedKey[],
  sealed: string,
  context: string,
): Promise<string | null> {
  const parsed = parseKeyedText(keys, sealed);
  if (parsed === null) {
    return null;
  }
  const { bytes } = parsed;
  const cryptoKey = await aesKey(parsed.key);
  const iv = bytes.subarray(0, IV_BYTES);
  const algorithm = { name: 'AES-GCM', iv, additionalData: utf8(context) };
  try {
    const plaintext = await crypto.subtle.decrypt(algorithm, cryptoKey, bytes.subarray(IV_BYTES));
    return new TextDecoder().decode(plaintext);
  } catch {
    // Too short or not authentic: WebCrypto does not distinguish the two.
    return null;
  }
}
