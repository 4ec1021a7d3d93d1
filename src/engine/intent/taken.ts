import type { IdempotencyClaim, TakenResult } from './protocol.ts';
import type { StoredIntent } from './store.ts';

/** The result of a create request whose id is taken (docs/decisions.md#8). Pure. */
export function takenResult(
  stored: StoredIntent,
  claim: IdempotencyClaim | null,
  nowMs: number,
): TakenResult {
  const { intent, answer } = stored;
  if (intent === null || claim === null || stored.idempotencyKeyDigest !== claim.keyDigest) {
    return { type: 'duplicate' };
  }
  if (stored.bodyDigest !== claim.bodyDigest) {
    return { type: 'key_reused' };
  }
  if (answer !== null) {
    return { type: 'replay', answer };
  }
  const waitMs = (stored.answerDueAtMs ?? 0) - nowMs;
  return waitMs > 0 ? { type: 'in_flight' } : { type: 'unanswered', intent };
}
