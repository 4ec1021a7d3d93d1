import type { AttemptPlan, IntentTerms, Outcome } from '../../domain/intent.ts';
import type { Method } from '../../domain/method.ts';
import { readBytes } from '../../http/read-bytes.ts';
import { callRail } from '../call-rail.ts';
import type { CallbackResult, CallbackSuspicion, Rail, RailOrder, StartResult } from '../rail.ts';
import { readNbgCallback } from './nbg-callback.ts';
import { nbgOrderJson, readNbgPage } from './nbg-order.ts';
import { dropNbgToken, isBusy, type Login, nbgToken } from './nbg-token.ts';
import { ETHSWITCH_RAIL_ID, type NbgSettings } from './settings.ts';
import { CALLBACK_BYTES_MAX } from './wire.ts';

/** Login and order together. NBG answers in well under a second; a customer waits for it. */
const START_TIMEOUT_MS = 20_000;

/** How long NBG keeps an order open: `expires_at`, 24 hours after its creation in all samples. */
const ORDER_LIVES_FOR_MS = 24 * 60 * 60 * 1_000;

/** EthSwitch's National Billing Gateway: its published API collection of May 2026. */
export function nbgRail(settings: NbgSettings): Rail {
  return {
    id: ETHSWITCH_RAIL_ID,
    currencies: ['ETB'],
    startTimeoutMs: START_TIMEOUT_MS,
    startsInQueue: false,

    plan(terms: IntentTerms, _method: Method, nowMs: number): AttemptPlan {
      return {
        flow: 'redirect',
        // NBG takes no expiry: an order outlives the payment that it is for, hence not final.
        deadlineAtMs: Math.min(nowMs + ORDER_LIVES_FOR_MS, terms.expiresAtMs),
        windowIsFinal: false,
        checkAtMs: null,
      };
    },

    async start(order: RailOrder): Promise<StartResult> {
      const endsAtMs = Date.now() + START_TIMEOUT_MS;
      const first = await createOrder(settings, order, endsAtMs);
      // A refused token certainly created nothing, so that once more is no second order.
      const last = first === 'token_refused' ? await createOrder(settings, order, endsAtMs) : first;
      return last === 'token_refused' ? { type: 'refused', reason: 'misconfigured' } : last;
    },

    /** Only NBG knows the page's address. */
    pageUrl(): null {
      return null;
    },

    /** NBG publishes no status query. */
    async query(): Promise<Outcome> {
      return { type: 'unknown', checkAtMs: null };
    },

    async handleCallback(request: Request, order: RailOrder): Promise<CallbackResult> {
      if (!comesFrom(settings.callbackAddresses, request)) {
        return refused('not_authentic', 403);
      }
      const bytes = await readBytes(request, CALLBACK_BYTES_MAX);
      if (bytes === null) {
        return refused('unreadable', 413);
      }
      const text = new TextDecoder().decode(bytes);
      const notice = readNbgCallback(text, order, settings.billerBin);
      if (notice.type === 'suspicious') {
        return refused(notice.suspicion, 400);
      }
      const { outcome } = notice;
      const answer = () => Response.json({ code: 'SUCCESS' });
      return { type: 'outcome', outcome, givesUp: false, onlyPending: false, answer };
    },
  };
}

/** One try with the token that is known, or a fresh one. */
async function createOrder(
  settings: NbgSettings,
  order: RailOrder,
  endsAtMs: number,
): Promise<StartResult | 'token_refused'> {
  const login = await loginUntil(settings, endsAtMs);
  if (login.type === 'refused') {
    return login;
  }
  const timeoutMs = endsAtMs - Date.now();
  if (timeoutMs <= 0) {
    return { type: 'refused', reason: 'rail_unavailable' };
  }
  const answer = await callRail(
    `${settings.baseUrl}/nbg/api/v1/payment/order/handle?action=order.create`,
    {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        authorization: `Bearer ${login.token}`,
        'x-correlation-id': order.attempt.id,
        'x-biller-bin': settings.billerBin,
        'idempotency-key': order.attempt.reference,
      },
      body: nbgOrderJson(order),
    },
    timeoutMs,
  );
  if (answer.type === 'no_answer') {
    return { type: 'unknown' };
  }
  if (answer.status === 401) {
    dropNbgToken(settings, login.token);
    return 'token_refused';
  }
  return createdOrder(answer.status, answer.text, order);
}

async function loginUntil(settings: NbgSettings, endsAtMs: number): Promise<Login> {
  const timeoutMs = endsAtMs - Date.now();
  return timeoutMs > 0
    ? nbgToken(settings, timeoutMs)
    : { type: 'refused', reason: 'rail_unavailable' };
}

/** NBG publishes no error codes, so only HTTP's own meaning of the status is used. */
function createdOrder(status: number, text: string, order: RailOrder): StartResult {
  if (status === 200 || status === 201) {
    const page = readNbgPage(text, order);
    return page === null ? { type: 'unknown' } : { type: 'accepted', ...page };
  }
  if (status === 429) {
    return { type: 'refused', reason: 'rail_unavailable' };
  }
  // 409: the order exists, perhaps by this very call.
  const isRefusal = status >= 400 && status < 500 && status !== 409 && !isBusy(status);
  return isRefusal ? { type: 'refused', reason: 'misconfigured' } : { type: 'unknown' };
}

/** `CF-Connecting-IP` is set by Cloudflare, whatever the caller sent by that name. */
function comesFrom(addresses: readonly string[], request: Request): boolean {
  const address = request.headers.get('cf-connecting-ip');
  return addresses.length === 0 || (address !== null && addresses.includes(address));
}

function refused(suspicion: CallbackSuspicion, status: number): CallbackResult {
  return { type: 'refused', suspicion, answer: Response.json({ code: 'FAILED' }, { status }) };
}
