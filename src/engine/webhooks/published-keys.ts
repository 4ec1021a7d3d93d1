import { ConfigError } from '../../kit/config-error.ts';
import { base64FromBytes, bytesFromBase64 } from '../../kit/crypto/encoding.ts';
import type { NamedKey } from '../../kit/crypto/key-ring.ts';
import { timeMsOf } from '../../kit/ethiopian-time.ts';
import type { Environment } from '../../kit/tenant.ts';
import { configOf } from '../config.ts';
import { importPrivateKey, RSA_ALGORITHM, RSA_BITS_MIN } from './sign.ts';

/**
 * The public halves of the RSA keys that have signed events. An event keeps its first signature
 * (docs/decisions.md#17) and can be resent as long as its payment is kept, so the public half of a
 * retired key stays published that long, without the private one (docs/decisions.md#32).
 */
export interface PublishedKey {
  readonly keyId: string;
  /** SubjectPublicKeyInfo as PEM text. */
  readonly publicKey: string;
  /** Keys of the ring have null. */
  readonly retired: { readonly atMs: number; readonly publishedUntilMs: number } | null;
}

const RETIRED_VARIABLES = 'WEBHOOK_RETIRED_KEYS_SANDBOX or _PRODUCTION';

/** The keys that verify the events of an environment. Throws ConfigError for a malformed key. */
export function keysOfEvents(
  env: Env,
  environment: Environment,
  nowMs: number,
): Promise<readonly PublishedKey[]> {
  const retired = {
    sandbox: env.WEBHOOK_RETIRED_KEYS_SANDBOX,
    production: env.WEBHOOK_RETIRED_KEYS_PRODUCTION,
  };
  const { webhookRsaKeys, retention } = configOf(env);
  const ring = webhookRsaKeys[environment];
  return publishedKeys(ring, retired[environment], { retentionMs: retention.paymentMs, nowMs });
}

/** The public halves of a ring, newest first, and the keys of a list of retired ones. */
export async function publishedKeys(
  keys: readonly NamedKey[],
  retiredKeys: string,
  { retentionMs, nowMs }: { readonly retentionMs: number; readonly nowMs: number },
): Promise<readonly PublishedKey[]> {
  const ring = await Promise.all(
    keys.map(async (key) => {
      return { keyId: key.keyId, publicKey: pemOf(await spkiOf(key)), retired: null };
    }),
  );
  const entries = retiredKeys.split(',').map((entry) => entry.trim());
  const retired = await Promise.all(
    entries.filter((entry) => entry !== '').map((entry) => retiredKey(entry, retentionMs)),
  );
  const published = retired.filter(
    // An operator lists a key as retired before removing it from the ring.
    (entry) =>
      entry.retired.publishedUntilMs > nowMs && !keys.some(({ keyId }) => keyId === entry.keyId),
  );
  return [...ring, ...published];
}

/** An entry of the retired keys for a key of a ring: its public half, retired at `nowMs`. */
export async function retiredEntry(key: NamedKey, nowMs: number): Promise<string> {
  const spki = base64FromBytes(await spkiOf(key));
  return `${key.keyId}:${spki}:${new Date(nowMs).toISOString().slice(0, 10)}`;
}

/** Reads `keyId:base64:2026-11-22`. No error quotes the entry: it could hold a private key. */
async function retiredKey(entry: string, retentionMs: number) {
  const [, keyId, base64, date] =
    /^([A-Za-z0-9]{1,16}):([A-Za-z0-9+/]+={0,2}):(\d{4}-\d\d-\d\d)$/.exec(entry) ?? [];
  const atMs = timeMsOf(date ?? '');
  if (keyId === undefined || base64 === undefined || atMs === null) {
    throw new ConfigError(
      `${RETIRED_VARIABLES} must be a list of keyId:base64:2026-11-22, separated by commas`,
    );
  }
  if ((await modulusLengthOf(base64)) < RSA_BITS_MIN) {
    throw new ConfigError(
      `${RETIRED_VARIABLES}: key ${keyId} is not a public RSA key of ${RSA_BITS_MIN} bits or more in base64`,
    );
  }
  const publishedUntilMs = atMs + retentionMs;
  return { keyId, publicKey: pemOf(bytesFromBase64(base64)), retired: { atMs, publishedUntilMs } };
}

/** Returns 0 for a text that is not a public key. */
async function modulusLengthOf(base64: string): Promise<number> {
  try {
    const spki = bytesFromBase64(base64);
    const key = await crypto.subtle.importKey('spki', spki, RSA_ALGORITHM, true, ['verify']);
    return (key.algorithm as { readonly modulusLength?: number }).modulusLength ?? 0;
  } catch {
    return 0;
  }
}

/** WebCrypto cannot derive a public key from a private one, except through the JWK's numbers. */
async function spkiOf(key: NamedKey): Promise<Uint8Array<ArrayBuffer>> {
  const jwk = await crypto.subtle.exportKey('jwk', await importPrivateKey(key, true));
  if (jwk instanceof ArrayBuffer || jwk.n === undefined || jwk.e === undefined) {
    throw new ConfigError(`key ${key.keyId} has no public numbers`);
  }
  const publicNumbers = { kty: 'RSA', n: jwk.n, e: jwk.e };
  const publicKey = await crypto.subtle.importKey('jwk', publicNumbers, RSA_ALGORITHM, true, [
    'verify',
  ]);
  const spki = await crypto.subtle.exportKey('spki', publicKey);
  if (!(spki instanceof ArrayBuffer)) {
    throw new TypeError('SPKI is binary');
  }
  return new Uint8Array(spki);
}

function pemOf(spki: Uint8Array): string {
  const lines = base64FromBytes(spki).replaceAll(/.{1,64}/g, '$&\n');
  return `-----BEGIN PUBLIC KEY-----\n${lines}-----END PUBLIC KEY-----\n`;
}
