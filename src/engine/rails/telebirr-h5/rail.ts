import { ethiopianTimeMs } from '../../../kit/ethiopian-time.ts';
import type { Outcome } from '../../domain/attempt.ts';
import { isPending } from '../../domain/time.ts';
import {
  bodyText,
  type CallbackReading,
  type CallbackReply,
  type CallbackSuspicion,
  jsonReply,
  refusedCallback,
} from '../callback.ts';
import { isAbsentOr, type Members, scalarOf } from '../members.ts';
import { receiptAmong, unknownUntilQuery, withProviderCode } from '../outcomes.ts';
import type { Rail, StartResult } from '../rail.ts';
import { logRailAnswer } from '../rail-log.ts';
import type { RailOrder } from '../rail-order.ts';
import type { RefundOrder } from '../refund.ts';
import { SUCCESS_CODE } from './answers.ts';
import { post } from './client.ts';
import {
  CURRENCY,
  closedByMs,
  freshness,
  payPageUrl,
  preOrderContent,
  queryOrderContent,
  RAIL_ID,
  startTimeoutMsOf,
} from './messages.ts';
import { readClaim, readNotification } from './notification.ts';
import { isAbout, prepayIdOf, stateOf, transactionId } from './order-state.ts';
import { appFormsIn, type TelebirrH5Settings } from './settings.ts';
import { signer, verifier } from './signature.ts';

/**
 * telebirr's "H5 C2B Web Payment": we create an order at telebirr, the customer pays it on telebirr's
 * page, or in its app (`app-order.ts`), and telebirr notifies us. We query telebirr before we believe
 * a notification.
 */

/**
 * The fastest customer needs this long to sign in and type a PIN. Notifications need not wait for
 * it.
 */
const FIRST_CHECK_AFTER_MS = 30_000;
/** A query must not overtake the order that it is about. */
const FIRST_CHECK_AFTER_START_MS = 5_000;

export function telebirrH5Rail(settings: TelebirrH5Settings) {
  const sign = signer(settings.merchantPrivateKey, settings.signatureScheme);
  const verify = verifier(settings.telebirrPublicKey);
  const client = { settings, sign };
  const startTimeoutMs = startTimeoutMsOf(settings);

  const query = async (order: RailOrder, nowMs: number): Promise<Outcome> => {
    const answer = await post(client, 'queryOrder', order, queryOrderContent(settings, order));
    const unknown = unknownUntilQuery(order, nowMs);
    if (answer.type !== 'success') {
      return withProviderCode(unknown, answer.providerCode ?? null);
    }
    const proved = outcomeOf(answer.content, settings, order);
    const state = stateOf(answer.content);
    if (proved === null ? !WAITING_STATES.has(state) : proved.type === 'failed') {
      const level = proved === null ? 'warn' : 'info';
      logRailAnswer(RAIL_ID, 'queryOrder', order, { providerCode: state, level });
    }
    const isOurs = scalarOf(answer.content.merch_order_id) === order.attempt.reference;
    return withProviderCode(proved ?? unknown, isOurs ? state : null);
  };

  return {
    id: RAIL_ID,
    currencies: [CURRENCY],
    appForms: appFormsIn(settings),
    startTimeoutMs,

    plan(terms, _method, nowMs) {
      return {
        flow: 'redirect',
        deadlineAtMs: closedByMs(settings, terms, nowMs),
        // telebirr closes the order, but may still complete a payment that is in progress.
        windowIsFinal: false,
        checkAtMs:
          nowMs + Math.max(FIRST_CHECK_AFTER_MS, startTimeoutMs + FIRST_CHECK_AFTER_START_MS),
      };
    },

    async start(order): Promise<StartResult> {
      const content = preOrderContent(settings, order);
      if (content === null) {
        return { type: 'refused', reason: 'misconfigured' };
      }
      const { appForm } = order.terms;
      if (appForm !== undefined) {
        const { startInApp } = await import('./app-order.ts');
        return startInApp(client, order, content, appForm);
      }
      const answer = await post(client, 'preOrder', order, content);
      if (answer.type !== 'success') {
        return answer.type === 'refused' ? answer : { ...answer, type: 'unknown' };
      }
      const prepayId = prepayIdOf(answer.content.prepay_id);
      // telebirr reportedly strips characters from order ids; then no query could find the order.
      if (
        prepayId === null ||
        !isAbsentOr(answer.content.merch_order_id, order.attempt.reference)
      ) {
        logRailAnswer(RAIL_ID, 'preOrder', order, {});
        return { type: 'unknown' };
      }
      const redirectUrl = await payPageUrl(settings, prepayId, sign, freshness(Date.now()));
      return redirectUrl === null
        ? { type: 'unknown' }
        : { type: 'accepted', redirectUrl, railReference: null, providerCode: SUCCESS_CODE };
    },

    query,

    async readCallback(call, order): Promise<CallbackReading> {
      const fields = readNotification(bodyText(call));
      if (fields === null) {
        return refusal('unreadable');
      }
      if (!(await verify(fields))) {
        return refusal('not_authentic');
      }
      const claim = readClaim(fields, settings, order);
      const providerCode = scalarOf(fields.trade_status);
      if ('suspicion' in claim) {
        if (claim.suspicion === 'unknown_state') {
          logRailAnswer(RAIL_ID, 'callback', order, { providerCode });
        }
        return refusal(claim.suspicion);
      }
      const nowMs = Date.now();
      const queried = await query(order, nowMs);
      // If telebirr contradicts itself or does not answer the query, the payment stays unconfirmed.
      const isUnconfirmed =
        claim.claimsPaid && queried.type !== 'succeeded' && order.attempt.status !== 'succeeded';
      if (!isUnconfirmed) {
        return { type: 'outcome', outcome: queried, reply: replyWith(200, 'success') };
      }
      logRailAnswer(RAIL_ID, 'callback', order, { providerCode });
      if (!isPending(order.attempt)) {
        return refusal('not_confirmed');
      }
      // Checks count from 0 again, so that the next query comes soon.
      const outcome = withProviderCode(unknownUntilQuery(order, nowMs, 0), providerCode);
      return { type: 'outcome', outcome, reply: replyWith(503, 'not confirmed') };
    },

    probe: async () => (await import('./probe.ts')).probe(settings, sign, verify),

    refunds: { takesParts: true, wholeAmountsOnly: false, windowMs: null },

    refund: async (order) => (await import('./refund.ts')).refund(client, order),

    ...(settings.refundRepeats && {
      isRefundRepeatable: (_order: RefundOrder) => true,

      repeatRefund: async (order: RefundOrder) =>
        (await import('./refund.ts')).refund(client, order),
    }),

    refundStatus: async (order) => (await import('./refund.ts')).refundStatus(client, order),
  } satisfies Rail;
}

/** States of an order that is not paid yet; they need no operator. */
const WAITING_STATES: ReadonlySet<string | null> = new Set(['WAIT_PAY', 'PAYING', 'ACCEPTED']);

/**
 * What an answer to `queryOrder` proves about `order`, or null. Merchants refund outside Kefel, so
 * the states of refunds prove nothing either: the customer paid, and the money is on its way back,
 * back, or stuck. For an attempt without an outcome, neither "paid" nor "failed" would be true.
 */
function outcomeOf(
  content: Members,
  settings: TelebirrH5Settings,
  order: RailOrder,
): Outcome | null {
  if (!isAbout(content, settings, order)) {
    return null;
  }
  switch (stateOf(content)) {
    case 'PAY_SUCCESS':
      // Only an answer with the amount proves that the customer paid in full. The currency may be
      // missing: a telebirr wallet has only ETB.
      return scalarOf(content.total_amount) !== null
        ? {
            type: 'succeeded',
            // The number that the customer sees, otherwise telebirr's own id of the order.
            receipt: receiptAmong(
              [content.trans_id, content.payment_order_id].map(transactionId),
              order,
            ),
            paidAtMs: ethiopianTimeMs(scalarOf(content.trans_time)),
          }
        : null;
    case 'PAY_FAILED':
      return { type: 'failed', reason: 'declined' };
    case 'ORDER_CLOSED':
      return { type: 'failed', reason: 'timed_out' };
    default:
      // WAIT_PAY, PAYING, ACCEPTED, refunds, and states that are not documented.
      return null;
  }
}

/** HTTP statuses for refused notifications: telebirr resends after any status but 200. */
const REFUSAL_STATUS: Readonly<Record<CallbackSuspicion, number>> = {
  unreadable: 400,
  not_authentic: 403,
  other_order: 409,
  wrong_amount: 409,
  unknown_state: 422,
  not_confirmed: 503,
};

function refusal(suspicion: CallbackSuspicion): CallbackReading {
  return refusedCallback(suspicion, replyWith(REFUSAL_STATUS[suspicion], 'refused'));
}

function replyWith(status: number, message: string): CallbackReply {
  return jsonReply(status, { code: status === 200 ? 0 : status, msg: message });
}
