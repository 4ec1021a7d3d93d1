import type { Outcome } from '../../domain/intent.ts';
import { minorFromMajor } from '../../domain/money.ts';
import { jsonObject } from '../call-rail.ts';
import type { CallbackSuspicion } from '../callback.ts';
import type { RailOrder } from '../rail.ts';
import { codeText, FAILURE_BY_RESULT_CODE, SUCCESS_CODE } from './codes.ts';

/** The outcome of a push as M-PESA reports it. */
interface StkCallback {
  readonly merchantRequestId: unknown;
  readonly checkoutRequestId: unknown;
  readonly resultCode: string;
  /** Null when it is absent, as after a failure, or not an amount. */
  readonly amountMinor: number | null;
  readonly receipt: string | null;
}

/** What a callback proves about the order whose URL it came to, or what is wrong with it. */
export type MpesaReading =
  | { readonly type: 'outcome'; readonly outcome: Outcome }
  | { readonly type: 'refused'; readonly suspicion: CallbackSuspicion };

/**
 * Reads a callback for `order`. It is unsigned, but its URL is unguessable, and both ids and the
 * amount must match the order.
 */
export function readMpesaCallback(text: string, order: RailOrder): MpesaReading {
  const callback = parseCallback(text);
  if (callback === null) {
    return { type: 'refused', suspicion: 'unreadable' };
  }
  const { reference, railReference } = order.attempt;
  // We do not know the rail's own id if its answer to our push was lost or has not arrived yet.
  const isOurs =
    callback.merchantRequestId === reference &&
    (railReference === null || callback.checkoutRequestId === railReference);
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

function readSuccess({ amountMinor, receipt }: StkCallback, order: RailOrder): MpesaReading {
  if (amountMinor === null) {
    return { type: 'refused', suspicion: 'unreadable' };
  }
  return amountMinor === order.chargedMinor
    ? { type: 'outcome', outcome: { type: 'succeeded', receipt } }
    : { type: 'refused', suspicion: 'wrong_amount' };
}

/** Parses Kenya's format, or Ethiopia's, which wraps it in an envelope; null for anything else. */
function parseCallback(text: string): StkCallback | null {
  const root = jsonObject(text);
  const body = fieldsOf((fieldsOf(root?.Envelope) ?? root)?.Body);
  const callback = fieldsOf(body?.stkCallback);
  const resultCode = codeText(callback?.ResultCode);
  if (callback === null || resultCode === null) {
    return null;
  }
  const items = fieldsOf(callback.CallbackMetadata)?.Item;
  return {
    merchantRequestId: callback.MerchantRequestID,
    checkoutRequestId: callback.CheckoutRequestID,
    resultCode,
    amountMinor: amountMinorOf(itemValue(items, 'Amount')),
    receipt: receiptOf(itemValue(items, 'MpesaReceiptNumber')),
  };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : null;
}

/** The value of the item with that name; undefined when two items have it. */
function itemValue(items: unknown, name: string): unknown {
  const named = Array.isArray(items) ? items.filter((item) => fieldsOf(item)?.Name === name) : [];
  return named.length === 1 ? fieldsOf(named[0])?.Value : undefined;
}

/** The amount may be a JSON number or a decimal string. */
function amountMinorOf(value: unknown): number | null {
  if (typeof value === 'number') {
    return minorFromMajor(value);
  }
  const isDecimal = typeof value === 'string' && /^\d{1,12}(?:\.\d{1,2})?$/.test(value);
  return isDecimal ? minorFromMajor(Number(value)) : null;
}

/** We store and display it, so it must look like a receipt number. */
function receiptOf(value: unknown): string | null {
  return typeof value === 'string' && /^[A-Za-z0-9]{1,32}$/.test(value) ? value : null;
}
