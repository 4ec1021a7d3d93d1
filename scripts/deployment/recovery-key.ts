import { createHash, hkdfSync, randomBytes } from 'node:crypto';

/**
 * The recovery key: 32 random bytes, from which all symmetric keys of a deployment are derived (docs/decisions.md#47). Written in Crockford's base32 with a checksum, in groups
 * of four, so that a person can copy it from paper: `KEFEL-0123-…`.
 */
export type RecoveryKey = Uint8Array;

const KEY_BYTES = 32;
/** Finds all but one of 16 million mistyped keys. With it, the text is exactly 56 symbols long. */
const CHECKSUM_BYTES = 3;
const SYMBOL_BITS = 5;
const SYMBOLS = ((KEY_BYTES + CHECKSUM_BYTES) * 8) / SYMBOL_BITS;
/** Without I, L, O and U, which a reader confuses with digits and V. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const PREFIX = 'KEFEL';

export class RecoveryKeyError extends Error {
  override readonly name = 'RecoveryKeyError';
}

export function createRecoveryKey(): RecoveryKey {
  return new Uint8Array(randomBytes(KEY_BYTES));
}

/** The key as one line. */
export function formatRecoveryKey(key: RecoveryKey): string {
  const bytes = [...key, ...checksumOf(key)];
  const number = bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);
  const symbols = Array.from({ length: SYMBOLS }, (_, index) => {
    const shift = BigInt(SYMBOL_BITS * (SYMBOLS - 1 - index));
    return ALPHABET[Number((number >> shift) & 31n)];
  });
  const groups = symbols.join('').match(/.{4}/g) ?? [];
  return [PREFIX, ...groups].join('-');
}

/**
 * Reads the one line that is not a comment. Accepts lower case, missing hyphens, and the letters
 * that a reader may have taken for digits. No error quotes the key.
 */
export function parseRecoveryKey(text: string): RecoveryKey {
  const [line, ...more] = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  if (line === undefined || more.length > 0) {
    throw new RecoveryKeyError(
      `the file must have one line that begins with ${PREFIX}-, and comments`,
    );
  }
  const written = line.toUpperCase();
  if (!written.startsWith(PREFIX)) {
    throw new RecoveryKeyError(`a recovery key begins with ${PREFIX}-`);
  }
  const symbols = written
    .slice(PREFIX.length)
    .replaceAll(/[\s-]/g, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1');
  const values = [...symbols].map((symbol) => ALPHABET.indexOf(symbol));
  if (values.length !== SYMBOLS || values.includes(-1)) {
    throw new RecoveryKeyError(
      `a recovery key has ${SYMBOLS} letters and digits after ${PREFIX}-, but this one has ${values.length}`,
    );
  }
  const number = values.reduce((all, value) => (all << BigInt(SYMBOL_BITS)) | BigInt(value), 0n);
  const hex = number.toString(16).padStart((KEY_BYTES + CHECKSUM_BYTES) * 2, '0');
  const bytes = new Uint8Array(Buffer.from(hex, 'hex'));
  const key = bytes.slice(0, KEY_BYTES);
  if (!checksumOf(key).equals(bytes.subarray(KEY_BYTES))) {
    throw new RecoveryKeyError(
      'the recovery key has a wrong letter or digit: its checksum differs',
    );
  }
  return key;
}

/** Names the key without revealing it, so that another deployment's key is refused. */
export function fingerprintOf(key: RecoveryKey): string {
  return Buffer.from(derive(key, 'fingerprint', 8)).toString('hex');
}

/** A key of a ring: 32 bytes in base64, by the secret's name and the key's id. */
export function derivedKey(key: RecoveryKey, secret: string, keyId: string): string {
  return Buffer.from(derive(key, `${secret}:${keyId}`)).toString('base64');
}

/** HKDF-SHA256 (RFC 5869). The version in the label leaves room for another derivation. */
function derive(key: RecoveryKey, label: string, bytes = KEY_BYTES): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', key, '', `kefel-1:${label}`, bytes));
}

function checksumOf(key: RecoveryKey): Buffer {
  return createHash('sha256').update(`${PREFIX}:`).update(key).digest().subarray(0, CHECKSUM_BYTES);
}
