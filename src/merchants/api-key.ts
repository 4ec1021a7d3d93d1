import { sha256Hex, utf8 } from '../crypto/encoding.ts';
import type { Environment } from '../domain/method.ts';

/**
 * API keys (docs/decisions.md#9): `kfl_test_` or `kfl_live_`, 43 base62 digits for 256 random bits,
 * and six more for the CRC-32 of all characters before them. The checksum rejects mistyped and
 * invented keys without a query, and lets secret scanners recognize keys. It is not a protection:
 * the random bits are. Also runs in Node, for the scripts.
 */
const PREFIXES: Readonly<Record<Environment, string>> = {
  sandbox: 'kfl_test_',
  production: 'kfl_live_',
};

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
export const API_KEY_RANDOM_BYTES = 32;
/** 62^43 > 2^256. */
const RANDOM_DIGITS = 43;
/** 62^6 > 2^32. */
const CHECKSUM_DIGITS = 6;
const HINT_LENGTH = 4;

const API_KEY = /^(kfl_test_|kfl_live_)[0-9A-Za-z]{49}$/;
export const API_KEY_LENGTH = PREFIXES.sandbox.length + RANDOM_DIGITS + CHECKSUM_DIGITS;

/** A new key. Only the merchant stores it in plain text. */
export function generateApiKey(environment: Environment): string {
  return apiKeyFrom(environment, crypto.getRandomValues(new Uint8Array(API_KEY_RANDOM_BYTES)));
}

/** The key of 32 random bytes. Throws RangeError for another length. */
export function apiKeyFrom(environment: Environment, randomBytes: Uint8Array): string {
  if (randomBytes.length !== API_KEY_RANDOM_BYTES) {
    throw new RangeError(`an API key takes ${API_KEY_RANDOM_BYTES} bytes`);
  }
  const number = randomBytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  const body = PREFIXES[environment] + base62(number, RANDOM_DIGITS);
  return body + checksumOf(body);
}

/**
 * The environment that a well-formed key names, or null for any other text. Checks only the text,
 * in bounded time for any length. `directory.ts` decides whether the key exists.
 */
export function parseApiKey(text: string): { readonly environment: Environment } | null {
  if (text.length !== API_KEY_LENGTH || !API_KEY.test(text)) {
    return null;
  }
  if (checksumOf(text.slice(0, -CHECKSUM_DIGITS)) !== text.slice(-CHECKSUM_DIGITS)) {
    return null;
  }
  return { environment: text.startsWith(PREFIXES.sandbox) ? 'sandbox' : 'production' };
}

/** The stored form of a key: its lower-case hexadecimal SHA-256. */
export function apiKeyDigest(text: string): Promise<string> {
  return sha256Hex(text);
}

/** The last four characters, which stay visible. They belong to the checksum. */
export function apiKeyHint(text: string): string {
  return text.slice(-HINT_LENGTH);
}

/** How pages show a key: `kfl_test_…abcd`. */
export function apiKeyLabel(environment: Environment, hint: string): string {
  return `${PREFIXES[environment]}…${hint}`;
}

function checksumOf(body: string): string {
  return base62(BigInt(crc32(utf8(body))), CHECKSUM_DIGITS);
}

/** `number` in exactly `digits` base62 digits, most significant first. */
function base62(number: bigint, digits: number): string {
  let text = '';
  for (let rest = number; text.length < digits; rest /= 62n) {
    text = BASE62.charAt(Number(rest % 62n)) + text;
  }
  return text;
}

const CRC32_POLYNOMIAL = 0xedb88320;

/** CRC-32 as in zip and PNG (ISO 3309, reflected): an unsigned 32-bit number. */
function crc32(bytes: Uint8Array): number {
  let remainder = 0xffffffff;
  for (const byte of bytes) {
    remainder ^= byte;
    for (let bit = 0; bit < 8; bit++) {
      remainder = (remainder >>> 1) ^ (remainder & 1 ? CRC32_POLYNOMIAL : 0);
    }
  }
  return ~remainder >>> 0;
}
