import { majorText } from '../../domain/money.ts';
import { isAbsent, isAbsentOr, jsonObject, minorOf, textOf } from '../members.ts';
import type { RailOrder } from '../rail-order.ts';
import { descriptionOf, NOT_PLAIN, pageUrlOf } from './wire.ts';

/**
 * The body of `order.create`. Amounts are JSON numbers in major units, written from the minor units
 * without a float, such as `1500.00`. It has one line item for the whole charge: NBG's line items
 * must add up, and the merchant's need not (commission, prices for a whole line).
 */
export function nbgOrderJson(order: RailOrder): string {
  const amount = majorText(order.chargedMinor);
  const reference = JSON.stringify(order.attempt.reference);
  const description = JSON.stringify(descriptionOf(order, NOT_PLAIN));
  const lineItem = objectJson({
    item_name: description,
    quantity: '1',
    unit_price: amount,
    total_usage_amount: amount,
  });
  return objectJson({
    amount,
    currency: JSON.stringify(order.terms.currency),
    merchant_order_number: reference,
    idempotency_key: reference,
    description,
    success_url: JSON.stringify(order.returnUrl),
    // The page that offers to continue or to pay in another way. NBG answers no query anyway.
    cancel_url: JSON.stringify(order.checkoutUrl),
    callback_url: JSON.stringify(order.callbackUrl),
    line_items: `[${lineItem}]`,
  });
}

/** The JSON of an object whose member values are already JSON. */
function objectJson(members: Readonly<Record<string, string>>): string {
  return `{${Object.entries(members)
    .map(([name, value]) => `${JSON.stringify(name)}:${value}`)
    .join(',')}}`;
}

export interface NbgPage {
  /** `hpp_url`. */
  readonly redirectUrl: string;
  /** `order_reference`. */
  readonly railReference: string;
}

/** The page in the answer to `order.create`; null when the answer is not about this order. */
export function readNbgPage(text: string, order: RailOrder): NbgPage | null {
  const body = jsonObject(text);
  const redirectUrl = pageUrlOf(body?.hpp_url);
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
