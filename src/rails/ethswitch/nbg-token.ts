import type { FailureReason } from '../../domain/intent.ts';
import { callRail, jsonObject } from '../call-rail.ts';
import { TokenCache } from '../token-cache.ts';
import type { NbgSettings } from './settings.ts';
import { integerOf } from './wire.ts';

export type Login =
  | { readonly type: 'token'; readonly token: string }
  /** No token, so no order either. `status`: HTTP status; undefined when no answer came. */
  | { readonly type: 'refused'; readonly reason: FailureReason; readonly status?: number };

/** The share of its lifetime in which we use a token: it must still be valid on arrival. */
const USABLE_SHARE = 0.9;

const tokens = new TokenCache();

/** A valid token, from the cache or by `POST /user/auth/login`. */
export async function nbgToken(settings: NbgSettings, timeoutMs: number): Promise<Login> {
  const known = tokens.get(accountOf(settings), Date.now());
  return known === null ? requestNbgToken(settings, timeoutMs) : { type: 'token', token: known };
}

/** A new token, also in place of a valid one. */
export async function requestNbgToken(settings: NbgSettings, timeoutMs: number): Promise<Login> {
  const requestedAtMs = Date.now();
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
  // A header could not carry anything else.
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) {
    return { type: 'refused', reason: 'rail_unavailable', status };
  }
  const lifetimeMs = (integerOf(body?.expires_in) ?? 0) * 1_000;
  if (lifetimeMs > 0) {
    const expiresAtMs = requestedAtMs + lifetimeMs * USABLE_SHARE;
    tokens.store(accountOf(settings), token, expiresAtMs, requestedAtMs);
  }
  return { type: 'token', token };
}

/** Drops a token that NBG refused. */
export function dropNbgToken(settings: NbgSettings, token: string): void {
  tokens.drop(accountOf(settings), token);
}

/** Timeout or too many requests: the request itself is not wrong. */
export function isBusy(status: number): boolean {
  return status === 408 || status === 429;
}

function accountOf({ baseUrl, username, password }: NbgSettings): string {
  return JSON.stringify([baseUrl, username, password]);
}
