import { md5 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { base64FromBytes, bytesFromBase64, hexFromBytes, utf8 } from '../../crypto/encoding.ts';
import { tripleDes } from './triple-des.ts';

/**
 * The longest base64 text that we decrypt. A genuine one has about 500 characters. The bound keeps
 * the work that an attacker can cause far below that of a customer's request.
 */
const SEALED_LENGTH_MAX = 4_096;

/** CBE's encryption: triple DES with the MD5 of the shared secret as the key, in base64. */
export interface Seal {
  seal(text: string): string;
  /** Null unless encrypted with the same secret. In ECB mode an attacker can still reorder blocks. */
  open(sealed: string): string | null;
}

/**
 * Synchronous, because `Rail.page` cannot wait for Web Crypto. Its hashes come from a library,
 * because Cloudflare's Web Crypto has MD5 but Node's has not.
 */
export function sealOf(secret: string): Seal {
  const cipher = tripleDes(md5(utf8(secret)));
  return {
    seal: (text) => base64FromBytes(cipher.encrypt(utf8(text))),
    open(sealed) {
      const bytes = sealed.length <= SEALED_LENGTH_MAX ? bytesOrNull(sealed) : null;
      const opened = bytes && cipher.decrypt(bytes);
      return opened && new TextDecoder().decode(opened);
    },
  };
}

/** Lower-case hexadecimal SHA-256 of `name=value&…`, not URL-encoded and in the given order. */
export function hashOf(values: readonly (readonly [name: string, value: string])[]): string {
  return digestOf(values.map(([name, value]) => `${name}=${value}`).join('&'));
}

/** Lower-case hexadecimal SHA-256. */
export function digestOf(text: string): string {
  return hexFromBytes(sha256(utf8(text)));
}

function bytesOrNull(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return bytesFromBase64(base64);
  } catch {
    return null;
  }
}
