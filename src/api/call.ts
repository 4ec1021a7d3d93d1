import { type Config, configOf } from '../config.ts';
import type { Environment } from '../domain/method.ts';
import { problem } from '../http/problem.ts';
import { clientNetwork, isWithinLimit } from '../http/rate-limit.ts';
import type { MerchantAccess } from '../merchants/access.ts';
import { parseApiKey } from '../merchants/api-key.ts';
import { authenticate } from '../merchants/directory.ts';

/** An authenticated request, with what routes need. */
export interface MerchantCall {
  readonly request: Request;
  readonly env: Env;
  readonly ctx: ExecutionContext;
  readonly config: Config;
  readonly access: MerchantAccess;
  /** When the request began. Decides which cached values are fresh enough. */
  readonly nowMs: number;
  /** The last path segment, percent-decoded, for routes that have one. */
  readonly id: string;
}

/** The periods of the rate limits in wrangler.toml, for the Retry-After header. */
const API_PERIOD_SECONDS = 10;
const FAILED_KEY_PERIOD_SECONDS = 60;

/**
 * Checks the `apiKey` header for this environment (docs/decisions.md#9) and the key's rate limit
 * (docs/decisions.md#27). Problems: 401, 403, 429. Calls no object.
 */
export async function authorize(
  request: Request,
  env: Env,
  ctx: ExecutionContext,
  environment: Environment | 'any',
): Promise<Omit<MerchantCall, 'id'>> {
  const config = configOf(env);
  const nowMs = Date.now();
  const apiKey = request.headers.get('apiKey');
  const wanted =
    environment === 'any' ? (parseApiKey(apiKey ?? '')?.environment ?? 'production') : environment;
  const result = await authenticate(env, ctx, apiKey, wanted, nowMs);
  if (result.type !== 'granted') {
    const limiter = env.FAILED_KEY_RATE_LIMIT;
    await limit(config, limiter, clientNetwork(request), FAILED_KEY_PERIOD_SECONDS);
    throw result.type === 'unauthorized'
      ? problem(apiKey === null ? 'api_key_missing' : 'api_key_invalid')
      : problem('api_key_of_other_environment', { environment: wanted });
  }
  await limit(config, env.API_RATE_LIMIT, result.access.keyDigest, API_PERIOD_SECONDS);
  return { request, env, ctx, config, access: result.access, nowMs };
}

async function limit(
  config: Config,
  limiter: RateLimit,
  key: string,
  periodSeconds: number,
): Promise<void> {
  if (!(await isWithinLimit(config, limiter, key))) {
    throw problem('too_many_requests', { retryAfterSeconds: periodSeconds });
  }
}
