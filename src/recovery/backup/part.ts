import { bytesFromBase64, sha256Hex, utf8 } from '../../kit/crypto/encoding.ts';
import { importOnce } from '../../kit/crypto/import-once.ts';
import type { KeyRing, NamedKey } from '../../kit/crypto/key-ring.ts';

/**
 * A part of a backup: lines of JSON, compressed and then encrypted with AES-256-GCM. The part's name
 * in the bucket is authenticated too, so no part passes for another. Scripts run
 * this in Node: only Web APIs here.
 * Format: `kefel-backup-1 <keyId>\n`, then IV ‖ ciphertext ‖ tag.
 */

const FORMAT = 'kefel-backup-1';
/** NIST SP 800-38D: 96 random bits are safe for 2^32 parts under one key. */
const IV_BYTES = 12;
/** The format, a key id of 16 characters, a space and a line feed. */
const HEADER_BYTES_MAX = FORMAT.length + 18;
const LINE_FEED = 0x0a;

export class UnreadablePart extends Error {
  override readonly name = 'UnreadablePart';
}

const aesKey = importOnce(({ base64 }) =>
  crypto.subtle.importKey('raw', bytesFromBase64(base64), 'AES-GCM', false, ['encrypt', 'decrypt']),
);

/** The bytes of a part, sealed with the first key of the ring. */
export async function sealPart(
  keys: KeyRing,
  name: string,
  lines: readonly unknown[],
): Promise<Uint8Array<ArrayBuffer>> {
  const compressed = await piped(utf8(textOf(lines)), new CompressionStream('gzip'));
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const [key] = keys;
  const algorithm = { name: 'AES-GCM', iv, additionalData: utf8(name) };
  const sealed = await crypto.subtle.encrypt(algorithm, await aesKey(key), compressed);
  return concatenated(utf8(`${FORMAT} ${key.keyId}\n`), iv, new Uint8Array(sealed));
}

/** Lower-case hexadecimal SHA-256 of a part's text, which parsing and sealing again do not change. */
export function digestOf(lines: readonly unknown[]): Promise<string> {
  return sha256Hex(textOf(lines));
}

function textOf(lines: readonly unknown[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** The id of the key that sealed a part. Throws UnreadablePart for anything that is not a part. */
export function keyIdOfPart(name: string, bytes: Uint8Array<ArrayBuffer>): string {
  const headerEnd = bytes.subarray(0, HEADER_BYTES_MAX).indexOf(LINE_FEED);
  const header = new TextDecoder().decode(bytes.subarray(0, Math.max(headerEnd, 0)));
  const [format, keyId = ''] = header.split(' ');
  if (format !== FORMAT) {
    throw new UnreadablePart(`${name} is not a part of a backup`);
  }
  return keyId;
}

/** The lines of a part. Throws UnreadablePart for another key, name or format, and for damage. */
export async function openPart(
  keys: readonly NamedKey[],
  name: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<readonly unknown[]> {
  const keyId = keyIdOfPart(name, bytes);
  const key = keys.find((known) => known.keyId === keyId);
  if (key === undefined) {
    throw new UnreadablePart(`${name} needs the key ${keyId}, which BACKUP_KEYS does not have`);
  }
  const body = bytes.subarray(bytes.indexOf(LINE_FEED) + 1);
  const algorithm = {
    name: 'AES-GCM',
    iv: body.subarray(0, IV_BYTES),
    additionalData: utf8(name),
  };
  const compressed = await crypto.subtle
    .decrypt(algorithm, await aesKey(key), body.subarray(IV_BYTES))
    .catch(() => {
      throw new UnreadablePart(`${name} was damaged or renamed`);
    });
  try {
    const text = await piped(new Uint8Array(compressed), new DecompressionStream('gzip'));
    return new TextDecoder()
      .decode(text)
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  } catch {
    throw new UnreadablePart(
      `${name} was sealed with a key of this gateway, but has no lines of JSON`,
    );
  }
}

async function piped(
  bytes: Uint8Array<ArrayBuffer>,
  through: CompressionStream | DecompressionStream,
): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(through);
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function concatenated(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}
