import type { AttemptPlan, IntentTerms } from '../domain/intent.ts';
import { type Rail, STORING_TIME_MS, type StartResult } from './rail.ts';
import type { RailOrder } from './rail-order.ts';

/** Most customers have acted by then, and the provider has reported it. */
const FIRST_QUERY_AFTER_MS = 30_000;

/** When to query a provider about a prompt first; null for a provider without a status query. */
export function firstPromptQueryAtMs(hasStatusQuery: boolean, nowMs: number): number | null {
  return hasStatusQuery ? nowMs + FIRST_QUERY_AFTER_MS : null;
}

/** Plan of an attempt by phone prompt, for a provider that lets us set no expiry. */
export function promptPlan(deadlineAtMs: number, checkAtMs: number | null): AttemptPlan {
  // Not final: the provider may report a last-moment payment after the deadline.
  return { flow: 'push', deadlineAtMs, windowIsFinal: false, checkAtMs };
}

/** Deadline until a consumer claims a start that waits for the customer; the claim then sets a new one. */
const QUEUE_TIME_MS = 60_000;

/** Plan of an attempt by phone prompt whose `start` answers only after the customer has acted. */
export function slowPromptPlan(
  { expiresAtMs }: Pick<IntentTerms, 'expiresAtMs'>,
  nowMs: number,
): AttemptPlan {
  // No claim is granted after the expiry. The claim sets the first query, because until then there
  // is nothing to ask.
  return promptPlan(Math.min(nowMs + QUEUE_TIME_MS, expiresAtMs), null);
}

/** The end of the window of such a start, which begins with a consumer's claim. */
export function claimedWindowEndMs(
  { startTimeoutMs }: Pick<Rail, 'startTimeoutMs'>,
  claimedAtMs: number,
): number {
  return claimedAtMs + startTimeoutMs + STORING_TIME_MS;
}

/** The number to prompt, or the refusal when the provider must not be called. */
export function phoneToPrompt(
  rail: Pick<Rail, 'currencies' | 'acceptsPhone'>,
  { terms, attempt: { phone } }: RailOrder,
): string | Extract<StartResult, { readonly type: 'refused' }> {
  if (!rail.currencies.includes(terms.currency)) {
    return { type: 'refused', reason: 'misconfigured' };
  }
  return phone === null || rail.acceptsPhone?.(phone) === false
    ? { type: 'refused', reason: 'declined' }
    : phone;
}
