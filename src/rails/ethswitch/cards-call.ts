import { callRail, type RailAnswer } from '../call-rail.ts';
import { logRailAnswer } from '../rail-log.ts';
import type { RailOrder } from '../rail-order.ts';
import { cardsCode } from './cards-status.ts';
import { CARDS_RAIL_ID, type CardsSettings } from './settings.ts';

/** Calls of the card gateway. */

/** The gateway's own codes in the answer; null when there are none. */
export function codeIn(answer: RailAnswer): string | null {
  return cardsCode(answer.text);
}

export function logAnswer(
  call: string,
  { attempt }: RailOrder,
  answer: RailAnswer,
  level: 'info' | 'warn',
): void {
  const { reference, railReference } = attempt;
  logRailAnswer({
    rail: CARDS_RAIL_ID,
    call,
    reference,
    railReference: railReference ?? undefined,
    status: answer.status,
    providerCode: codeIn(answer),
    level,
  });
}

/** Sends a form. Never throws. */
export function post(
  { baseUrl }: CardsSettings,
  call: string,
  form: URLSearchParams,
  timeoutMs: number,
): Promise<RailAnswer> {
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    accept: 'application/json',
  };
  return callRail(`${baseUrl}/${call}`, { method: 'POST', headers, body: `${form}` }, timeoutMs);
}
