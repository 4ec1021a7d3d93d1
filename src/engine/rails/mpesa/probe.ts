import { probedNoToken, probing } from '../probe.ts';
import type { ProbeResult } from '../rail.ts';
import {
  codeIn,
  isAccepted,
  isTokenRefused,
  postWithToken,
  TOKEN_TIMEOUT_MS,
  tokenSource,
  tokens,
} from './api.ts';
import { REFUSAL_BY_ERROR_CODE } from './codes.ts';
import type { MpesaSettings } from './settings.ts';
import { QUERY_TIMEOUT_MS, STATUS_PATH, statusBody } from './status.ts';

/** The id of a push that does not exist: real ones begin with the date. */
const NO_PUSH = `ws_CO_${'0'.repeat(25)}`;

/** "Resource not found": the app lacks this API. */
const NO_API = '404.001.01';

/**
 * A new token, and if status queries are on, one about a push that does not exist, whose result comes
 * to `resultUrl`. Only a push, which may prompt a phone, proves short code and passkey.
 */
export async function probe(settings: MpesaSettings, resultUrl: string): Promise<ProbeResult> {
  const token = await tokens.fresh(tokenSource(settings, () => TOKEN_TIMEOUT_MS));
  if (token.type === 'no_token') {
    return probedNoToken(token, ['consumerKey', 'consumerSecret', 'baseUrl']);
  }
  const { statusQuery } = settings;
  const unproved = ['shortcode', 'passkey'];
  if (statusQuery === undefined) {
    return probing('token', 200)('accepted', unproved);
  }
  const body = statusBody(settings, statusQuery, { callbackUrl: resultUrl }, NO_PUSH);
  const answer = await postWithToken(settings, STATUS_PATH, token.token, body, QUERY_TIMEOUT_MS);
  const providerCode = codeIn(answer);
  const query = probing('transactionstatus', answer.status, providerCode);
  if (isAccepted(answer)) {
    return query('accepted', [...unproved, 'statusQuery']);
  }
  const isRefused =
    isTokenRefused(answer) ||
    providerCode === NO_API ||
    REFUSAL_BY_ERROR_CODE.get(providerCode ?? '') === 'misconfigured';
  return query(isRefused ? 'refused' : undefined, ['statusQuery']);
}
