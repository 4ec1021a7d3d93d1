import { isAbsent, isAbsentOr, type Members, matching, minorOf, scalarOf } from '../members.ts';
import type { RailOrder } from '../rail-order.ts';
import { CURRENCY } from './messages.ts';
import type { TelebirrH5Settings } from './settings.ts';

/** How answers about an order are read. */

/** The ids of payments and refunds become parts of receipts. */
const TRANSACTION_ID = /^[A-Za-z0-9_-]{1,64}$/;
const PREPAY_ID = /^[A-Za-z0-9_-]{1,128}$/;

/** telebirr's id of a payment or a refund; null for anything else. */
export function transactionId(value: unknown): string | null {
  return matching(scalarOf(value), TRANSACTION_ID);
}

/** `prepay_id`, which becomes part of what opens the order; null for anything else. */
export function prepayIdOf(value: unknown): string | null {
  return matching(scalarOf(value), PREPAY_ID);
}

/** The state, by either of the two names in the documentation. */
export function stateOf({ order_status, trade_status }: Members): string | null {
  return scalarOf(order_status) ?? scalarOf(trade_status);
}

/** Whether a message names this order and our account: its id always, the others if they are there. */
export function isOurs(
  { merch_order_id, appid, merch_code }: Members,
  { merchantAppId, merchantCode }: TelebirrH5Settings,
  { attempt }: RailOrder,
): boolean {
  return (
    scalarOf(merch_order_id) === attempt.reference &&
    isAbsentOr(appid, merchantAppId) &&
    isAbsentOr(merch_code, merchantCode)
  );
}

/** Whether the answer is about this order: every field that is there must match. */
export function isAbout(content: Members, settings: TelebirrH5Settings, order: RailOrder): boolean {
  const { total_amount, trans_currency, trade_status } = content;
  return (
    isOurs(content, settings, order) &&
    isAbsentOr(trans_currency, CURRENCY) &&
    isAbsentOr(trade_status, stateOf(content) ?? '') &&
    (isAbsent(total_amount) || minorOf(total_amount) === order.chargedMinor)
  );
}
