import { sha256Hex } from '../crypto/encoding.ts';
import type { IntentKind } from '../domain/intent.ts';
import { problem } from '../http/problem.ts';
import type { IdempotencyClaim } from '../intent/protocol.ts';

/** Long enough for any UUID or hash. */
const IDEMPOTENCY_KEY_LENGTH_MAX = 255;
const PRINTABLE_ASCII = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/**
 * Digests of the request's Idempotency-Key and body (docs/decisions.md#8), or null without the
 * header. The key is digested, because merchants may put secrets into it. The body's digest
 * includes the endpoint, because the same body means something else at the other endpoint.
 */
export async function idempotencyClaim(
  request: Request,
  kind: IntentKind | 'refund',
  bodyBytes: Uint8Array<ArrayBuffer>,
): Promise<IdempotencyClaim | null> {
  const key = request.headers.get('idempotency-key');
  if (key === null) {
    return null;
  }
  if (key.length > IDEMPOTENCY_KEY_LENGTH_MAX || !PRINTABLE_ASCII.test(key)) {
    throw problem('idempotency_key_invalid', { charactersMax: IDEMPOTENCY_KEY_LENGTH_MAX });
  }
  return { keyDigest: await sha256Hex(key), bodyDigest: `${kind}:${await sha256Hex(bodyBytes)}` };
}
