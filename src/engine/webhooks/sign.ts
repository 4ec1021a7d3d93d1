import { ConfigError } from '../../kit/config-error.ts';
import { base64FromBytes, bytesFromBase64, hexFromBytes, utf8 } from '../../kit/crypto/encoding.ts';
import { importOnce } from '../../kit/crypto/import-once.ts';
import type { KeyRing, NamedKey } from '../../kit/crypto/key-ring.ts';
import type { Environment } from '../../kit/tenant.ts';
import { configOf } from '../config.ts';
import type { EventType } from '../domain/intent.ts';
import { PAYLOAD_VERSION, WIRE_EVENTS } from './payload.ts';

/**
 * The two signatures of an event (docs/decisions.md#17). The RSA signature over `body` is created
 * once, stored with the event, and verified with our published key. The Standard Webhooks HMAC over
 * the whole request is created for every try with the merchant's own secrets.
 */

export const RSA_ALGORITHM = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
/** NIST SP 800-131A disallows shorter keys for signatures. */
export const RSA_BITS_MIN = 2048;
/** A key does not know the environment of its ring. */
const RSA_VARIABLES = 'WEBHOOK_RSA_PRIVATE_KEYS_SANDBOX or _PRODUCTION';
/** In Standard Webhooks, a symmetric secret starts like this, and its signature has version 1. */
const SECRET_PREFIX = 'whsec_';

/** Keys are cached, because parsing PKCS#8 costs more than signing. */
const signingKey = importOnce((key) => importPrivateKey(key, false));

/**
 * SHA256withRSA (PKCS#1 v1.5) over the UTF-8 of `body` by the first key of the ring, in base64: 344
 * characters for a 2048-bit key. Throws ConfigError when the key is not PKCS#8 or too short.
 */
export async function signEventBody([key]: KeyRing, body: string): Promise<string> {
  const signature = await crypto.subtle.sign(RSA_ALGORITHM.name, await signingKey(key), utf8(body));
  return base64FromBytes(signature);
}

/** The signature of an event by the newest key of its environment. */
export function signEvent(env: Env, environment: Environment, body: string): Promise<string> {
  return signEventBody(configOf(env).webhookRsaKeys[environment], body);
}

/** Throws ConfigError for a key that is not PKCS#8 or too short. */
export async function importPrivateKey(key: NamedKey, extractable: boolean): Promise<CryptoKey> {
  let imported: CryptoKey;
  try {
    const pkcs8 = bytesFromBase64(key.base64);
    imported = await crypto.subtle.importKey('pkcs8', pkcs8, RSA_ALGORITHM, extractable, ['sign']);
  } catch {
    // The cause is left out: an error must not reveal anything about a private key.
    throw new ConfigError(`${RSA_VARIABLES}: key ${key.keyId} is not a PKCS#8 RSA key in base64`);
  }
  const { modulusLength } = imported.algorithm as { readonly modulusLength?: number };
  if (modulusLength === undefined || modulusLength < RSA_BITS_MIN) {
    throw new ConfigError(`${RSA_VARIABLES}: key ${key.keyId} has fewer than ${RSA_BITS_MIN} bits`);
  }
  return imported;
}

/** The request body of an event: an envelope that contains `body` as a string. */
export function requestBody(parts: {
  readonly event: EventType;
  /** The environment whose keys signed it. */
  readonly environment: Environment;
  readonly uniqueId: string;
  /** Base64 RSA signature over `body`. */
  readonly signature: string;
  readonly body: string;
}): string {
  const wire = WIRE_EVENTS[parts.event];
  return JSON.stringify({
    webHookEvent: wire.event,
    paymentIntentUniqueId: parts.uniqueId,
    status: wire.status,
    environment: parts.environment,
    payloadVersion: PAYLOAD_VERSION,
    signature: parts.signature,
    body: parts.body,
  });
}

/**
 * The headers of Standard Webhooks. The id is the event's: merchants deduplicate tries by it. The
 * timestamp is the try's. Each secret adds a signature, so that merchants can rotate secrets
 * without an agreed moment. Without secrets there is no `webhook-signature`. Throws for a secret
 * that is not `whsec_` and base64.
 */
export async function standardWebhookHeaders(parts: {
  readonly eventId: string;
  readonly timestampSeconds: number;
  readonly requestBody: string;
  readonly secrets: readonly string[];
}): Promise<Record<string, string>> {
  const headers: Record<string, string> = {
    'webhook-id': parts.eventId,
    'webhook-timestamp': String(parts.timestampSeconds),
  };
  const message = utf8(`${parts.eventId}.${parts.timestampSeconds}.${parts.requestBody}`);
  const signatures = await Promise.all(parts.secrets.map((secret) => hmacOf(secret, message)));
  if (signatures.length > 0) {
    headers['webhook-signature'] = signatures.map((signature) => `v1,${signature}`).join(' ');
  }
  return headers;
}

/**
 * The extra header that the merchant asked for: lower-case hex HMAC-SHA256 of the request body. Shop
 * plugins use a secret as the text that was typed in, so the key is the UTF-8 of the whole
 * `whsec_…`. They compare one signature: the newest secret's.
 */
export async function bodySignatureHeader(
  name: string | null,
  requestBody: string,
  [newest]: readonly string[],
): Promise<Record<string, string>> {
  if (name === null || newest === undefined) {
    return {};
  }
  return { [name]: hexFromBytes(await hmacSha256(utf8(newest), utf8(requestBody))) };
}

async function hmacOf(secret: string, message: Uint8Array<ArrayBuffer>): Promise<string> {
  if (!secret.startsWith(SECRET_PREFIX)) {
    throw new TypeError(`a webhook secret starts with ${SECRET_PREFIX}`);
  }
  const keyBytes = bytesFromBase64(secret.slice(SECRET_PREFIX.length));
  return base64FromBytes(await hmacSha256(keyBytes, message));
}

async function hmacSha256(
  keyBytes: Uint8Array<ArrayBuffer>,
  message: Uint8Array<ArrayBuffer>,
): Promise<ArrayBuffer> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', keyBytes, algorithm, false, ['sign']);
  return crypto.subtle.sign('HMAC', key, message);
}
