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
import { phoneToPrompt, promptPlan, slowPromptPlan, walletRules } from '../phone-prompt.ts';
import type { Rail, StartResult } from '../rail.ts';
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
import { PHONE_PREFIXES, RAIL_ID, type TelebirrUssdSettings } from './settings.ts';

/** telebirr acknowledges before it prompts the customer. Other clients wait up to 30 s. */
const START_TIMEOUT_MS = 20_000;

/** CPS's own time after the customer's, to book the payment and answer. */
const RESULT_TIME_MS = 30_000;

/** With default settings. */
export const TELEBIRR_USSD_RULES = walletRules(PHONE_PREFIXES);

/**
 * telebirr's USSD push: CPS, the engine behind telebirr, prompts for the PIN on the customer's phone
 * and posts the result. Where the operator says so, it answers only after the customer has acted, with
 * the result. Its synchronous service also answers status queries, if the operator has turned them on.
 */
export function telebirrUssdRail(settings: TelebirrUssdSettings) {
  const { statusQuery, waitsForResult } = settings;
  // The request cannot shorten the prompt.
  const promptMs = settings.promptWindowSeconds * 1_000;
  const startTimeoutMs = waitsForResult ? promptMs + RESULT_TIME_MS : START_TIMEOUT_MS;
  const rules = walletRules(settings.phonePrefixes);
  return {
    id: RAIL_ID,
    ...rules,
    startTimeoutMs,
    ...(waitsForResult && { startWaitsForCustomer: true as const }),

    plan: (terms, _method, nowMs) =>
      waitsForResult
        ? slowPromptPlan(terms, nowMs)
        : promptPlan(nowMs, promptMs, statusQuery !== undefined),

    async start(order): Promise<StartResult> {
      const phone = phoneToPrompt(rules, order);
      if (typeof phone !== 'string') {
        return phone;
      }
      const body = paymentRequest(settings, order, phone, Date.now());
      const answer = await postSoap(settings, settings.relayUrl, body, startTimeoutMs);
      const { result, providerCode, isOurs } = startAnswer(answer, order, settings);
      if (result.type !== 'accepted' && result.type !== 'resolved') {
        const { status } = answer;
        const level = logLevel(providerCode, 'reason' in result ? result.reason : null, settings);
        logRailAnswer(RAIL_ID, COMMAND_ID, order, { status, providerCode, level });
      }
      return result.type === 'resolved'
        ? { ...result, outcome: withProviderCode(result.outcome, providerCode) }
        : withProviderCode(result, isOurs ? providerCode : null);
    },

    async readCallback(call, order): Promise<CallbackReading> {
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
    },

    probe: async (resultUrl) => (await import('./probe.ts')).probe(settings, resultUrl),

    ...(statusQuery !== undefined && {
      query: async (order: RailOrder, nowMs: number) =>
        (await import('./status-query.ts')).queryStatus(settings, statusQuery, order, nowMs),
    }),
  } satisfies Rail;
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
