import { callRail, type RailAnswer } from '../call-rail.ts';
import type { MpesaSettings } from './settings.ts';
import { bearerToken, type TokenResult } from './token.ts';

/** A slower token request leaves no time for the call itself. */
export const TOKEN_TIMEOUT_MS = 5_000;

export type Posted =
  | { readonly type: 'answered'; readonly answer: RailAnswer; readonly token: string }
  /** Without a token nothing was posted. */
  | ({ readonly type: 'no_token' } & Omit<
      Extract<TokenResult, { readonly type: 'refused' }>,
      'type'
    >);

/** Posts to the API with the cached token or a new one. */
export async function post(
  settings: MpesaSettings,
  path: string,
  answerByMs: number,
  bodyNow: () => Promise<string>,
): Promise<Posted> {
  const token = await bearerToken(settings, Math.min(TOKEN_TIMEOUT_MS, remainingMs(answerByMs)));
  if (token.type === 'refused') {
    return { ...token, type: 'no_token' };
  }
  const answer = await callRail(
    `${settings.baseUrl}${path}`,
    {
      method: 'POST',
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${token.token}`,
        'content-type': 'application/json',
      },
      body: await bodyNow(),
    },
    remainingMs(answerByMs),
  );
  return { type: 'answered', answer, token: token.token };
}

/** At least 1 ms, because a timer cannot be set in the past. */
function remainingMs(answerByMs: number): number {
  return Math.max(1, answerByMs - Date.now());
}
