import { base64FromBytes, bytesFromBase64, sha256Hex, utf8 } from '../../../kit/crypto/encoding.ts';

/**
 * The longest base64 text that we decrypt. A genuine one has about 500 characters. The bound keeps
 * the work that an attacker can cause far below that of a customer's request.
 */
const SEALED_LENGTH_MAX = 1_024;

/** CBE's encryption: triple DES with the MD5 of the shared secret as the key, in base64. */
export interface Seal {
  seal(text: string): string;
  /** Null unless encrypted with the same secret. In ECB mode an attacker can still reorder blocks. */
  open(sealed: string): string | null;
}

/**
 * Derives the cipher from the secret. Cloudflare's Web Crypto has MD5, and Node's has not: programs
 * that run the adapter in Node import `scripts/project/node-md5.ts`.
 */
export async function sealOf(secret: string): Promise<Seal> {
  // Loaded with the first payment by CBE, because its tables take time to compute.
  const { tripleDes } = await import('./triple-des.ts');
  const cipher = tripleDes(new Uint8Array(await crypto.subtle.digest('MD5', utf8(secret))));
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
export function hashOf(values: Readonly<Record<string, string>>): Promise<string> {
  return sha256Hex(
    Object.entries(values)
      .map(([name, value]) => `${name}=${value}`)
      .join('&'),
  );
}

function bytesOrNull(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return bytesFromBase64(base64);
  } catch {
    return null;
  }
}
