import type { RailOrder } from '../rail-order.ts';
import { minorFromText } from './answers.ts';
import { CURRENCY } from './messages.ts';
import { isAbsentOr } from './notification.ts';
import type { TelebirrH5Settings } from './settings.ts';
import { type Fields, textOf } from './signature.ts';

/** How answers about an order are read. */

/** The ids of payments and refunds become parts of receipts. */
const TRANSACTION_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** telebirr's id of a payment or a refund; null for anything else. */
export function transactionId(value: unknown): string | null {
  const id = textOf(value);
  return id !== null && TRANSACTION_ID.test(id) ? id : null;
}

/** The state, by either of the two names in the documentation. */
export function stateOf({ order_status, trade_status }: Fields): string | null {
  return textOf(order_status) ?? textOf(trade_status);
}

/** Whether the answer is about this order: every field that is there must match, its id always. */
export function isAbout(
  { attempt, chargedMinor }: RailOrder,
  settings: TelebirrH5Settings,
  content: Fields,
): boolean {
  const { merch_order_id, appid, merch_code, total_amount, trans_currency, trade_status } = content;
  const amount = textOf(total_amount);
  return (
    textOf(merch_order_id) === attempt.reference &&
    isAbsentOr(appid, settings.merchantAppId) &&
    isAbsentOr(merch_code, settings.merchantCode) &&
    isAbsentOr(trans_currency, CURRENCY) &&
    isAbsentOr(trade_status, stateOf(content) ?? '') &&
    (amount === null || minorFromText(amount) === chargedMinor)
  );
}
