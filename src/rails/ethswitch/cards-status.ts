import type { FailureReason } from '../../domain/intent.ts';
import { jsonObject } from '../call-rail.ts';
import type { RailOrder } from '../rail.ts';
import { CURRENCY_CODES, START_ENDED_AFTER_MS } from './cards-order.ts';
import { codeOf, integerOf, textOf } from './wire.ts';

/** `orderStatus` of `getOrderStatusExtended.do` that we know what to make of. */
const REGISTERED = 0;
const DEPOSITED = 2;
const AT_THE_BANK = 5;
const DECLINED = 6;

/** `errorCode` of a status query for an order that the gateway does not know. */
const ORDER_NOT_FOUND = 6;

/** The bank's answer is still being found out, whatever `orderStatus` says meanwhile. */
const ACTION_PENDING = -30_001;

/**
 * The page is over before its session is: no time left to enter a card, no more tries. After any
 * other decline it may let the customer try again, with another card.
 */
const FINAL_ACTIONS: readonly number[] = [-2_007, -2_013];

/**
 * Why a card was declined, by `actionCode`: SmartVista passes on the codes of ISO 8583, its version
 * of 1987 or of 1993 by the bank behind it, and has negative ones of its own. All else: declined.
 */
const REASON_BY_ACTION: Readonly<Record<number, FailureReason>> = {
  51: 'insufficient_funds',
  116: 'insufficient_funds',
  38: 'wrong_pin',
  55: 'wrong_pin',
  75: 'wrong_pin',
  106: 'wrong_pin',
  117: 'wrong_pin',
  // Too late: before a card was entered, or at the bank's own page.
  [-2_007]: 'timed_out',
  [-2_009]: 'timed_out',
  [-2_014]: 'timed_out',
};

export type CardsState =
  | { readonly type: 'succeeded'; readonly receipt: string | null }
  | { readonly type: 'failed'; readonly reason: FailureReason }
  /** Nothing is decided yet, as was to be expected. */
  | { readonly type: 'open' }
  /** Not understood, or not to be believed. */
  | { readonly type: 'unknown' };

const OPEN: CardsState = { type: 'open' };
const UNKNOWN: CardsState = { type: 'unknown' };

/**
 * What the answer to `getOrderStatusExtended.do` proves. Orders are of one stage, so that only
 * "deposited" is paid. Reversed and refunded are for a human: money has moved there and back.
 */
export function readCardsState(text: string, order: RailOrder, nowMs: number): CardsState {
  const body = jsonObject(text);
  const errorCode = integerOf(body?.errorCode ?? 0);
  if (body === null || errorCode === null) {
    return UNKNOWN;
  }
  if (errorCode === ORDER_NOT_FOUND && wasPageNeverShown(order)) {
    const hasStartEnded = nowMs - order.attempt.startedAtMs >= START_ENDED_AFTER_MS;
    return hasStartEnded ? { type: 'failed', reason: 'rail_unavailable' } : OPEN;
  }
  if (errorCode !== 0 || !isOurs(body, order)) {
    return UNKNOWN;
  }
  switch (integerOf(body.orderStatus)) {
    case DEPOSITED:
      return isPaidInFull(body, order)
        ? { type: 'succeeded', receipt: textOf(body.authRefNum) ?? order.attempt.railReference }
        : UNKNOWN;
    case DECLINED: {
      const action = integerOf(body.actionCode) ?? 0;
      const isFinal = nowMs >= order.attempt.deadlineAtMs || FINAL_ACTIONS.includes(action);
      return isFinal && action !== ACTION_PENDING
        ? { type: 'failed', reason: REASON_BY_ACTION[action] ?? 'declined' }
        : OPEN;
    }
    case REGISTERED:
    case AT_THE_BANK:
      return OPEN;
    default:
      return UNKNOWN;
  }
}

/** What the answer says in the gateway's own codes, for the log. */
export function cardsCode(text: string): string | null {
  const body = jsonObject(text);
  const error = codeOf(body?.errorCode);
  if (error !== null && error !== '0') {
    return `errorCode ${error}`;
  }
  const status = codeOf(body?.orderStatus);
  const action = codeOf(body?.actionCode);
  return status === null ? null : `orderStatus ${status} actionCode ${action ?? 'none'}`;
}

/**
 * True when we never learned of a page, so that nobody was ever sent to one. Once the start is over
 * nobody will be either: an order that then does not exist at the gateway cannot have been paid, nor
 * can it be if it appears later.
 */
function wasPageNeverShown({ attempt }: RailOrder): boolean {
  return attempt.railReference === null && attempt.redirectUrl === null;
}

function isOurs(body: Readonly<Record<string, unknown>>, order: RailOrder): boolean {
  const currency = body.currency ?? null;
  return (
    body.orderNumber === order.attempt.reference &&
    integerOf(body.amount) === order.chargedMinor &&
    (currency === null || integerOf(currency) === Number(CURRENCY_CODES[order.terms.currency]))
  );
}

/** Where it is sent, `paymentAmountInfo` must agree: a card may be charged with a part only. */
function isPaidInFull(body: Readonly<Record<string, unknown>>, order: RailOrder): boolean {
  const info = body.paymentAmountInfo ?? {};
  if (typeof info !== 'object') {
    return false;
  }
  const { depositedAmount = null, paymentState = null } = info as Readonly<Record<string, unknown>>;
  return (
    (depositedAmount === null || integerOf(depositedAmount) === order.chargedMinor) &&
    (paymentState === null || paymentState === 'DEPOSITED')
  );
}
