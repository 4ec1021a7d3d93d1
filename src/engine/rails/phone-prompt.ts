import type { AttemptPlan } from '../domain/attempt.ts';
import type { IntentTerms } from '../domain/terms.ts';
import { type Rail, STORING_TIME_MS, type StartResult } from './rail.ts';
import type { RailOrder } from './rail-order.ts';

/** Most customers have acted by then, and the provider has reported it. */
const FIRST_QUERY_AFTER_MS = 30_000;

/** What a wallet takes whose numbers (251XXXXXXXXX) begin with one of these prefixes. */
export function walletRules(prefixes: readonly string[]) {
  return {
    currencies: ['ETB'] as const,
    acceptsPhone: (phone: string) =>
      /^251\d{9}$/.test(phone) && prefixes.some((prefix) => phone.startsWith(prefix)),
  };
}

/** Plan of an attempt by phone prompt, for a provider that lets us set no expiry. */
export function promptPlan(nowMs: number, windowMs: number, hasStatusQuery: boolean): AttemptPlan {
  return {
    flow: 'push',
    deadlineAtMs: nowMs + windowMs,
    // Not final: the provider may report a last-moment payment after the deadline.
    windowIsFinal: false,
    checkAtMs: hasStatusQuery ? nowMs + FIRST_QUERY_AFTER_MS : null,
  };
}

/**
 * Plan of an attempt by phone prompt whose `start` answers only after the customer has acted. The
 * claim sets a new deadline, and the first query: until then there is nothing to ask.
 */
export function slowPromptPlan(
  { expiresAtMs }: Pick<IntentTerms, 'expiresAtMs'>,
  nowMs: number,
  startTimeoutMs: number,
): AttemptPlan {
  // No claim is granted after the expiry.
  const endMs = Math.min(claimedWindowEndMs({ startTimeoutMs }, nowMs), expiresAtMs);
  return promptPlan(nowMs, endMs - nowMs, false);
}

/** The end of the window of such a start, which begins with its claim. */
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
