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
  return rail === null
    ? null
    : rail.query(await railOrder(env, objectId, intent, attempt), Date.now());
}
