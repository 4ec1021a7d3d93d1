import { sha256Hex, utf8 } from '../crypto/encoding.ts';
import type { Environment } from '../domain/method.ts';

/**
 * API keys (docs/decisions.md#9): `kfl_test_` or `kfl_live_`, 43 base62 digits for 256 random bits,
 * and six more for the CRC-32 of everything before them. The checksum refuses mistyped and made-up
 * keys without a look into D1 and lets secret scanners tell a key from noise. It protects nothing:
 * the random bits do. Also runs in Node, for the scripts.
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

/** A new key. It exists in clear only here and in the merchant's hands. */
export function generateApiKey(environment: Environment): string {
  return apiKeyFrom(environment, crypto.getRandomValues(new Uint8Array(API_KEY_RANDOM_BYTES)));
}

/** The key made of 32 given bytes: 256 bits that nobody can guess. Throws RangeError on others. */
export function apiKeyFrom(environment: Environment, randomBytes: Uint8Array): string {
  if (randomBytes.length !== API_KEY_RANDOM_BYTES) {
    throw new RangeError(`an API key takes ${API_KEY_RANDOM_BYTES} bytes`);
  }
  const number = randomBytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  const body = PREFIXES[environment] + base62(number, RANDOM_DIGITS);
  return body + checksumOf(body);
}

/**
 * The environment a well-formed key says it is for, or null for any other text. Looks at nothing
 * but the text, in time linear in a key's length however long the text is; whether the key exists
 * is for the directory to say.
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

/** What is stored of a key: its lower-case hexadecimal SHA-256. */
export function apiKeyDigest(text: string): Promise<string> {
  return sha256Hex(text);
}

/** The last four characters, which a merchant may see again. They belong to the checksum. */
export function apiKeyHint(text: string): string {
  return text.slice(-HINT_LENGTH);
}

/** What a person may see of a key: `kfl_test_…abcd`. */
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
