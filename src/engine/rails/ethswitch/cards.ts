import { CURRENCIES } from '../../../kit/money.ts';
import type { Outcome } from '../../domain/attempt.ts';
import {
  bodyText,
  type CallbackCall,
  type CallbackReading,
  emptyReply,
  isSecret,
  refusedCallback,
} from '../callback.ts';
import { unknownUntilQuery, withProviderCode } from '../outcomes.ts';
import type { OpenedCallback, Rail, StartResult } from '../rail.ts';
import type { RailOrder } from '../rail-order.ts';
import type { RefundOrder } from '../refund.ts';
import { meaningOfStatus, STATUSES, startByStatus } from '../statuses.ts';
import { cardsCode, logAnswer, post, queryOrder, STATUS_CALL } from './cards-call.ts';
import {
  mayBeReversal,
  readRegistered,
  registerFields,
  START_ENDED_AFTER_MS,
  START_TIMEOUT_MS,
} from './cards-order.ts';
import { type CardsState, readCardsState } from './cards-status.ts';
import { CARDS_RAIL_ID, type CardsSettings } from './settings.ts';

/** SmartVista's own default, and the longest known lifetime of EthSwitch's page. */
const SESSION_MS_MAX = 20 * 60 * 1_000;

/** The fastest customer needs this long to enter a card and the bank's code. */
const SESSION_MS_NEEDED = 60 * 1_000;

/**
 * EthSwitch's card gateway (EPG), as BPC documents SmartVista's e-commerce interface. Only the
 * gateway knows the page's URL, so a lost answer loses the page.
 */
export function cardsRail(settings: CardsSettings) {
  const query = async (order: RailOrder, nowMs: number): Promise<Outcome> => {
    const answer = await queryOrder(settings, order.attempt);
    const state: CardsState =
      answer.status === 200 ? readCardsState(answer.text, order, nowMs) : { type: 'unknown' };
    if (state.type === 'failed' || state.type === 'unknown') {
      const isCustomerCause = state.type === 'failed' && state.reason !== 'rail_unavailable';
      logAnswer(STATUS_CALL, order, answer, isCustomerCause ? 'info' : 'warn');
    }
    const isDecided = state.type === 'succeeded' || state.type === 'failed';
    return withProviderCode(
      isDecided ? state : unknownUntilQuery(order, nowMs),
      cardsCode(answer.text),
    );
  };

  /**
   * The optional server callback only triggers a status query. We do not verify its `checksum`,
   * because EthSwitch does not publish how to compute it.
   */
  const readCallback = async (call: CallbackCall, order: RailOrder): Promise<CallbackReading> => {
    const parameters = callbackParameters(call);
    const orderNumbers = parameters.getAll('orderNumber');
    const orderIds = parameters.getAll('mdOrder');
    if (orderNumbers.length + orderIds.length === 0) {
      return refusedCallback('unreadable', emptyReply(400));
    }
    const { reference, railReference } = order.attempt;
    const isOurs =
      orderNumbers.every((number) => number === reference) &&
      (railReference === null || orderIds.every((id) => id === railReference));
    return isOurs
      ? { type: 'outcome', outcome: await query(order, Date.now()), reply: emptyReply(200) }
      : refusedCallback('other_order', emptyReply(400));
  };

  return {
    id: CARDS_RAIL_ID,
    currencies: CURRENCIES,
    startTimeoutMs: START_TIMEOUT_MS,

    plan: ({ expiresAtMs }, _method, nowMs) => ({
      flow: 'redirect',
      // The session has ended by then, even if the gateway started it only at our timeout.
      deadlineAtMs: nowMs + START_TIMEOUT_MS + sessionMsOf(expiresAtMs - nowMs),
      // A customer at the bank's own page may finish after the session's end.
      windowIsFinal: false,
      // Earlier, an order that the gateway does not know proves nothing.
      checkAtMs: nowMs + START_ENDED_AFTER_MS,
    }),

    async start(order): Promise<StartResult> {
      if (!CURRENCIES.includes(order.terms.currency)) {
        return { type: 'refused', reason: 'misconfigured' };
      }
      const sessionMs = order.attempt.deadlineAtMs - START_TIMEOUT_MS - Date.now();
      const sessionSeconds = Math.floor(sessionMs / 1_000);
      if (sessionSeconds < 1) {
        return { type: 'refused', reason: 'timed_out' };
      }
      const fields = registerFields(settings, order, sessionSeconds);
      const answer = await post(settings, 'register.do', fields, START_TIMEOUT_MS);
      const byStatus = startByStatus(meaningOfStatus(answer, STATUSES.cards));
      const result = byStatus ?? readRegistered(answer.text, order);
      if (result.type !== 'accepted') {
        logAnswer('register.do', order, answer, 'warn');
      }
      return withProviderCode(result, cardsCode(answer.text));
    },

    query,

    readCallback,

    async openCallback(call): Promise<OpenedCallback | null> {
      const orderId = callbackParameters(call).get('orderNumber');
      return orderId !== null && (await isAtAccountAddress(settings, call))
        ? { orderId, read: (order) => readCallback(call, order) }
        : null;
    },

    probe: async () => (await import('./probes.ts')).probeCards(settings),

    refunds: { takesParts: true, wholeAmountsOnly: false, windowMs: null },

    async refund(order) {
      const { refund, refundCall } = await import('./cards-refund.ts');
      return refund(settings, order, refundCall(settings, order, Date.now()));
    },

    ...(settings.refundRepeats && {
      isRefundRepeatable: (order: RefundOrder) => !mayBeReversal(settings, order),

      repeatRefund: async (order: RefundOrder) =>
        (await import('./cards-refund.ts')).refund(settings, order, 'refund.do'),
    }),

    refundStatus: async (order) =>
      (await import('./cards-refund.ts')).refundStatus(settings, order),
  } satisfies Rail;
}

/**
 * The lifetime of the gateway's session in a payment that has `leftMs` left. The session ends before
 * the payment, even if the gateway starts it only at our timeout, unless that would leave the
 * customer too little time.
 */
function sessionMsOf(leftMs: number): number {
  const beforeExpiryMs = Math.max(leftMs - START_TIMEOUT_MS, Math.min(leftMs, SESSION_MS_NEEDED));
  return Math.min(beforeExpiryMs, SESSION_MS_MAX);
}

/**
 * SmartVista sends callbacks by GET or POST, depending on the merchant's account, and the parameters
 * of a POST in the body or in the query.
 */
function callbackParameters(call: CallbackCall): URLSearchParams {
  return new URLSearchParams([...call.url.searchParams, ...new URLSearchParams(bodyText(call))]);
}

async function isAtAccountAddress(
  { callbackToken }: CardsSettings,
  { url }: CallbackCall,
): Promise<boolean> {
  const given = url.pathname.slice(url.pathname.lastIndexOf('/') + 1);
  return callbackToken !== null && isSecret(given, callbackToken);
}
