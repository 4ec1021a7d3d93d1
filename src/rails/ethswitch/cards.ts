import type { AttemptPlan, IntentTerms, Outcome } from '../../domain/intent.ts';
import type { Method } from '../../domain/method.ts';
import { nextCheckAtMs } from '../../domain/schedule.ts';
import { readBytes } from '../../http/read-bytes.ts';
import { callRail, type RailAnswer } from '../call-rail.ts';
import type { CallbackResult, CallbackSuspicion, Rail, RailOrder, StartResult } from '../rail.ts';
import { readRegistered, registerForm, statusForm } from './cards-order.ts';
import { type CardsState, readCardsState } from './cards-status.ts';
import { type CardsSettings, ETHSWITCH_RAIL_ID } from './settings.ts';
import { CALLBACK_BYTES_MAX } from './wire.ts';

/** A customer waits for it. */
const START_TIMEOUT_MS = 20_000;
const QUERY_TIMEOUT_MS = 10_000;

/** SmartVista's own default, and the longest that EthSwitch's page is known to live. */
const SESSION_MS_MAX = 20 * 60 * 1_000;

/** Nobody has entered a card number earlier. */
const FIRST_CHECK_AFTER_MS = 15_000;

/** EthSwitch's card gateway (EPG), as BPC documents SmartVista's e-commerce interface. */
export function cardsRail(settings: CardsSettings): Rail {
  const rail: Rail = {
    id: ETHSWITCH_RAIL_ID,
    currencies: ['ETB', 'USD'],
    startTimeoutMs: START_TIMEOUT_MS,
    startsInQueue: false,

    plan(terms: IntentTerms, _method: Method, nowMs: number): AttemptPlan {
      return {
        flow: 'redirect',
        deadlineAtMs: Math.min(nowMs + SESSION_MS_MAX, terms.expiresAtMs),
        // A customer at the bank's own page may finish after the session's end.
        windowIsFinal: false,
        checkAtMs: nowMs + FIRST_CHECK_AFTER_MS,
      };
    },

    async start(order: RailOrder): Promise<StartResult> {
      const sessionSeconds = Math.floor((order.attempt.deadlineAtMs - Date.now()) / 1_000);
      if (sessionSeconds < 1) {
        return { type: 'refused', reason: 'timed_out' };
      }
      const form = registerForm(settings, order, sessionSeconds);
      const answer = await post(settings, 'register.do', form, START_TIMEOUT_MS);
      if (answer.type === 'no_answer') {
        return { type: 'unknown' };
      }
      return answer.status === 200 ? readRegistered(answer.text) : refusedBy(answer.status);
    },

    /** Only the gateway knows the page's address. */
    pageUrl(): null {
      return null;
    },

    async query(order: RailOrder, nowMs: number): Promise<Outcome> {
      const form = statusForm(settings, order);
      const answer = await post(settings, 'getOrderStatusExtended.do', form, QUERY_TIMEOUT_MS);
      const state: CardsState =
        answer.type === 'answered' && answer.status === 200
          ? readCardsState(answer.text, order)
          : { type: 'unknown' };
      const { checks, startedAtMs } = order.attempt;
      return state.type === 'unknown'
        ? { type: 'unknown', checkAtMs: nextCheckAtMs(checks, startedAtMs, nowMs) }
        : state;
    },

    /**
     * The optional server callback only says that something happened. Its words and `checksum` are
     * not judged: how EthSwitch would make one is not known, and the gateway is asked anyway.
     */
    async handleCallback(request: Request, order: RailOrder): Promise<CallbackResult> {
      const parameters = await callbackParameters(request);
      if (parameters === null) {
        return refused('unreadable', 413);
      }
      const orderNumbers = parameters.getAll('orderNumber');
      const orderIds = parameters.getAll('mdOrder');
      if (orderNumbers.length + orderIds.length === 0) {
        return refused('unreadable', 400);
      }
      const { reference, railReference } = order.attempt;
      const isOurs =
        orderNumbers.every((number) => number === reference) &&
        (railReference === null || orderIds.every((id) => id === railReference));
      if (!isOurs) {
        return refused('other_order', 400);
      }
      return {
        type: 'outcome',
        outcome: await rail.query(order, Date.now()),
        givesUp: false,
        onlyPending: false,
        answer: () => new Response(null, { status: 200 }),
      };
    },
  };
  return rail;
}

function post(
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

/** The gateway itself answers 200 to everything; these come from what stands before it. */
function refusedBy(status: number): StartResult {
  switch (status) {
    case 401:
    case 403:
    case 404:
    case 405:
      return { type: 'refused', reason: 'misconfigured' };
    case 429:
      return { type: 'refused', reason: 'rail_unavailable' };
    default:
      return { type: 'unknown' };
  }
}

/** SmartVista sends callbacks by GET or by POST, as the merchant's account is set. */
async function callbackParameters(request: Request): Promise<URLSearchParams | null> {
  if (request.method === 'GET') {
    return new URL(request.url).searchParams;
  }
  const bytes = await readBytes(request, CALLBACK_BYTES_MAX);
  return bytes && new URLSearchParams(new TextDecoder().decode(bytes));
}

function refused(suspicion: CallbackSuspicion, status: number): CallbackResult {
  return { type: 'refused', suspicion, answer: new Response(null, { status }) };
}
