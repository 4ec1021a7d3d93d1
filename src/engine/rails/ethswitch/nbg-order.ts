import { majorText } from '../../../kit/money.ts';
import { jsonNumber } from '../call-rail.ts';
import { isAbsent, isAbsentOr, jsonObject, minorOf, textOf } from '../members.ts';
import type { RailOrder } from '../rail-order.ts';
import { descriptionOf, NOT_PLAIN, pageUrlOf } from './wire.ts';

/**
 * The body of `order.create`. Amounts are JSON numbers in major units, written from the minor units
 * without a float, such as `1500.00`. It has one line item for the whole charge: NBG's line items
 * must add up, and the merchant's need not (commission, prices for a whole line).
 */
export function nbgOrderJson(order: RailOrder): string {
  const amount = jsonNumber(majorText(order.chargedMinor));
  const description = descriptionOf(order, NOT_PLAIN);
  return JSON.stringify({
    amount,
    currency: order.terms.currency,
    merchant_order_number: order.attempt.reference,
    idempotency_key: order.attempt.reference,
    description,
    success_url: order.returnUrl,
    // The page that offers to continue or to pay in another way. NBG answers no query anyway.
    cancel_url: order.checkoutUrl,
    callback_url: order.callbackUrl,
    line_items: [
      { item_name: description, quantity: 1, unit_price: amount, total_usage_amount: amount },
    ],
  });
}

/** The page in the answer to `order.create`; null when the answer is not about this order. */
export function readNbgPage(text: string, order: RailOrder) {
  const body = jsonObject(text);
  const redirectUrl = pageUrlOf(body?.hpp_url, order.terms);
  const railReference = textOf(body?.order_reference);
  if (body === null || redirectUrl === null || railReference === null) {
    return null;
  }
  const isOurs =
    isAbsentOr(body.merchant_order_number, order.attempt.reference) &&
    isAbsentOr(body.currency, order.terms.currency) &&
    (isAbsent(body.amount) || minorOf(body.amount) === order.chargedMinor);
  return isOurs ? { redirectUrl, railReference } : null;
}
