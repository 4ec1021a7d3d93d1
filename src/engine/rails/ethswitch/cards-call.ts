import { callRail, type RailAnswer } from '../call-rail.ts';
import { jsonObject, scalarOf } from '../members.ts';
import { logRailAnswer } from '../rail-log.ts';
import type { RailOrder } from '../rail-order.ts';
import { CARDS_RAIL_ID, type CardsSettings } from './settings.ts';

/** Calls of the card gateway. */

export const STATUS_CALL = 'getOrderStatusExtended.do';
const STATUS_TIMEOUT_MS = 10_000;

/** The gateway's own codes in the answer, for the log; null when there are none. */
export function cardsCode(text: string): string | null {
  const body = jsonObject(text);
  const error = scalarOf(body?.errorCode);
  if (error !== null && error !== '0') {
    return `errorCode ${error}`;
  }
  const status = scalarOf(body?.orderStatus);
  const action = scalarOf(body?.actionCode);
  return status === null ? null : `orderStatus ${status} actionCode ${action ?? 'none'}`;
}

export function logAnswer(
  call: string,
  order: RailOrder,
  { status, text }: RailAnswer,
  level: 'info' | 'warn',
): void {
  const { railReference } = order.attempt;
  const providerCode = cardsCode(text);
  logRailAnswer(CARDS_RAIL_ID, call, order, { railReference, status, providerCode, level });
}

/** Sends a form. It contains credentials, so it must not go into a URL. Never throws. */
export function post(
  { baseUrl, userName, password, through }: CardsSettings,
  call: string,
  fields: Readonly<Record<string, string>>,
  timeoutMs: number,
): Promise<RailAnswer> {
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    accept: 'application/json',
  };
  const body = `${new URLSearchParams({ userName, password, ...fields })}`;
  const url = `${baseUrl}/${call}`;
  return callRail({ through }, url, { method: 'POST', headers, body }, timeoutMs);
}

/**
 * Asks about an order: by the gateway's own id if we know it, otherwise by ours, which the gateway
 * knows even if its answer to us was lost. Never throws.
 */
export function queryOrder(
  settings: CardsSettings,
  { reference, railReference }: Pick<RailOrder['attempt'], 'reference' | 'railReference'>,
): Promise<RailAnswer> {
  const id = railReference === null ? { orderNumber: reference } : { orderId: railReference };
  return post(settings, STATUS_CALL, { ...id, language: settings.language }, STATUS_TIMEOUT_MS);
}
