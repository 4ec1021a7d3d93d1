import { base64FromBytes, utf8 } from '../../../kit/crypto/encoding.ts';
import {
  BearerTokens,
  type CallRefused,
  type FreshToken,
  type NoToken,
  type TokenCall,
  type TokenSource,
} from '../bearer-tokens.ts';
import { callRail, postJson, type RailAnswer } from '../call-rail.ts';
import { jsonObject, matching, scalarOf } from '../members.ts';
import { meaningOfStatus, STATUSES } from '../statuses.ts';
import { SUCCESS_CODE, TOKEN_ERROR_CODES, TOKEN_REFUSAL_CODES } from './codes.ts';
import { type MpesaSettings, RAIL_ID } from './settings.ts';

/** A slower token request leaves no time for the call itself. */
export const TOKEN_TIMEOUT_MS = 5_000;

/** A token must still be valid when the push arrives, so we do not use it in its last minute. */
const EXPIRY_MARGIN_MS = 60_000;

export const tokens = new BearerTokens();

export function tokenSource(
  { baseUrl, consumerKey, consumerSecret, through }: MpesaSettings,
  timeoutMs: () => number,
): TokenSource {
  return {
    call: 'token',
    account: JSON.stringify([baseUrl, consumerKey, consumerSecret, through?.name]),
    async request() {
      const credentials = base64FromBytes(utf8(`${consumerKey}:${consumerSecret}`));
      const headers = { accept: 'application/json', authorization: `Basic ${credentials}` };
      const url = `${baseUrl}/v1/token/generate?grant_type=client_credentials`;
      return readToken(await callRail({ through }, url, { method: 'GET', headers }, timeoutMs()));
    },
  };
}

function readToken(answer: RailAnswer): FreshToken | NoToken {
  const fields = jsonObject(answer.text);
  // A header could not carry anything else.
  const token = matching(fields?.access_token, /^[!-~]{1,4096}$/);
  const meaning = meaningOfStatus(answer, STATUSES.mpesaToken);
  if (meaning === 'answer' && token !== null) {
    return { type: 'token', token, usableUntilMs: usableUntilMs(fields?.expires_in) };
  }
  const providerCode = scalarOf(fields?.resultCode);
  const isRefused = TOKEN_REFUSAL_CODES.has(providerCode) || meaning === 'unread';
  const reason = isRefused ? 'misconfigured' : 'rail_unavailable';
  return { type: 'no_token', reason, status: answer.status, providerCode };
}

/** `expires_in` is a string of seconds here, a number elsewhere; without it we cache nothing. */
function usableUntilMs(expiresIn: unknown): number {
  const seconds = /^\d{1,7}$/.exec(scalarOf(expiresIn) ?? '')?.[0];
  return seconds === undefined ? 0 : Date.now() + Number(seconds) * 1_000 - EXPIRY_MARGIN_MS;
}

/** A call of the API; M-PESA must have answered it by `answerByMs`. */
interface Call extends Pick<TokenCall, 'name' | 'order' | 'callsMax'> {
  readonly path: string;
  readonly answerByMs: number;
  readonly bodyNow: () => string | Promise<string>;
}

/** Posts to the API with the cached token or a new one. `refused`: M-PESA has not read the call. */
export function post(
  settings: MpesaSettings,
  { name, path, order, answerByMs, bodyNow, callsMax = 2 }: Call,
): Promise<RailAnswer | CallRefused> {
  const source = tokenSource(settings, () => Math.min(TOKEN_TIMEOUT_MS, remainingMs(answerByMs)));
  return tokens.call(source, {
    rail: RAIL_ID,
    name,
    order,
    send: async (token) =>
      postWithToken(settings, path, token, await bodyNow(), remainingMs(answerByMs)),
    isTokenRefused,
    codeIn,
    callsMax,
  });
}

export function postWithToken(
  settings: MpesaSettings,
  path: string,
  token: string,
  body: string,
  timeoutMs: number,
): Promise<RailAnswer> {
  const url = `${settings.baseUrl}${path}`;
  return postJson(settings, url, body, timeoutMs, { authorization: `Bearer ${token}` });
}

/** M-PESA refused the bearer token without reading the call, so a retry with another is safe. */
export function isTokenRefused(answer: RailAnswer): boolean {
  const meaning = meaningOfStatus(answer, STATUSES.mpesa);
  const { ResponseCode, errorCode } = jsonObject(answer.text) ?? {};
  return (
    meaning === 'token_refused' ||
    (meaning === 'answer' &&
      scalarOf(ResponseCode) === null &&
      TOKEN_ERROR_CODES.has(scalarOf(errorCode)))
  );
}

/** Whether M-PESA has accepted the call, whose result it reports later. */
export function isAccepted({ status, text }: RailAnswer): boolean {
  return status === 200 && scalarOf(jsonObject(text)?.ResponseCode) === SUCCESS_CODE;
}

/** The code in an answer, in any of its three formats, for the log and the operator. */
export function codeIn({ text }: RailAnswer): string | null {
  const fields = jsonObject(text);
  return scalarOf(fields?.ResponseCode ?? fields?.errorCode ?? fields?.resultCode);
}

/** At least 1 ms, because a timer cannot be set in the past. */
function remainingMs(answerByMs: number): number {
  return Math.max(1, answerByMs - Date.now());
}
