import type { Config } from '../config.ts';

/** Counts one use of `key`; false after too many uses. Always true with `RATE_LIMITS` off. */
export async function isWithinLimit(
  { rateLimits }: Pick<Config, 'rateLimits'>,
  limiter: RateLimit,
  key: string,
): Promise<boolean> {
  return !rateLimits || (await limiter.limit({ key })).success;
}

/** The client's IP address from Cloudflare's header, or null for a request without it. */
export function clientAddress(request: Request): string | null {
  return request.headers.get('cf-connecting-ip');
}
