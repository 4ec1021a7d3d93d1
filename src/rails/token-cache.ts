import { BoundedCache } from '../bounded-cache.ts';

/** No token is kept longer than this, whatever a provider's answer says. */
const TOKEN_AGE_MS_MAX = 60 * 60 * 1_000;
/** One isolate serves two environments, and sees a few settings while they are rotated. */
const TOKENS_MAX = 8;

interface KeptToken {
  readonly token: string;
  readonly goodUntilMs: number;
}

/**
 * A provider's bearer tokens in this isolate, by account, so that changed settings never use an old
 * token. Values only: a Worker's request must not await a promise of another request, so two
 * requests may each fetch a token; the one requested last stays.
 */
export class TokenCache {
  readonly #tokens = new BoundedCache<KeptToken>({
    sizeMax: TOKENS_MAX,
    ageMsMax: TOKEN_AGE_MS_MAX,
  });

  /** The account's token, or null when there is none that is good at `nowMs`. */
  get(account: string, nowMs: number): string | null {
    const kept = this.#tokens.get(account, nowMs)?.value;
    return kept !== undefined && nowMs < kept.goodUntilMs ? kept.token : null;
  }

  keep(account: string, token: string, goodUntilMs: number, requestedAtMs: number): void {
    this.#tokens.set(account, { token, goodUntilMs }, requestedAtMs);
  }

  /** Forgets a token that the provider refused, unless another request has renewed it already. */
  forget(account: string, token: string): void {
    if (this.#tokens.get(account, Date.now())?.value.token === token) {
      this.#tokens.delete(account);
    }
  }
}
