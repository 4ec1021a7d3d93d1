import { jsonResponse } from './envelope.ts';
import { clientNetwork, isWithinLimit } from './rate-limit.ts';
import type { Handler } from './router.ts';

/**
 * For uptime monitors. Reads no D1, object or queue, so it answers while these fail, and in maintenance.
 */
export const HEALTH_PATH = '/health';
/** The back office's, which `/health` does not reach where both Workers share a host. */
export const BACK_OFFICE_HEALTH_PATH = '/dashboard/health';

/** The limit's period in both wrangler.toml. */
const PERIOD_SECONDS = 60;

interface Limited {
  readonly FAILED_KEY_RATE_LIMIT: RateLimit;
  readonly RATE_LIMITS: string;
}

export function isHealth({ pathname }: URL): boolean {
  return pathname === HEALTH_PATH || pathname === BACK_OFFICE_HEALTH_PATH;
}

/** Says whether the Worker runs and its configuration is valid, and never which variable is not. */
export function healthBy<Bindings extends Limited>(
  configOf: (env: Bindings) => unknown,
): Handler<Bindings> {
  return async (request, env) => {
    // Not from the parsed configuration, which the answer is about.
    const policy = { rateLimits: env.RATE_LIMITS !== 'off' };
    const key = `health:${clientNetwork(request)}`;
    if (!(await isWithinLimit(policy, env.FAILED_KEY_RATE_LIMIT, key))) {
      return answer(429, 'limited', { 'retry-after': String(PERIOD_SECONDS) });
    }
    try {
      configOf(env);
    } catch {
      return answer(503, 'misconfigured');
    }
    return answer(200, 'ok');
  };
}

function answer(status: number, word: string, headers?: Readonly<Record<string, string>>) {
  return jsonResponse(status, JSON.stringify({ status: word }), headers);
}
