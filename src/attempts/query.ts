import type { Attempt, Intent, Outcome } from '../domain/intent.ts';
import { railOf } from '../rails/registry.ts';
import { railOrder } from './order.ts';

/** Asks the rail for an attempt's outcome; null when that rail is no longer configured. */
export async function queryRail(
  env: Env,
  objectId: string,
  intent: Intent,
  attempt: Attempt,
): Promise<Outcome | null> {
  const rail = railOf(env, intent.terms, attempt);
  if (rail === null) {
    return null;
  }
  // Without a status query only a callback can bring the outcome.
  return rail.query === undefined
    ? { type: 'unknown', checkAtMs: null }
    : rail.query(await railOrder(env, rail, objectId, intent, attempt), Date.now());
}
