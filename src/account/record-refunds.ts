import type { Intent } from '../domain/intent.ts';
import { accountOf } from './client.ts';

/**
 * Tells the merchant's account what became of the payment's refunds. Throws when the account does
 * not answer: the payment's object then sends its projection again, and this with it.
 */
export async function recordRefunds(env: Env, intent: Intent): Promise<void> {
  await accountOf(env, intent.terms).recordRefunds(intent);
}
