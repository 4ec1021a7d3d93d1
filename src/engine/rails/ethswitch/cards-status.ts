import type { FailureReason, Outcome } from '../../domain/attempt.ts';
import { integerOf, jsonObject, type Members, membersOf, textOf } from '../members.ts';
import { receiptAmong } from '../outcomes.ts';
import type { RailOrder } from '../rail-order.ts';
import { CURRENCY_CODES, START_ENDED_AFTER_MS } from './cards-order.ts';

/** The `orderStatus` values of `getOrderStatusExtended.do` that we interpret. */
const REGISTERED = 0;
const DEPOSITED = 2;
const AT_THE_BANK = 5;
const DECLINED = 6;

/** `errorCode` of a status query: the gateway does not know the order. */
export const ORDER_NOT_FOUND = 6;

/** `actionCode`: the bank has approved it. */
const APPROVED = 0;

/** The gateway still waits for the bank, even if `orderStatus` says "declined". */
const ACTION_PENDING = -30_001;

/**
 * The page ends before its session: no time left to enter a card, or no tries left. After any other
 * decline, the page may let the customer try another card.
 */
const FINAL_ACTIONS: readonly number[] = [-2_007, -2_013];

/**
 * Why a card was declined, by `actionCode`. SmartVista passes on ISO 8583 codes, in the version of
 * 1987 or 1993 depending on the bank, and adds negative codes of its own. Other codes: `declined`.
 */
const REASON_BY_ACTION: Readonly<Record<number, FailureReason>> = {
  51: 'insufficient_funds',
  116: 'insufficient_funds',
  38: 'wrong_pin',
  55: 'wrong_pin',
  75: 'wrong_pin',
  106: 'wrong_pin',
  117: 'wrong_pin',
  // The customer ran out of time, before entering a card or on the bank's own page.
  [-2_007]: 'timed_out',
  [-2_009]: 'timed_out',
  [-2_014]: 'timed_out',
};

/**
 * The outcome, if it is decided. `open`: not yet, in a state that we expect. `unknown`: a state that we
 * do not know, or an answer that contradicts the order.
 */
export type CardsState =
  | Exclude<Outcome, { readonly type: 'unknown' }>
  | { readonly type: 'open' | 'unknown' };

const OPEN: CardsState = { type: 'open' };
const UNKNOWN: CardsState = { type: 'unknown' };

/**
 * What the answer to `getOrderStatusExtended.do` proves. Only "deposited" means paid. "Held" (1)
 * does not, even though our orders have one stage: unless the hold is deposited, the customer gets
 * the money back (docs/decisions.md#34). "Reversed" and "refunded" need a manual resolution: the
 * money moved and came back.
 */
export function readCardsState(text: string, order: RailOrder, nowMs: number): CardsState {
  const body = jsonObject(text);
  const errorCode = integerOf(body?.errorCode ?? 0);
  if (body === null || errorCode === null) {
    return UNKNOWN;
  }
  if (errorCode === ORDER_NOT_FOUND && wasPageNeverShown(order)) {
    const hasStartEnded = nowMs - order.attempt.startedAtMs >= START_ENDED_AFTER_MS;
    return hasStartEnded
      ? { type: 'failed', reason: 'rail_unavailable', neverReached: true }
      : OPEN;
  }
  if (errorCode !== 0 || !isOurs(body, order)) {
    return UNKNOWN;
  }
  switch (integerOf(body.orderStatus)) {
    case DEPOSITED:
      return isPaidInFull(body, order)
        ? {
            type: 'succeeded',
            receipt: receiptAmong([textOf(body.authRefNum), order.attempt.railReference], order),
            // In milliseconds since 1970.
            paidAtMs: integerOf(body.authDateTime),
          }
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

/**
 * True when we never received a page, so we sent no customer to one, and will send none once the
 * start has ended. No customer can then pay the order, even if it appears at the gateway later.
 */
function wasPageNeverShown({ attempt }: RailOrder): boolean {
  return attempt.railReference === null && attempt.redirectUrl === null;
}

/** Whether an answer about an order's status is about this order. */
export function isOurs(body: Members, order: RailOrder): boolean {
  const currency = body.currency ?? null;
  return (
    body.orderNumber === order.attempt.reference &&
    integerOf(body.amount) === order.chargedMinor &&
    (currency === null || integerOf(currency) === Number(CURRENCY_CODES[order.terms.currency]))
  );
}

/**
 * What the gateway sends besides the state must not contradict it: the bank's code, and in
 * `paymentAmountInfo` the amounts, because a card may pay only a part, and money may have gone back.
 */
function isPaidInFull(body: Members, order: RailOrder): boolean {
  const info = membersOf(body.paymentAmountInfo ?? {});
  const { depositedAmount = null, refundedAmount = null, paymentState = null } = info ?? {};
  return (
    info !== null &&
    integerOf(body.actionCode ?? APPROVED) === APPROVED &&
    integerOf(refundedAmount ?? 0) === 0 &&
    (depositedAmount === null || integerOf(depositedAmount) === order.chargedMinor) &&
    (paymentState === null || paymentState === 'DEPOSITED')
  );
}
