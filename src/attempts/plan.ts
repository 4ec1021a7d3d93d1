import { attemptReferenceFrom, REFERENCE_LENGTH } from '../domain/identifiers.ts';
import type { IntentTerms, NewAttempt } from '../domain/intent.ts';
import type { Method } from '../domain/method.ts';
import { claimedWindowEndMs } from '../rails/phone-prompt.ts';
import type { Rail } from '../rails/rail.ts';

/** First lease of a start message, which asks the consumer to call a slow rail. */
const START_MESSAGE_LEASE_MS = 10_000;

/**
 * Until when a provider may report an attempt that starts at `startMs`. A slow start's window begins
 * only with its claim.
 */
export function windowEndsByMs(
  terms: IntentTerms,
  method: Method,
  rail: Rail,
  startMs: number,
): number {
  const { deadlineAtMs } = rail.plan(terms, method, startMs);
  return rail.startWaitsForCustomer ? claimedWindowEndMs(rail, deadlineAtMs) : deadlineAtMs;
}

/** A new attempt as its rail plans it, with its id and reference. */
export function newAttempt(
  terms: IntentTerms,
  method: Method,
  phone: string | null,
  rail: Rail,
  nowMs: number,
): NewAttempt {
  const plan = rail.plan(terms, method, nowMs);
  return {
    id: crypto.randomUUID(),
    reference: attemptReferenceFrom(
      terms.createdAtMs,
      crypto.getRandomValues(new Uint8Array(REFERENCE_LENGTH)),
    ),
    method,
    phone,
    railId: rail.id,
    startClaim: rail.startWaitsForCustomer ? 'free' : 'not_needed',
    ...plan,
    // The queue may lose the start message, so the object resends it until a consumer claims it.
    ...(rail.startWaitsForCustomer ? { checkAtMs: nowMs + START_MESSAGE_LEASE_MS } : {}),
  };
}
