import { base64FromBytes, utf8 } from '../../crypto/encoding.ts';
import { BearerTokens, type FreshToken, type TokenSource } from '../bearer-tokens.ts';
import { callRail, type RailAnswer } from '../call-rail.ts';
import { jsonObject, scalarOf } from '../members.ts';
import type { RailLogEntry } from '../rail-log.ts';
import { meaningOfStatus, STATUSES } from '../statuses.ts';
import { TOKEN_REFUSAL_CODES } from './codes.ts';
import type { MpesaSettings } from './settings.ts';

/** A token must still be valid when the push arrives, so we do not use it in its last minute. */
const EXPIRY_MARGIN_MS = 60_000;

/** Without a token we sent no push, so no money can have moved. */
export interface NoToken {
  readonly type: 'no_token';
  readonly reason: 'misconfigured' | 'rail_unavailable';
  /** For the log. */
  readonly logFields: Pick<RailLogEntry, 'status' | 'providerCode'>;
}

export const tokens = new BearerTokens<NoToken>();

export function tokenSource(
  { baseUrl, consumerKey, consumerSecret }: MpesaSettings,
  timeoutMs: () => number,
): TokenSource<NoToken> {
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
  if (answer.type === 'no_answer') {
    return { type: 'no_token', reason: 'rail_unavailable', logFields: { providerCode: null } };
  }
  const fields = jsonObject(answer.text);
  const token = fields?.access_token;
  const meaning = meaningOfStatus(answer, STATUSES.mpesaToken);
  // The token goes into a header, which could not carry anything else.
  if (meaning === 'answer' && typeof token === 'string' && /^[!-~]{1,4096}$/.test(token)) {
    return { type: 'token', token, usableUntilMs: usableUntilMs(fields?.expires_in) };
  }
  const providerCode = scalarOf(fields?.resultCode);
  const isRefused = TOKEN_REFUSAL_CODES.has(providerCode) || meaning === 'unread';
  const reason = isRefused ? 'misconfigured' : 'rail_unavailable';
  return { type: 'no_token', reason, logFields: { status: answer.status, providerCode } };
}

/** `expires_in` is a string of seconds here, a number elsewhere; without it we cache nothing. */
function usableUntilMs(expiresIn: unknown): number {
  const seconds = /^\d{1,7}$/.exec(scalarOf(expiresIn) ?? '')?.[0];
  return seconds === undefined ? 0 : Date.now() + Number(seconds) * 1_000 - EXPIRY_MARGIN_MS;
}
