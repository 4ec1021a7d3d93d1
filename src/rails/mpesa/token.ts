import { base64FromBytes, utf8 } from '../../crypto/encoding.ts';
import { callRail, jsonObject, type RailAnswer } from '../call-rail.ts';
import type { RailLogEntry } from '../rail-log.ts';
import { TokenCache } from '../token-cache.ts';
import { codeText, TOKEN_REFUSAL_CODES } from './codes.ts';
import type { MpesaSettings } from './settings.ts';

/** A token must still be valid when the push arrives, so we do not use it in its last minute. */
const EXPIRY_MARGIN_MS = 60_000;

/** Without a token we sent no push, so no money can have moved. */
export type TokenResult =
  | { readonly type: 'token'; readonly token: string }
  | {
      readonly type: 'refused';
      readonly reason: 'misconfigured' | 'rail_unavailable';
      /** For the log. */
      readonly logFields: Pick<RailLogEntry, 'status' | 'providerCode'>;
    };

const tokens = new TokenCache();

/** A bearer token for pushes, from the cache while it is valid. */
export async function bearerToken(
  settings: MpesaSettings,
  timeoutMs: number,
): Promise<TokenResult> {
  const cached = tokens.get(accountOf(settings), Date.now());
  return cached === null ? requestToken(settings, timeoutMs) : { type: 'token', token: cached };
}

/** A new bearer token, also in place of a valid one. */
export async function requestToken(
  settings: MpesaSettings,
  timeoutMs: number,
): Promise<TokenResult> {
  const requestedAtMs = Date.now();
  const { consumerKey, consumerSecret, baseUrl } = settings;
  const credentials = base64FromBytes(utf8(`${consumerKey}:${consumerSecret}`));
  const answer = await callRail(
    `${baseUrl}/v1/token/generate?grant_type=client_credentials`,
    {
      method: 'GET',
      headers: { accept: 'application/json', authorization: `Basic ${credentials}` },
    },
    timeoutMs,
  );
  return readToken(settings, answer, requestedAtMs);
}

/** Drops a token that M-PESA refused. */
export function dropToken(settings: MpesaSettings, token: string): void {
  tokens.drop(accountOf(settings), token);
}

function readToken(
  settings: MpesaSettings,
  answer: RailAnswer,
  requestedAtMs: number,
): TokenResult {
  if (answer.type === 'no_answer') {
    return { type: 'refused', reason: 'rail_unavailable', logFields: { providerCode: null } };
  }
  const fields = jsonObject(answer.text);
  const token = fields?.access_token;
  // The token goes into a header, which could not carry anything else.
  if (answer.status === 200 && typeof token === 'string' && /^[!-~]{1,4096}$/.test(token)) {
    cacheToken(settings, token, fields?.expires_in, requestedAtMs);
    return { type: 'token', token };
  }
  const { status } = answer;
  const providerCode = codeText(fields?.resultCode);
  const isRefused = TOKEN_REFUSAL_CODES.has(providerCode) || [400, 401, 403].includes(status);
  const reason = isRefused ? 'misconfigured' : 'rail_unavailable';
  return { type: 'refused', reason, logFields: { status, providerCode } };
}

/** `expires_in` is a string of seconds here, a number elsewhere; without it we cache nothing. */
function cacheToken(
  settings: MpesaSettings,
  token: string,
  expiresIn: unknown,
  requestedAtMs: number,
): void {
  const seconds = /^\d{1,7}$/.exec(codeText(expiresIn) ?? '')?.[0];
  if (seconds !== undefined) {
    const usableUntilMs = Date.now() + Number(seconds) * 1_000 - EXPIRY_MARGIN_MS;
    tokens.store(accountOf(settings), token, usableUntilMs, requestedAtMs);
  }
}

function accountOf({ baseUrl, consumerKey, consumerSecret }: MpesaSettings): string {
  return JSON.stringify([baseUrl, consumerKey, consumerSecret]);
}
