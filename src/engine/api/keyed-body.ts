import { sha256Hex } from '../../kit/crypto/encoding.ts';
import { readJsonBody } from '../../kit/http/json-body.ts';
import { problem } from '../../kit/http/problem.ts';
import { BODY_BYTES_MAX } from '../config.ts';
import type { IntentKind } from '../domain/terms.ts';
import type { IdempotencyClaim } from '../intent/protocol.ts';

/** Long enough for any UUID or hash. */
const IDEMPOTENCY_KEY_LENGTH_MAX = 255;
const PRINTABLE_ASCII = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

export interface KeyedBody {
  readonly value: unknown;
  readonly idempotency: IdempotencyClaim | null;
}

/**
 * The JSON body of a request that may have an Idempotency-Key, with digests of both
 * (docs/decisions.md#8), or null without the header. The key is digested, because merchants may put
 * secrets into it. The body's digest includes the endpoint, because the same body means something
 * else at another endpoint.
 */
export async function readKeyedBody(
  request: Request,
  endpoint: IntentKind | 'refund' | 'webhook_endpoint' | 'payment_link',
): Promise<KeyedBody> {
  const { value, bytes } = await readJsonBody(request, BODY_BYTES_MAX);
  const key = request.headers.get('idempotency-key');
  if (key === null) {
    return { value, idempotency: null };
  }
  if (key.length > IDEMPOTENCY_KEY_LENGTH_MAX || !PRINTABLE_ASCII.test(key)) {
    throw problem('idempotency_key_invalid', { charactersMax: IDEMPOTENCY_KEY_LENGTH_MAX });
  }
  const [keyDigest, bodyDigest] = await Promise.all([sha256Hex(key), sha256Hex(bytes)]);
  return { value, idempotency: { keyDigest, bodyDigest: `${endpoint}:${bodyDigest}` } };
}
