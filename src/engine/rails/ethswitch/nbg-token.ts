import { BearerTokens, type FreshToken, type NoToken, type TokenSource } from '../bearer-tokens.ts';
import { NO_ANSWER, postJson, type RailAnswer } from '../call-rail.ts';
import { integerOf, jsonObject, matching } from '../members.ts';
import { meaningOfStatus, STATUSES } from '../statuses.ts';
import type { NbgSettings } from './settings.ts';

/** The share of its lifetime in which we use a token: it must still be valid on arrival. */
const USABLE_SHARE = 0.9;

export const tokens = new BearerTokens();

/** `POST /user/auth/login`. */
export function tokenSource(
  { baseUrl, username, password, through }: NbgSettings,
  timeoutMs: () => number,
): TokenSource {
  return {
    call: 'login',
    account: JSON.stringify([baseUrl, username, password, through?.name]),
    async request() {
      const requestedAtMs = Date.now();
      const leftMs = timeoutMs();
      const url = `${baseUrl}/user/auth/login`;
      const login = () => postJson({ through }, url, { username, password }, leftMs);
      return readLogin(leftMs <= 0 ? NO_ANSWER : await login(), requestedAtMs);
    },
  };
}

function readLogin(answer: RailAnswer, requestedAtMs: number): FreshToken | NoToken {
  const meaning = meaningOfStatus(answer, STATUSES.nbgLogin);
  const body = jsonObject(answer.text);
  // A header could not carry anything else.
  const token = matching(body?.access_token, /^[!-~]+$/);
  if (meaning !== 'answer' || token === null) {
    const reason = meaning === 'unread' ? 'misconfigured' : 'rail_unavailable';
    return { type: 'no_token', reason, status: answer.status, providerCode: null };
  }
  const lifetimeMs = (integerOf(body?.expires_in) ?? 0) * 1_000;
  return { type: 'token', token, usableUntilMs: requestedAtMs + lifetimeMs * USABLE_SHARE };
}
