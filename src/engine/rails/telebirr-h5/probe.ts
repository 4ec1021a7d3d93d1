import { jsonObject, scalarOf } from '../members.ts';
import { newReference, probedNoToken, probing, REFUSING_STATUSES } from '../probe.ts';
import type { ProbeResult } from '../rail.ts';
import { codeIn, isOwnCode, refusalReason, SUCCESS_CODES } from './answers.ts';
import { sendWithToken, tokenSource, tokens } from './client.ts';
import { queryOrderContent } from './messages.ts';
import { appSettingsIn, type TelebirrH5Settings } from './settings.ts';
import type { Sign, Verify } from './signature.ts';

const PUBLIC_KEY = 'telebirrPublicKey';

/** The settings that a code of telebirr's complains about. */
const SETTINGS: Readonly<Record<string, readonly string[]>> = {
  '60200099': ['merchantPrivateKey', 'signatureScheme'],
  '60200087': ['merchantCode'],
  '60200098': ['merchantAppId', 'merchantCode'],
  '401': ['fabricAppId', 'appSecret'],
  '49401024995': ['merchantAppId', 'fabricAppId'],
  '49401026001': ['apiBaseUrl'],
};

/** What telebirr checks before it looks for the order. */
const ACCOUNT = ['merchantAppId', 'merchantCode', 'merchantPrivateKey'];

/**
 * A new token, then `queryOrder` about an order that does not exist: telebirr reads it only after the
 * signature. Its answer must have telebirr's own signature, if it has any. A refusal without one proves
 * nothing: telebirr publishes no code for an unknown order, so any code may be about the account.
 */
export async function probe(
  settings: TelebirrH5Settings,
  sign: Sign,
  verify: Verify,
): Promise<ProbeResult> {
  const timeoutMs = () => settings.callTimeoutMs;
  const token = await tokens.fresh(tokenSource(settings, timeoutMs));
  if (token.type === 'no_token') {
    return probedNoToken(token, ['fabricAppId', 'appSecret', 'apiBaseUrl']);
  }
  const answer = await sendWithToken(
    { settings, sign },
    'queryOrder',
    queryOrderContent(settings, { attempt: { reference: newReference() } }),
    token.token,
    timeoutMs,
  );
  if ('type' in answer) {
    return probing('queryOrder', null)('refused', ['merchantPrivateKey']);
  }
  const providerCode = codeIn(answer);
  const query = probing('queryOrder', answer.status, providerCode);
  const message = jsonObject(answer.text);
  if (message === null || providerCode === null || !isOwnCode(providerCode)) {
    return query();
  }
  const refusal = refusalReason(providerCode, answer.status);
  const status = answer.status ?? 0;
  if (refusal === 'misconfigured' || REFUSING_STATUSES.includes(status)) {
    return query('refused', SETTINGS[providerCode]);
  }
  if (refusal !== undefined || status >= 500) {
    return query('reached');
  }
  const isSigned = scalarOf(message.sign) !== null;
  if (isSigned && !(await verify(message))) {
    // With this key, each notification would be refused as not authentic.
    return query('refused', [PUBLIC_KEY]);
  }
  return isSigned || SUCCESS_CODES.has(providerCode)
    ? query('accepted', [
        ...(isSigned ? [] : [PUBLIC_KEY]),
        'webPageUrl',
        // Only an order would show whether the account is subscribed to them.
        ...appSettingsIn(settings),
      ])
    : query('reached', ACCOUNT);
}
