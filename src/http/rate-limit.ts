import type { Config } from '../config.ts';

/** Counts one use of `key`; false when there were too many. Always true with `RATE_LIMITS` off. */
export async function isWithinLimit(
  { rateLimits }: Pick<Config, 'rateLimits'>,
  limiter: RateLimit,
  key: string,
): Promise<boolean> {
  return !rateLimits || (await limiter.limit({ key })).success;
}

/** The client's address as Cloudflare tells it, or null where the request came another way. */
export function clientAddress(request: Request): string | null {
  return request.headers.get('cf-connecting-ip');
}
