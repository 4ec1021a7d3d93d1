import { jsonObject, membersOf, minorOf, scalarOf } from '../members.ts';
import type { RailOrder } from '../rail-order.ts';
import { normalizedState } from '../setting-fields.ts';
import { SUCCESS_CODE } from './codes.ts';
import { type MpesaReading, parameterOf, receiptOf } from './json.ts';
import { logAnswer } from './log.ts';
import { PAID_STATE } from './settings.ts';

/** The result of a status query, in Kenya's format: no Ethiopian sample is public. */
interface StatusResult {
  readonly isFinal: boolean;
  readonly resultCode: string;
  readonly state: string | null;
  /** Undefined when it is absent; null when it is no amount. */
  readonly amountMinor: number | null | undefined;
  readonly receipt: string | null;
  /** What names the push: the occasion of our query, and M-PESA's ids of the transaction. */
  readonly occasion: string | null;
  readonly conversationIds: readonly (string | null)[];
}

/** What a result proves, and its code or state. */
export interface StatusReading {
  readonly reading: MpesaReading | { readonly type: 'inconclusive' };
  readonly code: string;
}

function parseStatusResult(text: string): StatusResult | null {
  const result = membersOf(jsonObject(text)?.Result);
  const resultCode = scalarOf(result?.ResultCode);
  if (result === null || resultCode === null) {
    return null;
  }
  const parameters = membersOf(result.ResultParameters)?.ResultParameter;
  const value = (name: string) => parameterOf(parameters, name);
  const amount = value('Amount');
  return {
    isFinal: scalarOf(result.ResultType) === SUCCESS_CODE,
    resultCode,
    state: scalarOf(value('TransactionStatus')),
    amountMinor: amount === undefined ? undefined : minorOf(amount),
    receipt: receiptOf(value('ReceiptNo')),
    occasion: scalarOf(parameterOf(membersOf(result.ReferenceData)?.ReferenceItem, 'Occasion')),
    conversationIds: ['OriginatorConversationID', 'ConversationID'].map((name) =>
      scalarOf(value(name)),
    ),
  };
}

/**
 * What a result proves about the order to whose URL it came. It is unsigned: besides the unguessable
 * URL it must name the push's CheckoutRequestID, which only M-PESA knows. A payment must have our
 * amount, a failure one of `failedStates`. Null for anything else, such as a push's callback.
 */
export function readStatusResult(
  text: string,
  order: RailOrder,
  failedStates: readonly string[],
): StatusReading | null {
  const result = parseStatusResult(text);
  if (result === null) {
    return null;
  }
  const reading = meaningOf(result, order, failedStates);
  const { resultCode, state } = result;
  const code = resultCode === SUCCESS_CODE ? (state ?? resultCode) : resultCode;
  if (reading.type !== 'outcome' || reading.outcome.type !== 'succeeded') {
    // M-PESA sends a result for each query: a warning is only what an operator must read.
    const level = reading.type === 'refused' ? 'warn' : 'info';
    logAnswer('result', order, { providerCode: code, level });
  }
  return { reading, code };
}

function meaningOf(
  { isFinal, resultCode, state, amountMinor, receipt, occasion, conversationIds }: StatusResult,
  { attempt: { railReference }, chargedMinor }: RailOrder,
  failedStates: readonly string[],
): StatusReading['reading'] {
  const isOther = occasion !== null && occasion !== '' && occasion !== railReference;
  if (isOther) {
    return { type: 'refused', suspicion: 'other_order' };
  }
  if (amountMinor !== undefined && amountMinor !== chargedMinor) {
    return { type: 'refused', suspicion: 'wrong_amount' };
  }
  if (!isFinal || resultCode !== SUCCESS_CODE || state === null) {
    return { type: 'inconclusive' };
  }
  const isPaid = normalizedState(state) === PAID_STATE;
  const isNamed = railReference !== null && [occasion, ...conversationIds].includes(railReference);
  if (isPaid) {
    return isNamed && amountMinor !== undefined
      ? { type: 'outcome', outcome: { type: 'succeeded', receipt } }
      : { type: 'refused', suspicion: 'not_confirmed' };
  }
  return isNamed && failedStates.includes(normalizedState(state))
    ? { type: 'outcome', outcome: { type: 'failed', reason: 'declined' } }
    : { type: 'inconclusive' };
}
