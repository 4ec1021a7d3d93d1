import { BoundedCache } from '../../kit/platform/bounded-cache.ts';
import type { RailAnswer } from './call-rail.ts';
import { withProviderCode } from './outcomes.ts';
import { type LoggedOrder, logRailAnswer } from './rail-log.ts';

/** The cache keeps a token no longer, even if a provider's answer says so. */
const TOKEN_AGE_MS_MAX = 60 * 60 * 1_000;
/** An isolate serves two environments, each with a few settings during a rotation. */
const TOKENS_MAX = 8;

export interface FreshToken {
  readonly type: 'token';
  readonly token: string;
  /** Before its expiry, so that it is still valid when the call arrives; 0: use it once. */
  readonly usableUntilMs: number;
}

/** Without a token nothing was sent, so no money can have moved. */
export interface NoToken {
  readonly type: 'no_token';
  readonly reason: 'misconfigured' | 'rail_unavailable';
  /** HTTP status; null when no answer came. */
  readonly status: number | null;
  readonly providerCode: string | null;
}

/** The call was not sent, or not read: the provider certainly did not act. */
export interface CallRefused extends Pick<NoToken, 'reason'> {
  readonly type: 'refused';
  readonly providerCode?: string | null;
}

/** How a provider's account gets a token. */
export interface TokenSource {
  /** The provider's name for the call that gets it. */
  readonly call: 'token' | 'login';
  /** All settings that the token depends on, so that changed settings never use an old token. */
  readonly account: string;
  request(): Promise<FreshToken | NoToken>;
}

/** A call that needs a token, about an order; the first three are for the log. */
export interface TokenCall {
  readonly rail: string;
  readonly name: string;
  readonly order: LoggedOrder;
  send(token: string): Promise<RailAnswer | CallRefused>;
  /** Before it read the call, so that a retry with a new token cannot act twice. */
  isTokenRefused(answer: RailAnswer): boolean;
  /** The provider's code in an answer. */
  codeIn(answer: RailAnswer): string | null;
  /** 1: the next call uses a new token in place of a refused one. */
  readonly callsMax?: number;
}

/** The statuses of a gateway whose server does not answer it. */
const SERVER_AWAY: readonly (number | null)[] = [null, 502, 503, 504];

/**
 * The next call then needs a new token. If the provider is down, it gets none, and has certainly not
 * reached the provider: otherwise nothing could tell it from a call whose answer was lost.
 */
function isUnanswered({ status }: RailAnswer): boolean {
  return SERVER_AWAY.includes(status);
}

/**
 * A provider's bearer tokens in this isolate. It holds values only, because in a Worker one request
 * must not await another's promise. Two requests may thus each fetch a token; the last one requested
 * stays.
 */
export class BearerTokens {
  readonly #tokens = new BoundedCache<FreshToken>({
    sizeMax: TOKENS_MAX,
    ageMsMax: TOKEN_AGE_MS_MAX,
  });

  /** A new token, also in place of a valid one. */
  async fresh({ account, request }: TokenSource): Promise<FreshToken | NoToken> {
    const requestedAtMs = Date.now();
    const fresh = await request();
    if (fresh.type === 'token' && fresh.usableUntilMs > Date.now()) {
      this.#tokens.set(account, fresh, requestedAtMs);
    }
    return fresh;
  }

  /** Sends a call with the cached token or a new one. Logs why there is none, or none is accepted. */
  async call(
    source: TokenSource,
    { rail, name, order, send, isTokenRefused, codeIn, callsMax = 2 }: TokenCall,
  ): Promise<RailAnswer | CallRefused> {
    for (let calls = 1; ; calls += 1) {
      const found = this.#usable(source.account) ?? (await this.fresh(source));
      if (found.type === 'no_token') {
        logRailAnswer(rail, source.call, order, found);
        return withProviderCode({ type: 'refused', reason: found.reason }, found.providerCode);
      }
      const answer = await send(found.token);
      if ('type' in answer) {
        return answer;
      }
      const isRefused = isTokenRefused(answer);
      if (isRefused || isUnanswered(answer)) {
        this.#drop(source.account, found.token);
      }
      if (!isRefused) {
        return answer;
      }
      if (calls === callsMax) {
        const providerCode = codeIn(answer);
        logRailAnswer(rail, name, order, { status: answer.status, providerCode });
        return withProviderCode({ type: 'refused', reason: 'misconfigured' }, providerCode);
      }
    }
  }

  #usable(account: string): FreshToken | null {
    const nowMs = Date.now();
    const cached = this.#tokens.get(account, nowMs)?.value;
    return cached !== undefined && nowMs < cached.usableUntilMs ? cached : null;
  }

  /** Unless another request has renewed it. */
  #drop(account: string, token: string): void {
    if (this.#tokens.get(account, Date.now())?.value.token === token) {
      this.#tokens.delete(account);
    }
  }
}
