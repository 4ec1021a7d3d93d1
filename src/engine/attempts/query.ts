import type { Attempt, Outcome } from '../domain/attempt.ts';
import type { Intent } from '../domain/intent.ts';
import { railOf } from '../rails/registry.ts';
import { railOrder } from './order.ts';

/** Queries the provider for an attempt's outcome; null when its rail is no longer configured. */
export async function queryRail(
  env: Env,
  intent: Intent,
  attempt: Attempt,
): Promise<Outcome | null> {
  const rail = railOf(env, intent.terms, attempt);
  if (rail === null) {
    return null;
  }
  // Without a status query, the outcome can only come by callback.
  return rail.query === undefined
    ? { type: 'unknown', checkAtMs: null }
    : rail.query(await railOrder(env, rail, intent, attempt), Date.now());
}
