import { ethiopianTimeMs } from '../../../kit/ethiopian-time.ts';
import { type CallbackProof, type CallbackReply, jsonReply } from '../callback.ts';
import { jsonObject, matching, membersOf, minorOf, scalarOf, textOf } from '../members.ts';
import type { RailOrder } from '../rail-order.ts';
import { FAILURE_BY_RESULT_CODE, SUCCESS_CODE } from './codes.ts';
import type { MpesaSettings } from './settings.ts';

export const ACCEPTED: CallbackReply = jsonReply(200, { ResultCode: 0, ResultDesc: 'Accepted' });
export const REJECTED: CallbackReply = jsonReply(400, { ResultCode: 1, ResultDesc: 'Rejected' });

/** We store and display it, so it must look like a receipt number. */
export function receiptOf(value: unknown): string | null {
  return matching(value, /^[A-Za-z0-9]{1,32}$/);
}

type StkCallback = NonNullable<ReturnType<typeof parseCallback>>;

/**
 * Reads a callback for `order`. It is unsigned, but its URL is unguessable, and `CheckoutRequestID`,
 * the amount and the short code, if it names one, must match the order. Published samples carry
 * another `MerchantRequestID` than the push, so it proves nothing.
 */
export function readMpesaCallback(
  text: string,
  order: RailOrder,
  { shortcode, partyB = shortcode }: Pick<MpesaSettings, 'shortcode' | 'partyB'>,
): CallbackProof {
  const callback = parseCallback(text);
  if (callback === null) {
    return { type: 'refused', suspicion: 'unreadable' };
  }
  const { railReference } = order.attempt;
  // We do not know the rail's own id if its answer to our push was lost or has not arrived yet.
  const isOurs =
    callback.checkoutRequestId === (railReference ?? callback.checkoutRequestId) &&
    callback.checkoutRequestId !== null &&
    [shortcode, partyB, null].includes(callback.shortcode);
  if (!isOurs) {
    return { type: 'refused', suspicion: 'other_order' };
  }
  if (callback.resultCode === SUCCESS_CODE) {
    return readSuccess(callback, order);
  }
  const reason = FAILURE_BY_RESULT_CODE.get(callback.resultCode);
  return reason === undefined
    ? { type: 'refused', suspicion: 'unknown_state' }
    : { type: 'outcome', outcome: { type: 'failed', reason } };
}

/** Its `ResultCode`, for the log. */
export function resultCodeIn(text: string): string | null {
  return parseCallback(text)?.resultCode ?? null;
}

function readSuccess(
  { amountMinor, receipt, paidAtMs, hasMetadata }: StkCallback,
  order: RailOrder,
): CallbackProof {
  if (!hasMetadata) {
    // It says "paid" without the amount: an operator must check the statement.
    return { type: 'refused', suspicion: 'not_confirmed' };
  }
  if (amountMinor === null) {
    return { type: 'refused', suspicion: 'unreadable' };
  }
  return amountMinor === order.chargedMinor
    ? { type: 'outcome', outcome: { type: 'succeeded', receipt, paidAtMs } }
    : { type: 'refused', suspicion: 'wrong_amount' };
}

/**
 * The outcome of a push in Kenya's format, or Ethiopia's, which wraps it in an envelope; null for
 * anything else. Members are null when they are absent or of another form.
 */
function parseCallback(text: string) {
  const root = jsonObject(text);
  const body = membersOf((membersOf(root?.Envelope) ?? root)?.Body);
  const callback = membersOf(body?.stkCallback);
  const resultCode = scalarOf(callback?.ResultCode);
  if (callback === null || resultCode === null) {
    return null;
  }
  const items = membersOf(callback.CallbackMetadata)?.Item;
  return {
    checkoutRequestId: textOf(callback.CheckoutRequestID),
    // Absent in the published samples.
    shortcode: scalarOf(callback.BusinessShortCode ?? itemValue(items, 'BusinessShortCode')),
    hasMetadata: items !== undefined && items !== null,
    resultCode,
    // Absent after a failure.
    amountMinor: minorOf(itemValue(items, 'Amount')),
    receipt: receiptOf(itemValue(items, 'MpesaReceiptNumber')),
    paidAtMs: ethiopianTimeMs(scalarOf(itemValue(items, 'TransactionDate'))),
  };
}

/** The value of the item with that name; undefined when two items have it. */
function itemValue(items: unknown, name: string): unknown {
  const named = Array.isArray(items) ? items.filter((item) => membersOf(item)?.Name === name) : [];
  return named.length === 1 ? membersOf(named[0])?.Value : undefined;
}
