import type { Outcome } from '../../domain/attempt.ts';
import { minorOf } from '../members.ts';
import { unknownUntilQuery, withProviderCode } from '../outcomes.ts';
import { newReference } from '../probe.ts';
import { logRailAnswer } from '../rail-log.ts';
import type { RailOrder } from '../rail-order.ts';
import { normalizedState } from '../setting-fields.ts';
import { OK } from './codes.ts';
import { type CpsResult, codeOf, readResult } from './messages.ts';
import { postSoap, STATUS_COMMAND_ID, statusRequest } from './request.ts';
import { PAID_STATE, RAIL_ID, type TelebirrUssdSettings } from './settings.ts';

export const QUERY_TIMEOUT_MS = 15_000;

type StatusQuerySettings = NonNullable<TelebirrUssdSettings['statusQuery']>;

/** Asks CPS's synchronous service about `order`. An answer that we do not understand is unknown. */
export async function queryStatus(
  settings: TelebirrUssdSettings,
  { relayUrl, failedStates }: StatusQuerySettings,
  order: RailOrder,
  nowMs: number,
): Promise<Outcome> {
  const { reference } = order.attempt;
  const queryId = newReference();
  const payment = { callbackUrl: order.callbackUrl, reference };
  const body = statusRequest(settings, payment, queryId, nowMs);
  const answer = await postSoap(settings, relayUrl, body, QUERY_TIMEOUT_MS);
  const { status } = answer;
  const result = status === 200 ? readResult(answer.text) : null;
  const isOurs = result !== null && isAbout(result, order, queryId);
  const proved = isOurs ? provedBy(result, failedStates) : null;
  const providerCode = result && codeOf(result);
  if (proved?.type !== 'succeeded') {
    // CPS answers with a code while it does not know the transaction yet.
    const level = isOurs ? 'info' : 'warn';
    logRailAnswer(RAIL_ID, STATUS_COMMAND_ID, order, { status, providerCode, level });
  }
  const outcome = proved ?? unknownUntilQuery(order, nowMs);
  return withProviderCode(outcome, isOurs ? providerCode : null);
}

/**
 * Whether the result answers our query. CPS names the query, whose id no other request has, and not
 * the payment or its amount; if it does name them, they must be ours.
 */
function isAbout(
  { originatorConversationId, originalConversationId, amount }: CpsResult,
  { attempt, chargedMinor }: RailOrder,
  queryId: string,
): boolean {
  return (
    originatorConversationId === queryId &&
    (originalConversationId === null || originalConversationId === attempt.reference) &&
    (amount === null || minorOf(amount) === chargedMinor)
  );
}

/** A payment must name its receipt. */
function provedBy(
  { resultType, resultCode, transactionStatus, receipt }: CpsResult,
  failedStates: readonly string[],
): Outcome | null {
  if (resultType !== OK || resultCode !== OK || transactionStatus === null) {
    return null;
  }
  const state = normalizedState(transactionStatus);
  if (state === PAID_STATE) {
    return receipt === null ? null : { type: 'succeeded', receipt };
  }
  return failedStates.includes(state) ? { type: 'failed', reason: 'declined' } : null;
}
