import { configOf } from '../config.ts';
import { sha256Hex } from '../crypto/encoding.ts';
import type { Environment } from '../domain/method.ts';

/**
 * Whether this phone may be made to ring once more, which counts as having done so. The limiter is
 * told a digest: whose phone it is stays with us.
 */
export async function mayPrompt(
  env: Env,
  environment: Environment,
  phone: string,
): Promise<boolean> {
  if (!configOf(env).rateLimits) {
    return true;
  }
  const key = await sha256Hex(`${environment}/${phone}`);
  return (await env.PHONE_PROMPT_RATE_LIMIT.limit({ key })).success;
}
