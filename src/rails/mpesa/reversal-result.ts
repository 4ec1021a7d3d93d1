import { bodyText, type CallbackCall, type CallbackSuspicion } from '../callback.ts';
import { jsonObject, membersOf, minorOf, scalarOf } from '../members.ts';
import { withProviderCode } from '../outcomes.ts';
import type { RefundAnswer, RefundOrder, RefundReading } from '../refund.ts';
import { SUCCESS_CODE } from './codes.ts';
import { acceptedReply, parameterOf, receiptOf, rejectedReply } from './json.ts';
import { logAnswer } from './log.ts';

/** The result of a reversal, in Kenya's format: no Ethiopian sample is public. */
interface ReversalResult {
  readonly isFinal: boolean;
  readonly resultCode: string;
  /** Our id of the request or M-PESA's, and M-PESA's second one. */
  readonly conversationIds: readonly (string | null)[];
  /** M-PESA's receipt of the reversal. */
  readonly receipt: string | null;
  /** The receipt of the payment; null when it is absent. */
  readonly paymentReceipt: string | null;
  /** Undefined when it is absent; null when it is no amount. */
  readonly amountMinor: number | null | undefined;
}

/**
 * Reads what M-PESA posts to a refund's URL. It is unsigned: besides the unguessable URL it must name
 * the request, by our reference or the id with which M-PESA accepted it, or the payment's receipt,
 * and contradict neither that receipt nor the amount.
 */
export function readReversalResult(call: CallbackCall, order: RefundOrder): RefundReading {
  const result = parseResult(bodyText(call));
  const suspicion = result === null ? 'unreadable' : suspicionOf(result, order);
  const providerCode = result?.resultCode ?? null;
  if (result === null || suspicion !== null) {
    logAnswer('reversal result', order.payment, { providerCode });
    return { type: 'refused', suspicion: suspicion ?? 'unreadable', reply: rejectedReply() };
  }
  const outcome = outcomeOf(result);
  if (outcome.type !== 'succeeded') {
    logAnswer('reversal result', order.payment, { providerCode });
  }
  return {
    type: 'outcome',
    outcome: withProviderCode(outcome, providerCode),
    reply: acceptedReply(),
  };
}

function parseResult(text: string): ReversalResult | null {
  const result = membersOf(jsonObject(text)?.Result);
  const resultCode = scalarOf(result?.ResultCode);
  if (result === null || resultCode === null) {
    return null;
  }
  const parameters = membersOf(result.ResultParameters)?.ResultParameter;
  const amount = parameterOf(parameters, 'Amount');
  return {
    isFinal: scalarOf(result.ResultType) === SUCCESS_CODE,
    resultCode,
    conversationIds: [scalarOf(result.OriginatorConversationID), scalarOf(result.ConversationID)],
    receipt: receiptOf(result.TransactionID),
    paymentReceipt: scalarOf(parameterOf(parameters, 'OriginalTransactionID')),
    amountMinor: amount === undefined ? undefined : minorOf(amount),
  };
}

function suspicionOf(result: ReversalResult, order: RefundOrder): CallbackSuspicion | null {
  const { conversationIds, receipt, paymentReceipt, amountMinor } = result;
  const { payment, refund } = order;
  if (paymentReceipt !== null && paymentReceipt !== payment.attempt.receipt) {
    return 'other_order';
  }
  if (amountMinor !== undefined && amountMinor !== refund.returnedMinor) {
    return 'wrong_amount';
  }
  // The receipt of the reversal becomes the reference once the refund has succeeded.
  const ids = [...conversationIds, receipt];
  const isNamed =
    ids.includes(refund.reference) ||
    (refund.railReference !== null && ids.includes(refund.railReference)) ||
    paymentReceipt !== null;
  if (isNamed) {
    return null;
  }
  return refund.railReference === null ? 'not_confirmed' : 'other_order';
}

function outcomeOf({ isFinal, resultCode, receipt }: ReversalResult): RefundAnswer {
  if (!isFinal) {
    return { type: 'unknown' };
  }
  return resultCode === SUCCESS_CODE
    ? { type: 'succeeded', railReference: receipt }
    : (OUTCOME_BY_RESULT_CODE.get(resultCode) ?? { type: 'unknown' });
}

/**
 * `ResultCode`s with which M-PESA certainly returned nothing, from Kenya's table for this call. Not in
 * it: R000001, "already reversed". The money was returned by other means, so an operator must look.
 */
const OUTCOME_BY_RESULT_CODE: ReadonlyMap<string, RefundAnswer> = new Map<string, RefundAnswer>([
  ['1', { type: 'failed', reason: 'insufficient_funds' }],
  // The receipt names no payment that can be reversed.
  ['R000002', { type: 'failed', reason: 'declined' }],
  // The short code's account is not active.
  ['11', { type: 'failed', reason: 'declined' }],
  ['2006', { type: 'failed', reason: 'declined' }],
  // The API operator lacks the role, or the short code the product.
  ['21', { type: 'requires_action', reason: 'not_enabled' }],
  ['2028', { type: 'requires_action', reason: 'not_enabled' }],
  // The API operator's name or password is wrong, or locked.
  ['2001', { type: 'failed', reason: 'misconfigured' }],
  ['8006', { type: 'failed', reason: 'misconfigured' }],
]);
