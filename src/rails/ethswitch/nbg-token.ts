import type { FailureReason } from '../../domain/intent.ts';
import { callRail, jsonObject } from '../call-rail.ts';
import { TokenCache } from '../token-cache.ts';
import type { NbgSettings } from './settings.ts';
import { integerOf } from './wire.ts';

export type Login =
  | { readonly type: 'token'; readonly token: string }
  /** No token, so no order either. `status`: of HTTP; undefined when no answer came. */
  | { readonly type: 'refused'; readonly reason: FailureReason; readonly status?: number };

/** The part of its life in which a token is used: it must still be good when it arrives. */
const USABLE_SHARE = 0.9;

const tokens = new TokenCache();

/** A token that is good now: remembered, or by `POST /user/auth/login`. */
export async function nbgToken(settings: NbgSettings, timeoutMs: number): Promise<Login> {
  const requestedAtMs = Date.now();
  const known = tokens.get(accountOf(settings), requestedAtMs);
  if (known !== null) {
    return { type: 'token', token: known };
  }
  const { username, password } = settings;
  const answer = await callRail(
    `${settings.baseUrl}/user/auth/login`,
    {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ username, password }),
    },
    timeoutMs,
  );
  if (answer.type === 'no_answer') {
    return { type: 'refused', reason: 'rail_unavailable' };
  }
  const { status } = answer;
  if (status >= 400) {
    const isTemporary = status >= 500 || isBusy(status);
    return { type: 'refused', reason: isTemporary ? 'rail_unavailable' : 'misconfigured', status };
  }
  const body = jsonObject(answer.text);
  const token = body?.access_token;
  // What a header cannot carry is no token.
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) {
    return { type: 'refused', reason: 'rail_unavailable', status };
  }
  const lifetimeMs = (integerOf(body?.expires_in) ?? 0) * 1_000;
  if (lifetimeMs > 0) {
    const expiresAtMs = requestedAtMs + lifetimeMs * USABLE_SHARE;
    tokens.keep(accountOf(settings), token, expiresAtMs, requestedAtMs);
  }
  return { type: 'token', token };
}

/** The provider has refused the token. */
export function forgetNbgToken(settings: NbgSettings, token: string): void {
  tokens.forget(accountOf(settings), token);
}

/** Too slow or too many: nothing is wrong with the request. */
export function isBusy(status: number): boolean {
  return status === 408 || status === 429;
}

function accountOf({ baseUrl, username, password }: NbgSettings): string {
  return JSON.stringify([baseUrl, username, password]);
}
