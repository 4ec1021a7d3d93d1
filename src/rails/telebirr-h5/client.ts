import { callRail, type RailAnswer } from '../call-rail.ts';
import { withProviderCode } from '../provider-code.ts';
import { logRailAnswer } from '../rail-log.ts';
import { TokenCache } from '../token-cache.ts';
import {
  type CallResult,
  codeIn,
  type FreshToken,
  readAnswer,
  readToken,
  type TokenRefused,
} from './answers.ts';
import { CALLS, type Call, RAIL_ID, signedMessage } from './messages.ts';
import type { TelebirrH5Settings } from './settings.ts';
import { type Fields, type Sign, textOf } from './signature.ts';

/** We renew a token this long before its end, so that it does not expire during a call. */
const TOKEN_MARGIN_MS = 60_000;
const UNAUTHORIZED = 401;

const tokens = new TokenCache();

export interface TelebirrClient {
  /** Sends a signed call. `refused` when telebirr certainly did not act on it. Never throws. */
  send(call: Call, content: Fields, timeoutMs: number): Promise<RailAnswer | TokenRefused>;
  /** The same, and reads the answer. `refused` when telebirr certainly created no order. */
  post(call: Call, content: Fields, timeoutMs: number): Promise<CallResult>;
}

export function telebirrClient(settings: TelebirrH5Settings, sign: Sign): TelebirrClient {
  const { apiBaseUrl, appSecret, callTimeoutMs, fabricAppId } = settings;
  const tokenKey = `${apiBaseUrl} ${fabricAppId} ${appSecret}`;

  async function token(
    timeoutMs: number,
    reference: string,
  ): Promise<Pick<FreshToken, 'token'> | TokenRefused> {
    const requestedAtMs = Date.now();
    const cached = tokens.get(tokenKey, requestedAtMs);
    if (cached !== null) {
      return { token: cached };
    }
    const answer = await requestToken(settings, timeoutMs);
    const result = readToken(answer);
    if (result.type === 'token') {
      const usableUntilMs = requestedAtMs + result.lifetimeMs - TOKEN_MARGIN_MS;
      tokens.store(tokenKey, result.token, usableUntilMs, requestedAtMs);
      return result;
    }
    logAnswer('token', reference, answer);
    return withProviderCode(result, codeIn(answer));
  }

  const client: TelebirrClient = {
    async send(call, content, timeoutMs) {
      const reference = textOf(content.merch_order_id) ?? '';
      const endsAtMs = Date.now() + timeoutMs;
      const callWaitMs = () => Math.max(1, Math.min(callTimeoutMs, endsAtMs - Date.now()));
      // telebirr may end a token early, as at a restart. It then refuses the call without acting on
      // it, so that one retry with a new token is safe.
      for (let isFirst = true; ; isFirst = false) {
        const authorized = await token(callWaitMs(), reference);
        if ('reason' in authorized) {
          return authorized;
        }
        const body = await signedMessage(call, content, sign, Date.now());
        if (body === null) {
          return { type: 'refused', reason: 'misconfigured' };
        }
        const answer = await postMessage(settings, call, authorized.token, body, callWaitMs());
        if (answer.type === 'no_answer' || answer.status !== UNAUTHORIZED) {
          return answer;
        }
        tokens.drop(tokenKey, authorized.token);
        if (!isFirst) {
          logAnswer(call, reference, answer);
          return withProviderCode({ type: 'refused', reason: 'misconfigured' }, codeIn(answer));
        }
      }
    },

    async post(call, content, timeoutMs) {
      const answer = await client.send(call, content, timeoutMs);
      if (answer.type === 'refused') {
        return answer;
      }
      const result = readAnswer(answer);
      if (result.type === 'success') {
        return result;
      }
      logAnswer(call, textOf(content.merch_order_id) ?? '', answer);
      return withProviderCode(result, codeIn(answer));
    },
  };
  return client;
}

/** Asks for a new token. */
export function requestToken(settings: TelebirrH5Settings, timeoutMs: number): Promise<RailAnswer> {
  const { appSecret } = settings;
  return postJson(settings, '/payment/v1/token', {}, JSON.stringify({ appSecret }), timeoutMs);
}

/** Sends a signed message with a token. */
export function postMessage(
  settings: TelebirrH5Settings,
  call: Call,
  authorization: string,
  body: string,
  timeoutMs: number,
): Promise<RailAnswer> {
  return postJson(settings, CALLS[call].path, { authorization }, body, timeoutMs);
}

function postJson(
  { apiBaseUrl, fabricAppId }: TelebirrH5Settings,
  path: string,
  moreHeaders: Readonly<Record<string, string>>,
  body: string,
  timeoutMs: number,
): Promise<RailAnswer> {
  const headers = { 'content-type': 'application/json', 'x-app-key': fabricAppId, ...moreHeaders };
  return callRail(`${apiBaseUrl}${path}`, { method: 'POST', headers, body }, timeoutMs);
}

export function logAnswer(call: Call | 'token', reference: string, answer: RailAnswer): void {
  const status = answer.type === 'answered' ? answer.status : undefined;
  logRailAnswer({ rail: RAIL_ID, call, reference, status, providerCode: codeIn(answer) });
}
