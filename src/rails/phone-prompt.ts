import type { AttemptPlan } from '../domain/intent.ts';
import type { Rail, RailOrder, StartResult } from './rail.ts';

/** An attempt by a prompt on the customer's phone, with a provider that takes no expiry from us. */
export function promptPlan(deadlineAtMs: number): AttemptPlan {
  // Not final: the provider may still report a payment of the last moment.
  return { flow: 'push', deadlineAtMs, windowIsFinal: false, checkAtMs: null };
}

/** The number to prompt, or why the provider is not called at all. */
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
