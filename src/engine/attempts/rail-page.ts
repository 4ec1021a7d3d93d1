import { attemptInFlight, type Intent } from '../domain/intent.ts';
import type { IntentClient } from '../intent/client.ts';
import { railOf } from '../rails/registry.ts';
import { railOrder } from './order.ts';

/**
 * The provider's page for the attempt in flight, or null. If the Worker died before it stored the
 * provider's answer, a rail with a `page` computes the page from the order.
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
  const page = await rail.page(await railOrder(env, rail, intent, attempt));
  if (page === null) {
    return null;
  }
  // Stored before the customer sees it: after a key rotation the same order gives another page.
  const stored = await client.execute([{ type: 'accept_attempt', attemptId: attempt.id, ...page }]);
  const current = stored.type === 'done' ? attemptInFlight(stored.intent) : null;
  return current?.id === attempt.id ? current.redirectUrl : null;
}
