import { sha256Hex } from '../crypto/encoding.ts';
import type { IntentKind } from '../domain/intent.ts';
import { problem } from '../http/problem.ts';
import type { IdempotencyClaim } from '../intent/protocol.ts';

/** Long enough for any UUID or hash a merchant may use. */
const IDEMPOTENCY_KEY_LENGTH_MAX = 255;
const PRINTABLE_ASCII = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/**
 * The request's Idempotency-Key with the digest of its body (docs/decisions.md#8), or null without
 * the header. Digests only: a key may hold what the merchant thinks is secret. The endpoint counts
 * as part of the body: the same bytes mean something else to the other one.
 */
export async function idempotencyClaim(
  request: Request,
  kind: IntentKind,
  bodyBytes: Uint8Array<ArrayBuffer>,
): Promise<IdempotencyClaim | null> {
  const key = request.headers.get('idempotency-key');
  if (key === null) {
    return null;
  }
  if (key.length > IDEMPOTENCY_KEY_LENGTH_MAX || !PRINTABLE_ASCII.test(key)) {
    throw problem('idempotency_key_malformed', { charactersMax: IDEMPOTENCY_KEY_LENGTH_MAX });
  }
  return { keyDigest: await sha256Hex(key), bodyDigest: `${kind}:${await sha256Hex(bodyBytes)}` };
}
