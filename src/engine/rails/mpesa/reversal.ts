import type { RailAnswer } from '../call-rail.ts';
import { bodyText, type CallbackCall, type CallbackSuspicion } from '../callback.ts';
import { jsonObject, type Members, matching, scalarOf } from '../members.ts';
import { withProviderCode } from '../outcomes.ts';
import { logRailAnswer } from '../rail-log.ts';
import type { RefundAnswer, RefundOrder, RefundReading } from '../refund.ts';
import { meaningOfStatus, STATUSES } from '../statuses.ts';
import { codeIn, isAccepted, post } from './api.ts';
import { ACCEPTED, REJECTED, receiptOf } from './callback.ts';
import { SUCCESS_CODE, TOKEN_REFUSAL_CODES } from './codes.ts';
import { amountText } from './push.ts';
import { type MpesaResult, resultIn } from './result.ts';
import { type MpesaSettings, RAIL_ID } from './settings.ts';

const REVERSAL_PATH = '/mpesa/reversal/v2/request';

/** Token and reversal together. M-PESA only accepts the reversal; its result comes later. */
const REVERSAL_TIMEOUT_MS = 20_000;

/** Longest id of M-PESA's that we store; a real one has about 40 characters. */
const CONVERSATION_ID = /^[!-~]{1,128}$/;

export type RefundSettings = NonNullable<MpesaSettings['refunds']>;

/**
 * Asks M-PESA to reverse the payment with the receipt that its callback named. The odd spellings are
 * M-PESA's.
 */
export async function reverse(
  settings: MpesaSettings,
  refunds: RefundSettings,
  order: RefundOrder,
): Promise<RefundAnswer> {
  const { receipt } = order.payment.attempt;
  if (receipt === null) {
    return { type: 'requires_action', reason: 'not_supported' };
  }
  const answer = await post(settings, {
    name: 'reversal',
    path: REVERSAL_PATH,
    order: order.payment,
    answerByMs: Date.now() + REVERSAL_TIMEOUT_MS,
    bodyNow: () => reversalBody(settings, refunds, order, receipt),
  });
  if ('type' in answer) {
    return { ...answer, type: 'failed' };
  }
  const result = readReversal(answer, order.refund.reference);
  const providerCode = codeIn(answer);
  if (result.type !== 'unknown' || result.railReference === undefined) {
    logRailAnswer(RAIL_ID, 'reversal', order.payment, { status: answer.status, providerCode });
  }
  return withProviderCode(result, providerCode);
}

/** The body of a reversal. */
export function reversalBody(
  { shortcode }: Pick<MpesaSettings, 'shortcode'>,
  { initiator, securityCredential, receiverParty }: RefundSettings,
  { payment: { attempt }, refund, callbackUrl }: RefundOrder,
  receipt: string,
): string {
  const { railReference, phone } = attempt;
  return JSON.stringify({
    OriginatorConversationID: refund.reference,
    Initiator: initiator,
    SecurityCredential: securityCredential,
    CommandID: 'TransactionReversal',
    TransactionID: receipt,
    Amount: amountText(refund.returnedMinor),
    ...(railReference !== null && { OriginalConcersationID: railReference }),
    PartyA: shortcode,
    RecieverIdentifierType: '11',
    ReceiverParty: receiverParty === 'customer' ? (phone ?? shortcode) : shortcode,
    ResultURL: callbackUrl,
    QueueTimeOutURL: callbackUrl,
    Remarks: 'Refund',
    Occasion: refund.reference,
  });
}

/** What the answer to a reversal proves. It never proves that money was returned. */
export function readReversal(answer: RailAnswer, reference: string): RefundAnswer {
  const meaning = meaningOfStatus(answer, STATUSES.mpesa);
  if (meaning === 'busy') {
    return { type: 'failed', reason: 'rail_unavailable' };
  }
  const fields = jsonObject(answer.text);
  if (meaning !== 'answer' || fields === null) {
    return { type: 'unknown' };
  }
  if (isAccepted(answer)) {
    return { type: 'unknown', railReference: conversationIdOf(fields, reference) };
  }
  if (scalarOf(fields.ResponseCode) !== null) {
    return { type: 'unknown' };
  }
  return TOKEN_REFUSAL_CODES.has(scalarOf(fields.resultCode))
    ? { type: 'failed', reason: 'misconfigured' }
    : refusalOf(scalarOf(fields.errorCode));
}

/** Refusals by the gateway in front of the service, which did not pass the request on. */
function refusalOf(errorCode: string | null): RefundAnswer {
  switch (errorCode) {
    // The token is good, so the app lacks this API: "Access denied", "Resource not found".
    case '403.001.01':
    case '404.001.01':
      return { type: 'requires_action', reason: 'not_enabled' };
    // "Bad Request - Invalid …": only the operator's settings can cause it.
    case '400.002.02':
      return { type: 'failed', reason: 'misconfigured' };
    default:
      return { type: 'unknown' };
  }
}

/** The id by which the result names this request: M-PESA's own, where it does not repeat ours. */
function conversationIdOf(fields: Members, reference: string): string | null {
  const { OriginatorConversationID: originator, ConversationID: conversation } = fields;
  const ids = [originator === reference ? null : originator, conversation];
  return ids.map((id) => matching(id, CONVERSATION_ID)).find((id) => id !== null) ?? null;
}

/**
 * Reads what M-PESA posts to a refund's URL. It is unsigned: besides the unguessable URL it must name
 * the request, by our reference or the id with which M-PESA accepted it, or the payment's receipt,
 * and contradict neither that receipt nor the amount.
 */
export function readReversalResult(call: CallbackCall, order: RefundOrder): RefundReading {
  const result = resultIn(bodyText(call));
  const suspicion = result === null ? 'unreadable' : suspicionOf(result, order);
  const providerCode = result?.resultCode ?? null;
  if (result === null || suspicion !== null) {
    logRailAnswer(RAIL_ID, 'reversal result', order.payment, { providerCode });
    return { type: 'refused', suspicion: suspicion ?? 'unreadable', reply: REJECTED };
  }
  const outcome = outcomeOf(result);
  if (outcome.type !== 'succeeded') {
    logRailAnswer(RAIL_ID, 'reversal result', order.payment, { providerCode });
  }
  return {
    type: 'outcome',
    outcome: withProviderCode(outcome, providerCode),
    reply: ACCEPTED,
  };
}

function suspicionOf(
  { members, amountMinor, parameter }: MpesaResult,
  { payment, refund }: RefundOrder,
): CallbackSuspicion | null {
  const paymentReceipt = scalarOf(parameter('OriginalTransactionID'));
  if (paymentReceipt !== null && paymentReceipt !== payment.attempt.receipt) {
    return 'other_order';
  }
  if (amountMinor !== undefined && amountMinor !== refund.returnedMinor) {
    return 'wrong_amount';
  }
  // The receipt of the reversal becomes the reference once the refund has succeeded.
  const ids = [
    scalarOf(members.OriginatorConversationID),
    scalarOf(members.ConversationID),
    receiptOf(members.TransactionID),
  ];
  const isNamed =
    ids.includes(refund.reference) ||
    (refund.railReference !== null && ids.includes(refund.railReference)) ||
    paymentReceipt !== null;
  if (isNamed) {
    return null;
  }
  return refund.railReference === null ? 'not_confirmed' : 'other_order';
}

function outcomeOf({ isFinal, resultCode, members }: MpesaResult): RefundAnswer {
  if (!isFinal) {
    return { type: 'unknown' };
  }
  return resultCode === SUCCESS_CODE
    ? { type: 'succeeded', railReference: receiptOf(members.TransactionID) }
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
