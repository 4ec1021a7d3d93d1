import { newReference, probing } from '../probe.ts';
import type { ProbeResult } from '../rail.ts';
import { INTERNAL_ERROR, OK, refusalReason } from './codes.ts';
import { readAcknowledgement, readResult } from './messages.ts';
import { postSoap, STATUS_COMMAND_ID, statusRequest } from './request.ts';
import type { TelebirrUssdSettings } from './settings.ts';
import { QUERY_TIMEOUT_MS } from './status-query.ts';

/** Whom CPS checks before it looks for the payment. */
const CALLER = ['thirdPartyId', 'password', 'operatorId', 'securityCredential', 'shortCode'];

/**
 * A status query about a payment that does not exist, because no form of the push is sure to prompt
 * no phone. Only the synchronous service understands it: without `statusQuery`, a SOAP fault of the
 * other one still shows that the relay reaches CPS.
 */
export async function probe(
  settings: TelebirrUssdSettings,
  resultUrl: string,
): Promise<ProbeResult> {
  const { relayUrl } = settings.statusQuery ?? settings;
  const queryId = newReference();
  const payment = { callbackUrl: resultUrl, reference: newReference() };
  const body = statusRequest(settings, payment, queryId, Date.now());
  const answer = await postSoap(settings, relayUrl, body, QUERY_TIMEOUT_MS);
  const { status, text } = answer;
  const result = readResult(text);
  const providerCode = result?.resultCode ?? readAcknowledgement(text)?.responseCode ?? null;
  const query = probing(STATUS_COMMAND_ID, status, providerCode);
  if (providerCode === null) {
    const isFault = /<(?:\w+:)?Fault[\s>]/.test(text);
    return isFault ? query('reached', CALLER) : query(undefined, ['relayUrl', 'relayHeaders']);
  }
  if (refusalReason(providerCode, settings) === 'misconfigured') {
    return query('refused', CALLER);
  }
  // CPS knows our query, and not the payment.
  const isAnswered =
    status === 200 &&
    result?.originatorConversationId === queryId &&
    [OK, INTERNAL_ERROR].includes(providerCode);
  // Payments may go another way than queries.
  const untried = relayUrl === settings.relayUrl ? [] : ['relayUrl'];
  return isAnswered ? query('accepted', untried) : query('reached', CALLER);
}
