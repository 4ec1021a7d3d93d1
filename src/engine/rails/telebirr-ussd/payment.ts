import type { Outcome } from '../../domain/attempt.ts';
import type { RailAnswer } from '../call-rail.ts';
import {
  bodyText,
  type CallbackCall,
  type CallbackReading,
  type CallbackSuspicion,
  isSecret,
  refusedCallback,
} from '../callback.ts';
import { withProviderCode } from '../outcomes.ts';
import type { StartResult } from '../rail.ts';
import { logRailAnswer } from '../rail-log.ts';
import type { RailOrder } from '../rail-order.ts';
import { meaningOfStatus, STATUSES, type StatusMeaning } from '../statuses.ts';
import { failureReason, logLevel, OK, refusalReason } from './codes.ts';
import {
  type Acknowledgement,
  type CpsResult,
  codeOf,
  readAcknowledgement,
  readResult,
  resultReply,
} from './messages.ts';
import { COMMAND_ID, paymentRequest, postSoap } from './request.ts';
import { RAIL_ID, type TelebirrUssdSettings } from './settings.ts';

/** Prompts the customer's phone. */
export async function startPayment(
  settings: TelebirrUssdSettings,
  order: RailOrder,
  phone: string,
  timeoutMs: number,
): Promise<StartResult> {
  const body = paymentRequest(settings, order, phone, Date.now());
  const answer = await postSoap(settings, settings.relayUrl, body, timeoutMs);
  const { result, providerCode, isOurs } = startAnswer(answer, order, settings);
  if (result.type !== 'accepted' && result.type !== 'resolved') {
    const { status } = answer;
    const level = logLevel(providerCode, 'reason' in result ? result.reason : null, settings);
    logRailAnswer(RAIL_ID, COMMAND_ID, order, { status, providerCode, level });
  }
  return result.type === 'resolved'
    ? { ...result, outcome: withProviderCode(result.outcome, providerCode) }
    : withProviderCode(result, isOurs ? providerCode : null);
}

/** What telebirr reports about the payment. */
export async function readCallback(
  settings: TelebirrUssdSettings,
  call: CallbackCall,
  order: RailOrder,
): Promise<CallbackReading> {
  if (!(await cameThroughRelay(call, settings))) {
    return refused('not_authentic');
  }
  const result = readResult(bodyText(call));
  if (result === null) {
    return refused('unreadable');
  }
  if (!isAbout(result, order)) {
    return refused('other_order');
  }
  const outcome = outcomeOf(result, settings);
  const providerCode = codeOf(result);
  if (outcome?.type !== 'succeeded') {
    const level = logLevel(providerCode, outcome?.reason ?? null, settings);
    logRailAnswer(RAIL_ID, 'callback', order, { providerCode, level });
  }
  if (outcome === null) {
    return refused('unknown_state');
  }
  return {
    type: 'outcome',
    outcome: withProviderCode(outcome, providerCode),
    reply: resultReply(200, result, OK, 'Accept the service result successfully.'),
  };
}

/** The answer to a request: an acknowledgement, or a result, with which CPS may also refuse. */
function startAnswer(answer: RailAnswer, order: RailOrder, settings: TelebirrUssdSettings) {
  const meaning = meaningOfStatus(answer, STATUSES.telebirrUssd);
  const result = readResult(answer.text);
  const acknowledgement = result === null ? readAcknowledgement(answer.text) : null;
  const named = (result ?? acknowledgement)?.originatorConversationId;
  // telebirr omits the reference when it refuses a request unread.
  const isOurs = named === '' || named === order.attempt.reference;
  return {
    result:
      result === null
        ? startResult(meaning, isOurs ? acknowledgement : null, settings)
        : resultInAnswer(meaning, isOurs ? result : null, settings),
    providerCode: result === null ? (acknowledgement?.responseCode ?? null) : codeOf(result),
    isOurs,
  };
}

/**
 * What a result in the answer to a request proves; null: about another one. It may lack our reference,
 * because it came on our own connection. A payment must name its transaction: without one, success
 * may only mean that telebirr has sent the prompt.
 */
function resultInAnswer(
  meaning: StatusMeaning,
  result: CpsResult | null,
  settings: TelebirrUssdSettings,
): StartResult {
  const outcome = meaning === 'answer' && result ? outcomeOf(result, settings) : null;
  if (outcome?.type === 'failed') {
    return { type: 'refused', reason: outcome.reason };
  }
  return outcome?.receipt ? { type: 'resolved', outcome } : { type: 'unknown' };
}

/**
 * What the answer to a request proves. Only telebirr's own code for this order proves anything:
 * `acknowledgement` is null when the answer has none.
 */
function startResult(
  meaning: StatusMeaning,
  acknowledgement: Acknowledgement | null,
  settings: TelebirrUssdSettings,
): StartResult {
  const reason =
    acknowledgement === null ? null : refusalReason(acknowledgement.responseCode, settings);
  if (meaning === 'unread') {
    // If telebirr acknowledges the order without refusing it, the relay passed it on all the same.
    return acknowledgement === null || reason !== null
      ? { type: 'refused', reason: 'misconfigured' }
      : { type: 'unknown' };
  }
  if (meaning !== 'answer' || acknowledgement === null) {
    return { type: 'unknown' };
  }
  const { responseCode, serviceStatus, conversationId } = acknowledgement;
  if (responseCode === OK && serviceStatus === OK) {
    return { type: 'accepted', redirectUrl: null, railReference: conversationId };
  }
  return reason === null ? { type: 'unknown' } : { type: 'refused', reason };
}

/** Compares telebirr's id only once we know it: a result may overtake its acknowledgement. */
function isAbout(
  { originatorConversationId, conversationId }: CpsResult,
  { attempt }: RailOrder,
): boolean {
  return (
    originatorConversationId === attempt.reference &&
    (attempt.railReference === null || attempt.railReference === conversationId)
  );
}

type ProvedOutcome = Exclude<Outcome, { readonly type: 'unknown' }>;

/** What a result proves, or null when it is not final or has a code that we do not know. */
function outcomeOf(
  { resultType, resultCode, transactionId }: CpsResult,
  settings: TelebirrUssdSettings,
): ProvedOutcome | null {
  // Any other type announces a later result.
  if (resultType !== OK) {
    return null;
  }
  if (resultCode === OK) {
    return { type: 'succeeded', receipt: transactionId };
  }
  const reason = failureReason(resultCode, settings);
  return reason === null ? null : { type: 'failed', reason };
}

async function cameThroughRelay(
  { headers }: CallbackCall,
  { resultToken }: TelebirrUssdSettings,
): Promise<boolean> {
  return resultToken === null || isSecret(headers.authorization ?? '', `Bearer ${resultToken}`);
}

function refused(suspicion: CallbackSuspicion): CallbackReading {
  const status = suspicion === 'not_authentic' ? 401 : 400;
  const reply = resultReply(status, null, REFUSED, 'The result is not accepted.');
  return refusedCallback(suspicion, reply);
}

/** Any code but 0 refuses. */
const REFUSED = '1';
