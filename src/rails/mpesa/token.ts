import { base64FromBytes, utf8 } from '../../crypto/encoding.ts';
import { BearerTokens, type FreshToken, type NoToken, type TokenSource } from '../bearer-tokens.ts';
import { callRail, type RailAnswer } from '../call-rail.ts';
import { jsonObject, matching, scalarOf } from '../members.ts';
import { meaningOfStatus, STATUSES } from '../statuses.ts';
import { TOKEN_REFUSAL_CODES } from './codes.ts';
import type { MpesaSettings } from './settings.ts';

/** A token must still be valid when the push arrives, so we do not use it in its last minute. */
const EXPIRY_MARGIN_MS = 60_000;

export const tokens = new BearerTokens();

export function tokenSource(
  { baseUrl, consumerKey, consumerSecret }: MpesaSettings,
  timeoutMs: () => number,
): TokenSource {
  return {
    account: JSON.stringify([baseUrl, consumerKey, consumerSecret]),
    async request() {
      const credentials = base64FromBytes(utf8(`${consumerKey}:${consumerSecret}`));
      const headers = { accept: 'application/json', authorization: `Basic ${credentials}` };
      const url = `${baseUrl}/v1/token/generate?grant_type=client_credentials`;
      return readToken(await callRail(url, { method: 'GET', headers }, timeoutMs()));
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
