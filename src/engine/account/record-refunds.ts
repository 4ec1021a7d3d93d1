import type { Intent } from '../domain/intent.ts';
import { accountOf } from './client.ts';
import { countedRefunds } from './protocol.ts';

/**
 * Reports the stages of the payment's refunds to the merchant's account. Throws when the account
 * does not answer; the payment's object then repeats this call with its projection.
 */
export async function recordRefunds(env: Env, intent: Intent): Promise<void> {
  const { terms } = intent;
  await accountOf(env, terms).recordRefunds(terms.uniqueId, countedRefunds(intent));
}
