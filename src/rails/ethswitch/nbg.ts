import type { AttemptPlan, IntentTerms } from '../../domain/intent.ts';
import type { Currency, Method } from '../../domain/method.ts';
import { callRail } from '../call-rail.ts';
import {
  bodyText,
  type CallbackCall,
  type CallbackReading,
  type CallbackSuspicion,
  jsonReply,
  refusedCallback,
} from '../callback.ts';
import { withProviderCode } from '../provider-code.ts';
import type { Callbacks, Probe, Rail, StartResult } from '../rail.ts';
import { logRailAnswer, type RailLogEntry } from '../rail-log.ts';
import type { RailOrder } from '../rail-order.ts';
import { nbgCode, readNbgCallback } from './nbg-callback.ts';
import { nbgOrderJson, readNbgPage } from './nbg-order.ts';
import { dropNbgToken, isBusy, type Login, nbgToken } from './nbg-token.ts';
import { NBG_RAIL_ID, type NbgSettings } from './settings.ts';
import { canonicalAddress } from './wire.ts';

const CURRENCIES: readonly Currency[] = ['ETB'];

/** Login and order together. NBG answers in well under a second, and the customer waits. */
const START_TIMEOUT_MS = 20_000;

/** How long NBG keeps an order open: in all samples `expires_at` is 24 hours after its creation. */
const ORDER_LIFETIME_MS = 24 * 60 * 60 * 1_000;

/**
 * EthSwitch's National Billing Gateway, as in its published API collection of May 2026. NBG publishes
 * no status query, and only NBG knows the page's URL, so a lost answer loses the page.
 */
export function nbgRail(settings: NbgSettings): Rail & Callbacks & Probe {
  return {
    id: NBG_RAIL_ID,
    currencies: CURRENCIES,
    startTimeoutMs: START_TIMEOUT_MS,

    plan(terms: IntentTerms, _method: Method, nowMs: number): AttemptPlan {
      const pageEndsAtMs = Math.max(terms.expiresAtMs, nowMs + settings.pageWindowSeconds * 1_000);
      return {
        flow: 'redirect',
        // Not final: NBG accepts no expiry from us, so the order outlives the payment.
        deadlineAtMs: Math.min(nowMs + ORDER_LIFETIME_MS, pageEndsAtMs),
        windowIsFinal: false,
        checkAtMs: null,
      };
    },

    async start(order: RailOrder): Promise<StartResult> {
      if (!CURRENCIES.includes(order.terms.currency)) {
        return { type: 'refused', reason: 'misconfigured' };
      }
      const endsAtMs = Date.now() + START_TIMEOUT_MS;
      const first = await createOrder(settings, order, endsAtMs);
      // With a refused token NBG created no order, so a retry cannot create a second one.
      const last = first === 'token_refused' ? await createOrder(settings, order, endsAtMs) : first;
      if (last === 'token_refused') {
        logAnswer('order.create', order, { status: 401 });
        return { type: 'refused', reason: 'misconfigured' };
      }
      return last;
    },

    probe: async () => (await import('./nbg-probe.ts')).probe(settings),

    async readCallback(call: CallbackCall, order: RailOrder): Promise<CallbackReading> {
      if (!isFromAllowedAddress(settings.callbackAddresses, call)) {
        return refused('not_authentic', 403);
      }
      const text = bodyText(call);
      const notice = readNbgCallback(text, order, settings.billerBin);
      if (notice.type === 'suspicious') {
        if (notice.suspicion === 'unknown_state') {
          logAnswer('callback', order, { providerCode: nbgCode(text) });
        }
        return refused(notice.suspicion, 400);
      }
      const providerCode = nbgCode(text);
      const outcome = withProviderCode(notice.outcome, providerCode);
      if (outcome.type !== 'succeeded') {
        const level = outcome.type === 'failed' ? 'info' : 'warn';
        logAnswer('callback', order, { providerCode, level });
      }
      return { type: 'outcome', outcome, reply: jsonReply(200, { code: 'SUCCESS' }) };
    },
  };
}

/** One try, with the cached token or a new one. */
async function createOrder(
  settings: NbgSettings,
  order: RailOrder,
  endsAtMs: number,
): Promise<StartResult | 'token_refused'> {
  const login = await loginUntil(settings, endsAtMs);
  if (login.type === 'refused') {
    logAnswer('login', order, { status: login.status });
    return { type: 'refused', reason: login.reason };
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
    logAnswer('order.create', order, {});
    return { type: 'unknown' };
  }
  if (answer.status === 401) {
    dropNbgToken(settings, login.token);
    return 'token_refused';
  }
  const result = createdOrder(answer.status, answer.text, order);
  if (result.type !== 'accepted') {
    logAnswer('order.create', order, { status: answer.status });
  }
  return result;
}

/** NBG publishes no codes of its own: a refusal has only an HTTP status. */
function logAnswer(
  call: string,
  { attempt: { reference, railReference } }: RailOrder,
  logFields: Partial<Pick<RailLogEntry, 'status' | 'providerCode' | 'level'>>,
): void {
  logRailAnswer({
    rail: NBG_RAIL_ID,
    call,
    reference,
    railReference: railReference ?? undefined,
    providerCode: null,
    ...logFields,
  });
}

async function loginUntil(settings: NbgSettings, endsAtMs: number): Promise<Login> {
  const timeoutMs = endsAtMs - Date.now();
  return timeoutMs > 0
    ? nbgToken(settings, timeoutMs)
    : { type: 'refused', reason: 'rail_unavailable' };
}

/** NBG publishes no error codes, so only the HTTP status decides. */
function createdOrder(status: number, text: string, order: RailOrder): StartResult {
  if (status === 200 || status === 201) {
    const page = readNbgPage(text, order);
    return page === null ? { type: 'unknown' } : { type: 'accepted', ...page };
  }
  if (status === 429) {
    return { type: 'refused', reason: 'rail_unavailable' };
  }
  // 409: the order exists, perhaps from this call.
  const isRefusal = status >= 400 && status < 500 && status !== 409 && !isBusy(status);
  return isRefusal ? { type: 'refused', reason: 'misconfigured' } : { type: 'unknown' };
}

/** Cloudflare sets `CF-Connecting-IP` and overwrites the caller's own value. */
function isFromAllowedAddress(addresses: readonly string[], { headers }: CallbackCall): boolean {
  const address = canonicalAddress(headers['cf-connecting-ip'] ?? '');
  return addresses.length === 0 || (address !== null && addresses.includes(address));
}

function refused(suspicion: CallbackSuspicion, status: number): CallbackReading {
  return refusedCallback(suspicion, jsonReply(status, { code: 'FAILED' }));
}
