import { attemptInFlight, type Intent } from '../domain/intent.ts';
import type { IntentClient } from '../intent/client.ts';
import { railOf } from '../rails/registry.ts';
import { railOrder } from './order.ts';

/**
 * The rail's page of the attempt in flight, or null. Where the Worker died before it stored the
 * rail's answer, the page is recovered from the order if the rail allows that.
 */
export async function railPageUrl(
  env: Env,
  client: IntentClient,
  intent: Intent,
): Promise<string | null> {
  const attempt = attemptInFlight(intent);
  if (attempt === null || attempt.redirectUrl !== null) {
    return attempt?.redirectUrl ?? null;
  }
  const rail = railOf(env, intent.terms, attempt);
  if (!rail?.page) {
    return null;
  }
  const page = rail.page(await railOrder(env, rail, client.objectId, intent, attempt));
  if (page === null) {
    return null;
  }
  // Stored before the customer sees it: after a change of keys the same order gives another page.
  const kept = await client.execute([{ type: 'accept_attempt', attemptId: attempt.id, ...page }]);
  const current = kept.type === 'done' ? attemptInFlight(kept.intent) : null;
  return current?.id === attempt.id ? current.redirectUrl : null;
}
