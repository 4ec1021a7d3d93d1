import type { NoToken } from '../bearer-tokens.ts';
import { postJson, type RailAnswer } from '../call-rail.ts';
import type { MpesaSettings } from './settings.ts';
import { tokenSource, tokens } from './token.ts';

/** A slower token request leaves no time for the call itself. */
export const TOKEN_TIMEOUT_MS = 5_000;

/**
 * Posts to the API with the cached token or a new one, and reads the answer. `token_refused`: M-PESA
 * has not read the call. Without a token nothing is posted.
 */
export function post<Reading extends { readonly type: string }>(
  settings: MpesaSettings,
  path: string,
  answerByMs: number,
  bodyNow: () => string | Promise<string>,
  read: (answer: RailAnswer) => Reading,
  callsMax?: number,
): Promise<Reading | NoToken> {
  const source = tokenSource(settings, () => Math.min(TOKEN_TIMEOUT_MS, remainingMs(answerByMs)));
  return tokens.call(
    source,
    async (token) => {
      const headers = { authorization: `Bearer ${token}` };
      const url = `${settings.baseUrl}${path}`;
      return read(await postJson(url, await bodyNow(), remainingMs(answerByMs), headers));
    },
    (reading) => reading.type === 'token_refused',
    callsMax,
  );
}

/** At least 1 ms, because a timer cannot be set in the past. */
function remainingMs(answerByMs: number): number {
  return Math.max(1, answerByMs - Date.now());
}
