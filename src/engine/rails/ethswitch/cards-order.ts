import type { Currency } from '../../../kit/money.ts';
import { integerOf, jsonObject, textOf } from '../members.ts';
import type { StartResult } from '../rail.ts';
import type { RailOrder } from '../rail-order.ts';
import type { RefundOrder } from '../refund.ts';
import type { CardsSettings } from './settings.ts';
import { descriptionOf, NOT_PLAIN_ASCII, pageUrlOf } from './wire.ts';

/** The customer waits this long at most. */
export const START_TIMEOUT_MS = 20_000;

/**
 * Any start has ended by then: its timeout, plus the time from the stored attempt to the call of
 * the gateway.
 */
export const START_ENDED_AFTER_MS = START_TIMEOUT_MS + 10_000;

/** ISO 4217 numeric codes, the only ones that SmartVista accepts. */
export const CURRENCY_CODES: Readonly<Record<Currency, string>> = { ETB: '230', USD: '840' };

/** The fields of the form for `register.do`. */
export function registerFields(
  settings: CardsSettings,
  order: RailOrder,
  sessionTimeoutSeconds: number,
) {
  return {
    orderNumber: order.attempt.reference,
    amount: String(order.chargedMinor),
    currency: CURRENCY_CODES[order.terms.currency],
    returnUrl: order.returnUrl,
    failUrl: order.returnUrl,
    description: descriptionOf(order, NOT_PLAIN_ASCII),
    language: settings.language,
    sessionTimeoutSecs: String(sessionTimeoutSeconds),
    ...(settings.dynamicCallbackUrl && { dynamicCallbackUrl: order.callbackUrl }),
  };
}

/**
 * Reads the answer to `register.do` by the vendor's `errorCode`. 1: the order number exists, perhaps
 * from this call. 3, an unknown currency, 4, a missing parameter, and 5, a wrong value or credential,
 * occur before the gateway creates an order. 7, a system error, may occur at any point.
 */
export function readRegistered(text: string, { terms }: RailOrder): StartResult {
  const body = jsonObject(text);
  switch (integerOf(body?.errorCode ?? 0)) {
    case 0: {
      const railReference = textOf(body?.orderId);
      const redirectUrl = pageUrlOf(body?.formUrl, terms);
      return railReference === null || redirectUrl === null
        ? { type: 'unknown' }
        : { type: 'accepted', redirectUrl, railReference };
    }
    case 3:
    case 4:
    case 5:
      return { type: 'refused', reason: 'misconfigured' };
    default:
      return { type: 'unknown' };
  }
}

/**
 * Whether a refund is sent by `reverse.do` soon after the payment, without a number. After a first
 * error the gateway reverses nothing more, so only a first refund is a reversal.
 */
export function mayBeReversal(
  { reversalMinutes }: CardsSettings,
  { payment, refund, returnedBeforeMinor, isFirst }: RefundOrder,
): boolean {
  return (
    reversalMinutes !== null &&
    isFirst &&
    returnedBeforeMinor === 0 &&
    refund.returnedMinor === payment.chargedMinor
  );
}
