import type { Refund } from '../../domain/refund.ts';
import type { RailAnswer } from '../call-rail.ts';
import { integerOf, jsonObject, type Members, membersOf, textOf } from '../members.ts';
import { withProviderCode } from '../outcomes.ts';
import type { RefundAnswer, RefundOrder } from '../refund.ts';
import { meaningOfStatus, STATUSES } from '../statuses.ts';
import { cardsCode, logAnswer, post, queryOrder, STATUS_CALL } from './cards-call.ts';
import { CURRENCY_CODES, mayBeReversal } from './cards-order.ts';
import { isOurs } from './cards-status.ts';
import type { CardsSettings } from './settings.ts';

/** `refund.do` and `reverse.do`, and `getOrderStatusExtended.do` for their outcomes. */

const REFUND_TIMEOUT_MS = 20_000;
const MINUTE_MS = 60_000;

/** The language of answers, because we read their texts. The customer's page may have another. */
const LANGUAGE = 'en';

/** `orderStatus` after `reverse.do`. */
const REVERSED = 3;

const UNKNOWN: RefundAnswer = { type: 'unknown' };
const NOT_ENABLED: RefundAnswer = { type: 'requires_action', reason: 'not_enabled' };
const MISCONFIGURED: RefundAnswer = { type: 'failed', reason: 'misconfigured' };

/** Whether the refund is sent by `reverse.do`: see `mayBeReversal`. */
export function refundCall(settings: CardsSettings, order: RefundOrder, nowMs: number) {
  const agedMs = nowMs - order.payment.attempt.updatedAtMs;
  return mayBeReversal(settings, order) && agedMs < (settings.reversalMinutes ?? 0) * MINUTE_MS
    ? 'reverse.do'
    : 'refund.do';
}

/** Makes one of the two calls, once. The gateway recognizes a second `refund.do` by its number. */
export async function refund(
  settings: CardsSettings,
  order: RefundOrder,
  name: 'refund.do' | 'reverse.do',
): Promise<RefundAnswer> {
  const { attempt } = order.payment;
  if (attempt.railReference === null) {
    // Both calls need the gateway's own id. Without it the customer got no page, so this is rare.
    return { type: 'requires_action', reason: 'not_supported' };
  }
  const fields = {
    orderId: attempt.railReference,
    language: LANGUAGE,
    ...(name === 'refund.do' && refundFields(order)),
  };
  const answer = await post(settings, name, fields, REFUND_TIMEOUT_MS);
  const result = readRefund(answer);
  if (result.type !== 'succeeded') {
    logAnswer(name, order.payment, answer, 'warn');
  }
  return withProviderCode(result, cardsCode(answer.text));
}

/** Both of the last two guard against a call that arrives twice. */
function refundFields({ payment, refund, returnedBeforeMinor }: RefundOrder) {
  return {
    amount: String(refund.returnedMinor),
    currency: CURRENCY_CODES[payment.terms.currency],
    externalRefundId: refund.reference,
    expectedDepositedAmount: String(payment.chargedMinor - returnedBeforeMinor),
  };
}

function readRefund(answer: RailAnswer): RefundAnswer {
  switch (meaningOfStatus(answer, STATUSES.cards)) {
    case 'answer':
      return readCode(answer.text);
    case 'unread':
      // The account's payments pass the proxy, so it is this call that does not.
      return NOT_ENABLED;
    case 'busy':
      return { type: 'failed', reason: 'rail_unavailable' };
    default:
      return UNKNOWN;
  }
}

/**
 * Reads the answer by the vendor's `errorCode`. 5 and 7 have several meanings, which only the text
 * tells apart; a text that is not known proves nothing.
 */
function readCode(text: string): RefundAnswer {
  const body = jsonObject(text);
  const message = textOf(body?.errorMessage) ?? '';
  switch (integerOf(body?.errorCode)) {
    case 0:
      return { type: 'succeeded', railReference: null };
    case 5:
      return readRejection(message);
    case 6:
      // No such order: it belongs to another account.
      return MISCONFIGURED;
    case 7:
      return REFUSED.test(message) ? { type: 'failed', reason: 'declined' } : UNKNOWN;
    default:
      return UNKNOWN;
  }
}

/**
 * "Refund is impossible for current transaction state", "Reversal is impossible …", "Refund amount
 * exceeds deposited amount", "Payment must be in a correct state".
 */
const REFUSED = /impossible|exceeds|must be in a correct state/i;

/**
 * `errorCode` 5. A refund's number that exists, or a deposited amount that is not as expected, may
 * be the effect of this very call, if it arrived twice.
 */
function readRejection(message: string): RefundAnswer {
  if (/externalRefundId|deposited/i.test(message)) {
    return UNKNOWN;
  }
  if (/denied/i.test(message)) {
    return NOT_ENABLED;
  }
  return /password|amount|orderId/i.test(message) ? MISCONFIGURED : UNKNOWN;
}

/** Finds the refund in the order's status. That it is not there yet proves nothing. */
export async function refundStatus(
  settings: CardsSettings,
  order: RefundOrder,
): Promise<RefundAnswer> {
  const answer = await queryOrder(settings, order.payment.attempt);
  const result = answer.status === 200 ? readRefundState(answer.text, order) : UNKNOWN;
  if (result.type !== 'succeeded') {
    logAnswer(STATUS_CALL, order.payment, answer, 'warn');
  }
  return withProviderCode(result, cardsCode(answer.text));
}

/**
 * What the order's status proves. Newer versions list refunds by our number. Otherwise the sums must
 * be exactly those after this refund.
 */
export function readRefundState(text: string, order: RefundOrder): RefundAnswer {
  const body = jsonObject(text);
  if (body === null || integerOf(body.errorCode ?? 0) !== 0 || !isOurs(body, order.payment)) {
    return UNKNOWN;
  }
  const numbered = numberedRefunds(body.refunds);
  if (numbered.length > 0) {
    const [listed, ...others] = numbered.filter(
      ({ externalRefundId }) => externalRefundId === order.refund.reference,
    );
    return listed !== undefined && others.length === 0 && isDone(listed, order.refund)
      ? { type: 'succeeded', railReference: textOf(listed.referenceNumber) }
      : UNKNOWN;
  }
  return sumsProve(body, order) ? { type: 'succeeded', railReference: null } : UNKNOWN;
}

function numberedRefunds(refunds: unknown): readonly Members[] {
  const list: readonly unknown[] = Array.isArray(refunds) ? refunds : [];
  return list
    .map(membersOf)
    .filter((entry) => entry !== null)
    .filter((entry) => textOf(entry.externalRefundId) !== null);
}

/** `actionCode` 0: the bank has approved it. */
function isDone({ amount, actionCode }: Members, { returnedMinor }: Refund): boolean {
  return integerOf(amount) === returnedMinor && integerOf(actionCode) === 0;
}

function sumsProve(body: Members, { payment, refund, returnedBeforeMinor }: RefundOrder): boolean {
  const info = membersOf(body.paymentAmountInfo) ?? {};
  const returnedMinor = returnedBeforeMinor + refund.returnedMinor;
  const leftMinor = payment.chargedMinor - returnedMinor;
  if (integerOf(info.depositedAmount) !== leftMinor) {
    return false;
  }
  return integerOf(body.orderStatus) === REVERSED
    ? leftMinor === 0 && returnedBeforeMinor === 0
    : integerOf(info.refundedAmount) === returnedMinor;
}
