import { configOf } from '../config.ts';
import { sha256Hex } from '../crypto/encoding.ts';
import { type Environment, METHODS_BY_PROMPT } from '../domain/method.ts';
import type { Choice } from './choice.ts';

/**
 * Whether the phone of this choice may be made to ring once more, which counts as having done so;
 * a method that prompts nobody always may. The limiter is told a digest: whose phone it is stays
 * with us.
 */
export async function mayPrompt(
  env: Env,
  environment: Environment,
  { method, phone }: Choice,
): Promise<boolean> {
  if (!configOf(env).rateLimits || phone === null || !METHODS_BY_PROMPT.includes(method)) {
    return true;
  }
  const key = await sha256Hex(`${environment}/${phone}`);
  return (await env.PHONE_PROMPT_RATE_LIMIT.limit({ key })).success;
}
