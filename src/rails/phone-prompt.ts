import type { AttemptPlan } from '../domain/intent.ts';
import type { Rail, RailOrder, StartResult } from './rail.ts';

/** Plan of an attempt by phone prompt, for a provider that lets us set no expiry. */
export function promptPlan(deadlineAtMs: number): AttemptPlan {
  // Not final: the provider may report a last-moment payment after the deadline.
  return { flow: 'push', deadlineAtMs, windowIsFinal: false, checkAtMs: null };
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
