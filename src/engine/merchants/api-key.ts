import { derivedHmac } from '../../kit/crypto/derived-key.ts';
import { sha256Hex } from '../../kit/crypto/encoding.ts';
import type { KeyRing, NamedKey } from '../../kit/crypto/key-ring.ts';
import { BoundedCache } from '../../kit/platform/bounded-cache.ts';
import type { Environment } from '../../kit/tenant.ts';

/**
 * API keys (docs/decisions.md#9): `kfl_test_` or `kfl_live_`, 43 base62 digits for 256 random bits,
 * and six more of a MAC over all characters before them, under a key derived from
 * DATA_ENCRYPTION_KEYS. The MAC rejects mistyped and invented keys without a query, so that strangers
 * cannot keep D1 busy. It grants nothing: the random bits do. Also runs in Node, for the scripts.
 */
const PREFIXES: Readonly<Record<Environment, string>> = {
  sandbox: 'kfl_test_',
  production: 'kfl_live_',
};

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
export const API_KEY_RANDOM_BYTES = 32;
/** 62^43 > 2^256. */
const RANDOM_DIGITS = 43;
/** One invented key in 62^6, about 2^35, costs a query. */
const CHECKSUM_DIGITS = 6;
const HINT_LENGTH = 4;

const API_KEY = /^(kfl_test_|kfl_live_)[0-9A-Za-z]{49}$/;
export const API_KEY_LENGTH = PREFIXES.sandbox.length + RANDOM_DIGITS + CHECKSUM_DIGITS;

/**
 * The digests of genuine keys by their text, so that a busy key is not hashed with each request. In
 * this isolate's memory only. Strangers cannot fill it, because their keys are not genuine.
 */
const digests = new BoundedCache<string>({ sizeMax: 2_000, ageMsMax: 60 * 60 * 1_000 });

const checksumMac = derivedHmac('kefel/api-key-checksum');

/**
 * A new key with a checksum by the first key of the ring. Only the merchant stores it in plain text.
 * Throws RangeError for more or fewer than 32 random bytes.
 */
export async function generateApiKey(
  keys: KeyRing,
  environment: Environment,
  randomBytes: Uint8Array = crypto.getRandomValues(new Uint8Array(API_KEY_RANDOM_BYTES)),
): Promise<string> {
  if (randomBytes.length !== API_KEY_RANDOM_BYTES) {
    throw new RangeError(`an API key takes ${API_KEY_RANDOM_BYTES} bytes`);
  }
  const body = PREFIXES[environment] + base62(numberOf(randomBytes), RANDOM_DIGITS);
  return body + (await checksumOf(keys[0], body));
}

/**
 * Whether this gateway made the key, as far as its text shows, in bounded time for any length. Every
 * key of the ring counts, so API keys outlive a rotation. `directory.ts` decides whether the key is
 * valid.
 */
export async function isGenuineApiKey(keys: readonly NamedKey[], text: string): Promise<boolean> {
  if (text.length !== API_KEY_LENGTH || !API_KEY.test(text)) {
    return false;
  }
  const body = text.slice(0, -CHECKSUM_DIGITS);
  const checksums = await Promise.all(keys.map((key) => checksumOf(key, body)));
  return checksums.includes(text.slice(-CHECKSUM_DIGITS));
}

/** The stored form of a key that `isGenuineApiKey`, or null for another text. */
export async function genuineApiKeyDigest(
  keys: readonly NamedKey[],
  text: string,
  nowMs: number,
): Promise<string | null> {
  const known = digests.get(text, nowMs);
  if (known !== undefined) {
    return known.value;
  }
  if (!(await isGenuineApiKey(keys, text))) {
    return null;
  }
  const digest = await apiKeyDigest(text);
  digests.set(text, digest, nowMs);
  return digest;
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

async function checksumOf(key: NamedKey, body: string): Promise<string> {
  return base62(numberOf(await checksumMac(key, body)), CHECKSUM_DIGITS);
}

function numberOf(bytes: Uint8Array): bigint {
  return bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
}

/** The last `digits` base62 digits of `number`, most significant first. */
function base62(number: bigint, digits: number): string {
  let text = '';
  for (let rest = number; text.length < digits; rest /= 62n) {
    text = BASE62.charAt(Number(rest % 62n)) + text;
  }
  return text;
}
