import type { Intent } from '../domain/intent.ts';
import { registerOf } from './client.ts';
import { countedRefunds } from './protocol.ts';

/**
 * Reports the stages of the payment's refunds to the merchant's register. Throws when the register
 * does not answer; the payment's object then repeats this call with its projection.
 */
export async function recordRefunds(env: Env, intent: Intent): Promise<void> {
  const { terms } = intent;
  await registerOf(env, terms).recordRefunds(terms.uniqueId, countedRefunds(intent));
}
