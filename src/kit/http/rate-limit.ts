/** A limit as wrangler.toml sets it, which a Worker cannot read. */
export interface RatePolicy {
  /** What the limit counts. */
  readonly name: string;
  readonly requestsMax: number;
  readonly periodSeconds: number;
}

/**
 * The value of `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers). There is no `RateLimit`
 * beside it, because Cloudflare's limiter does not say how many requests are left.
 */
export function policyHeader(policies: readonly RatePolicy[]): string {
  return policies
    .map(({ name, requestsMax, periodSeconds }) => `"${name}";q=${requestsMax};w=${periodSeconds}`)
    .join(', ');
}

/** Counts one use of `key`; false after too many uses. Always true with `RATE_LIMITS` off. */
export async function isWithinLimit(
  { rateLimits }: { readonly rateLimits: boolean },
  limiter: RateLimit,
  key: string,
): Promise<boolean> {
  return !rateLimits || (await limiter.limit({ key })).success;
}

/** The client's IP address from Cloudflare's header, or null for a request without it. */
export function clientAddress(request: Request): string | null {
  return request.headers.get('cf-connecting-ip');
}

/**
 * The client's network, by which limits count. A home or a phone has a /64 of IPv6, so one client
 * could send each request from another address. `unknown` for a request without an address.
 */
export function clientNetwork(request: Request): string {
  const address = clientAddress(request) ?? 'unknown';
  if (!address.includes(':') || address.includes('.')) {
    return address;
  }
  const [left = [], right = []] = address.split('::').map((half) => half.split(':'));
  const zeros = Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0');
  const groups = [...left, ...zeros, ...right].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group || '0', 16).toString(16)).join(':')}::/64`;
}
