import { REFERENCE_LENGTH, referenceFrom } from '../domain/identifiers.ts';
import type { Command, IntentTerms } from '../domain/intent.ts';
import type { Method } from '../domain/method.ts';
import type { Rail } from '../rails/rail.ts';

/** First lease of the message to the consumer that calls a slow rail. */
const START_MESSAGE_LEASE_MS = 10_000;

export type NewAttempt = Extract<Command, { type: 'start_attempt' }>['attempt'];

/** A new attempt as its rail plans it, with the id and the reference that it keeps. */
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
    reference: referenceFrom(crypto.getRandomValues(new Uint8Array(REFERENCE_LENGTH))),
    method,
    phone,
    railId: rail.id,
    startClaim: rail.startWaitsForCustomer ? 'free' : 'not_needed',
    ...plan,
    // The start message can get lost: the object sends it again until a consumer claims the start.
    ...(rail.startWaitsForCustomer ? { checkAtMs: nowMs + START_MESSAGE_LEASE_MS } : {}),
  };
}
