import { BoundedCache } from '../bounded-cache.ts';

/** No token stays cached for longer, even if a provider's answer says so. */
const TOKEN_AGE_MS_MAX = 60 * 60 * 1_000;
/** An isolate serves two environments, each with a few settings during a rotation. */
const TOKENS_MAX = 8;

interface CachedToken {
  readonly token: string;
  readonly usableUntilMs: number;
}

/**
 * A provider's bearer tokens in this isolate, by account, so that changed settings never use an old
 * token. It holds values only, because in a Worker one request must not await another's promise. Two
 * requests may thus each fetch a token; the last one requested stays.
 */
export class TokenCache {
  readonly #tokens = new BoundedCache<CachedToken>({
    sizeMax: TOKENS_MAX,
    ageMsMax: TOKEN_AGE_MS_MAX,
  });

  /** The account's token; null when it has none that is valid at `nowMs`. */
  get(account: string, nowMs: number): string | null {
    const cached = this.#tokens.get(account, nowMs)?.value;
    return cached !== undefined && nowMs < cached.usableUntilMs ? cached.token : null;
  }

  store(account: string, token: string, usableUntilMs: number, requestedAtMs: number): void {
    this.#tokens.set(account, { token, usableUntilMs }, requestedAtMs);
  }

  /** Drops a token that the provider refused, unless another request has renewed it. */
  drop(account: string, token: string): void {
    if (this.#tokens.get(account, Date.now())?.value.token === token) {
      this.#tokens.delete(account);
    }
  }
}
