import { configOf } from '../config.ts';
import { sha256Hex } from '../crypto/encoding.ts';
import { type Environment, TRAITS } from '../domain/method.ts';
import { isWithinLimit } from '../http/rate-limit.ts';
import type { Choice } from './choice.ts';

/**
 * Whether this phone may get one more prompt. The call counts as a prompt. Methods without a prompt
 * have no limit. The limiter receives a digest instead of the number.
 */
export async function mayPrompt(
  env: Env,
  environment: Environment,
  { method, phone }: Choice,
): Promise<boolean> {
  if (phone === null || TRAITS[method].confirmsOn === 'page') {
    return true;
  }
  const key = await sha256Hex(`${environment}/${phone}`);
  return isWithinLimit(configOf(env), env.PHONE_PROMPT_RATE_LIMIT, key);
}
