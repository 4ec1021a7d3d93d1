import type { AttemptPlan } from '../domain/intent.ts';
import { type Rail, type RailOrder, STORING_TIME_MS, type StartResult } from './rail.ts';

/** Plan of an attempt by phone prompt, for a provider that lets us set no expiry. */
export function promptPlan(deadlineAtMs: number): AttemptPlan {
  // Not final: the provider may report a last-moment payment after the deadline.
  return { flow: 'push', deadlineAtMs, windowIsFinal: false, checkAtMs: null };
}

/** Deadline until a consumer claims a `SlowStart`; the claim then sets a new one. */
const QUEUE_TIME_MS = 60_000;

/** Plan of an attempt by phone prompt whose `start` answers only after the customer has acted. */
export function slowPromptPlan(nowMs: number): AttemptPlan {
  return promptPlan(nowMs + QUEUE_TIME_MS);
}

/** `Rail.timeNeededMs` of a `SlowStart`: the latest claim, and the window that begins with it. */
export function slowTimeNeededMs(startTimeoutMs: number): number {
  return QUEUE_TIME_MS + startTimeoutMs + STORING_TIME_MS;
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
