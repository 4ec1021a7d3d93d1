import { BearerTokens, isNoToken } from '../bearer-tokens.ts';
import { callRail, type RailAnswer } from '../call-rail.ts';
import { type Members, scalarOf } from '../members.ts';
import { withProviderCode } from '../outcomes.ts';
import { logRailAnswer } from '../rail-log.ts';
import { type CallResult, codeIn, readAnswer, readToken } from './answers.ts';
import { CALLS, type Call, RAIL_ID, signedMessage } from './messages.ts';
import type { TelebirrH5Settings } from './settings.ts';
import type { Sign } from './signature.ts';

const UNAUTHORIZED = 401;

const tokens = new BearerTokens();

/** telebirr gave no token, or our key cannot sign: telebirr certainly did not act. */
export interface CallRefused {
  readonly type: 'refused';
  readonly reason: 'misconfigured' | 'rail_unavailable';
  readonly providerCode?: string | null;
}

export interface TelebirrClient {
  /** Sends a signed call. Never throws. */
  send(call: Call, content: Members, timeoutMs: number): Promise<RailAnswer | CallRefused>;
  /** The same, and reads the answer. `refused` when telebirr certainly created no order. */
  post(call: Call, content: Members, timeoutMs: number): Promise<CallResult>;
}

export function telebirrClient(settings: TelebirrH5Settings, sign: Sign): TelebirrClient {
  const { apiBaseUrl, appSecret, callTimeoutMs, fabricAppId } = settings;
  const account = `${apiBaseUrl} ${fabricAppId} ${appSecret}`;

  const client: TelebirrClient = {
    async send(call, content, timeoutMs) {
      const reference = scalarOf(content.merch_order_id) ?? '';
      const endsAtMs = Date.now() + timeoutMs;
      const callWaitMs = () => Math.max(1, Math.min(callTimeoutMs, endsAtMs - Date.now()));
      const request = async () => {
        const requestedAtMs = Date.now();
        const answer = await requestToken(settings, callWaitMs());
        const result = readToken(answer, requestedAtMs);
        if (result.type === 'no_token') {
          logAnswer('token', reference, answer);
        }
        return result;
      };
      const answer = await tokens.call<RailAnswer | CallRefused>(
        { account, request },
        async (token) => {
          const body = await signedMessage(call, content, sign, Date.now());
          return body === null
            ? { type: 'refused', reason: 'misconfigured' }
            : postMessage(settings, call, token, body, callWaitMs());
        },
        isUnauthorized,
      );
      if (isNoToken(answer)) {
        const { reason, providerCode } = answer;
        return withProviderCode({ type: 'refused', reason }, providerCode);
      }
      // A new token too: telebirr ends tokens early at a restart, but not two in a row.
      if (isUnauthorized(answer)) {
        logAnswer(call, reference, answer);
        return withProviderCode({ type: 'refused', reason: 'misconfigured' }, codeIn(answer));
      }
      return answer;
    },

    async post(call, content, timeoutMs) {
      const answer = await client.send(call, content, timeoutMs);
      if ('type' in answer) {
        return answer;
      }
      const result = readAnswer(answer);
      if (result.type === 'success') {
        return result;
      }
      logAnswer(call, scalarOf(content.merch_order_id) ?? '', answer);
      return withProviderCode(result, codeIn(answer));
    },
  };
  return client;
}

function isUnauthorized(answer: RailAnswer | CallRefused): answer is RailAnswer {
  return 'status' in answer && answer.status === UNAUTHORIZED;
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
  const { status } = answer;
  logRailAnswer({ rail: RAIL_ID, call, reference, status, providerCode: codeIn(answer) });
}
