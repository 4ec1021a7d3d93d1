import type { Currency } from '../../domain/method.ts';
import { jsonObject } from '../call-rail.ts';
import type { RailOrder, StartResult } from '../rail.ts';
import type { CardsSettings } from './settings.ts';
import { descriptionOf, integerOf, NOT_PLAIN_ASCII, pageUrlOf, textOf } from './wire.ts';

/** A customer waits for it. */
export const START_TIMEOUT_MS = 20_000;

/**
 * From then on a start has certainly ended, whoever made it: its time, and what it takes to get from
 * the stored attempt to the gateway.
 */
export const START_ENDED_AFTER_MS = START_TIMEOUT_MS + 10_000;

/** ISO 4217 numeric codes, the only form that SmartVista takes. */
export const CURRENCY_CODES: Readonly<Record<Currency, string>> = { ETB: '230', USD: '840' };

/** The form of `register.do`. Credentials travel in it, so it is never put into an address. */
export function registerForm(
  settings: CardsSettings,
  order: RailOrder,
  sessionTimeoutSeconds: number,
): URLSearchParams {
  return new URLSearchParams({
    userName: settings.userName,
    password: settings.password,
    orderNumber: order.attempt.reference,
    amount: String(order.chargedMinor),
    currency: CURRENCY_CODES[order.terms.currency],
    returnUrl: order.returnUrl,
    failUrl: order.returnUrl,
    description: descriptionOf(order, NOT_PLAIN_ASCII),
    language: settings.language,
    sessionTimeoutSecs: String(sessionTimeoutSeconds),
    ...(settings.dynamicCallbackUrl ? { dynamicCallbackUrl: order.callbackUrl } : {}),
  });
}

/**
 * The form of `getOrderStatusExtended.do`: by the gateway's own id where we know it, else by ours,
 * which it knew before we knew its answer.
 */
export function statusForm(settings: CardsSettings, { attempt }: RailOrder): URLSearchParams {
  return new URLSearchParams({
    userName: settings.userName,
    password: settings.password,
    ...(attempt.railReference === null
      ? { orderNumber: attempt.reference }
      : { orderId: attempt.railReference }),
    language: settings.language,
  });
}

/**
 * What the answer to `register.do` means, by the vendor's `errorCode`:
 * 1 the order number is known, perhaps by this very call; 3 an unknown currency, 4 a missing
 * parameter, 5 a wrong value or credential, all of them found before an order is made; 7 a system
 * error, at whatever moment.
 */
export function readRegistered(text: string): StartResult {
  const body = jsonObject(text);
  switch (integerOf(body?.errorCode ?? 0)) {
    case 0: {
      const railReference = textOf(body?.orderId);
      const redirectUrl = pageUrlOf(body?.formUrl);
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
