import { BearerTokens, type CallRefused, type TokenSource } from '../bearer-tokens.ts';
import { callRail, type RailAnswer } from '../call-rail.ts';
import type { Members } from '../members.ts';
import { withProviderCode } from '../outcomes.ts';
import { type LoggedOrder, logRailAnswer } from '../rail-log.ts';
import { type CallResult, codeIn, readAnswer, readToken } from './answers.ts';
import { CALLS, type Call, RAIL_ID, signedMessage, startTimeoutMsOf } from './messages.ts';
import type { TelebirrH5Settings } from './settings.ts';
import type { Sign } from './signature.ts';

const UNAUTHORIZED = 401;

export const tokens = new BearerTokens();

/** What a rail needs to call telebirr. */
export interface Client {
  readonly settings: TelebirrH5Settings;
  readonly sign: Sign;
}

/**
 * Sends a signed call about `order`. Never throws. `refused`: telebirr gave no token, or our key
 * cannot sign.
 */
export function send(
  client: Client,
  call: Call,
  order: LoggedOrder,
  content: Members,
  timeoutMs: number,
): Promise<RailAnswer | CallRefused> {
  const endsAtMs = Date.now() + timeoutMs;
  const callWaitMs = () =>
    Math.max(1, Math.min(client.settings.callTimeoutMs, endsAtMs - Date.now()));
  return tokens.call(tokenSource(client.settings, callWaitMs), {
    rail: RAIL_ID,
    name: call,
    order,
    send: (token) => sendWithToken(client, call, content, token, callWaitMs),
    // telebirr ends tokens early at a restart, but not two in a row.
    isTokenRefused: ({ status }) => status === UNAUTHORIZED,
    codeIn,
  });
}

/** The same, and reads the answer. `refused`: telebirr certainly created no order. */
export async function post(
  client: Client,
  call: Call,
  order: LoggedOrder,
  content: Members,
): Promise<CallResult> {
  const answer = await send(client, call, order, content, startTimeoutMsOf(client.settings));
  return 'type' in answer ? answer : resultOf(call, order, answer);
}

/** What an answer means; logs one that is no success. */
export function resultOf(call: Call, order: LoggedOrder, answer: RailAnswer): CallResult {
  const result = readAnswer(answer);
  if (result.type === 'success') {
    return result;
  }
  logAnswer(call, order, answer);
  return withProviderCode(result, codeIn(answer));
}

export function tokenSource(settings: TelebirrH5Settings, timeoutMs: () => number): TokenSource {
  const { apiBaseUrl, appSecret, fabricAppId, through } = settings;
  return {
    call: 'token',
    account: JSON.stringify([apiBaseUrl, fabricAppId, appSecret, through?.name]),
    async request() {
      const requestedAtMs = Date.now();
      const body = JSON.stringify({ appSecret });
      const answer = await postJson(settings, '/payment/v1/token', {}, body, timeoutMs());
      return readToken(answer, requestedAtMs);
    },
  };
}

/** Sends one signed message. `refused`: our key cannot sign. */
export async function sendWithToken(
  { settings, sign }: Client,
  call: Call,
  content: Members,
  authorization: string,
  timeoutMs: () => number,
): Promise<RailAnswer | CallRefused> {
  const body = await signedMessage(call, content, sign, Date.now());
  return body === null
    ? { type: 'refused', reason: 'misconfigured' }
    : postJson(settings, CALLS[call].path, { authorization }, body, timeoutMs());
}

function postJson(
  { apiBaseUrl, fabricAppId, through }: TelebirrH5Settings,
  path: string,
  moreHeaders: Readonly<Record<string, string>>,
  body: string,
  timeoutMs: number,
): Promise<RailAnswer> {
  const headers = { 'content-type': 'application/json', 'x-app-key': fabricAppId, ...moreHeaders };
  const url = `${apiBaseUrl}${path}`;
  return callRail({ through }, url, { method: 'POST', headers, body }, timeoutMs);
}

export function logAnswer(call: Call, order: LoggedOrder, answer: RailAnswer): void {
  const { status } = answer;
  logRailAnswer(RAIL_ID, call, order, { status, providerCode: codeIn(answer) });
}
