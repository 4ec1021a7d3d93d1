import { md5 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { base64FromBytes, bytesFromBase64, hexFromBytes, utf8 } from '../../crypto/encoding.ts';
import { tripleDes } from './triple-des.ts';

/**
 * Base64 characters of the longest sealed text that is opened. A genuine one has about 500; the
 * bound keeps the work that a stranger can cause far below a customer's request.
 */
const SEALED_LENGTH_MAX = 4_096;

/** Texts as CBE's gateway exchanges them: triple DES under the MD5 of the shared secret, base64. */
export interface Seal {
  seal(text: string): string;
  /** Null for what was not sealed with the same secret. ECB: a stranger may still reorder blocks. */
  open(sealed: string): string | null;
}

/**
 * Synchronous, with hashes that are the same everywhere: `Rail.page` cannot wait for Web Crypto,
 * and MD5 is in Cloudflare's Web Crypto but not in Node's.
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

/** Lower-case hexadecimal SHA-256 of `name=value&…`, raw and in the order given. */
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
