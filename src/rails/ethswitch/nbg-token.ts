import type { FailureReason } from '../../domain/intent.ts';
import { BearerTokens, type FreshToken, type TokenSource } from '../bearer-tokens.ts';
import { callRail, type RailAnswer } from '../call-rail.ts';
import { integerOf, jsonObject } from '../members.ts';
import { meaningOfStatus, STATUSES } from '../statuses.ts';
import type { NbgSettings } from './settings.ts';

/** No token, so no order either. */
export interface NoLogin {
  readonly type: 'no_login';
  readonly reason: FailureReason;
  /** HTTP status; undefined when no answer came. */
  readonly status?: number;
}

/** The share of its lifetime in which we use a token: it must still be valid on arrival. */
const USABLE_SHARE = 0.9;

export const tokens = new BearerTokens<NoLogin>();

/** `POST /user/auth/login`. */
export function tokenSource(
  { baseUrl, username, password }: NbgSettings,
  timeoutMs: () => number,
): TokenSource<NoLogin> {
  return {
    account: JSON.stringify([baseUrl, username, password]),
    async request() {
      const requestedAtMs = Date.now();
      const leftMs = timeoutMs();
      if (leftMs <= 0) {
        return { type: 'no_login', reason: 'rail_unavailable' };
      }
      const headers = { 'content-type': 'application/json', accept: 'application/json' };
      const body = JSON.stringify({ username, password });
      const request = { method: 'POST', headers, body } as const;
      return readLogin(
        await callRail(`${baseUrl}/user/auth/login`, request, leftMs),
        requestedAtMs,
      );
    },
  };
}

function readLogin(answer: RailAnswer, requestedAtMs: number): FreshToken | NoLogin {
  if (answer.type === 'no_answer') {
    return { type: 'no_login', reason: 'rail_unavailable' };
  }
  const { status } = answer;
  const meaning = meaningOfStatus(answer, STATUSES.nbgLogin);
  const body = jsonObject(answer.text);
  const token = body?.access_token;
  // A header could not carry anything else.
  if (meaning !== 'answer' || typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) {
    const reason = meaning === 'unread' ? 'misconfigured' : 'rail_unavailable';
    return { type: 'no_login', reason, status };
  }
  const lifetimeMs = (integerOf(body?.expires_in) ?? 0) * 1_000;
  return { type: 'token', token, usableUntilMs: requestedAtMs + lifetimeMs * USABLE_SHARE };
}
