import type { AttemptPlan, IntentTerms } from '../../domain/intent.ts';
import type { Currency, Method } from '../../domain/method.ts';
import { callRail, type RailAnswer } from '../call-rail.ts';
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
import { meaningOfStatus, STATUSES, startByStatus } from '../statuses.ts';
import { nbgCode, readNbgCallback } from './nbg-callback.ts';
import { nbgOrderJson, readNbgPage } from './nbg-order.ts';
import { tokenSource, tokens } from './nbg-token.ts';
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
      return createOrder(settings, order, Date.now() + START_TIMEOUT_MS);
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

async function createOrder(
  settings: NbgSettings,
  order: RailOrder,
  endsAtMs: number,
): Promise<StartResult> {
  const leftMs = () => endsAtMs - Date.now();
  const answer = await tokens.call(
    tokenSource(settings, leftMs),
    (token) => postOrder(settings, order, token, leftMs()),
    (given) => isTokenRefused(given),
  );
  switch (answer.type) {
    case 'no_login':
      logAnswer('login', order, { status: answer.status });
      return { type: 'refused', reason: answer.reason };
    case 'too_late':
      return { type: 'refused', reason: 'rail_unavailable' };
    default: {
      const result = createdOrder(answer, order);
      if (result.type !== 'accepted') {
        const status = answer.type === 'answered' ? answer.status : undefined;
        logAnswer('order.create', order, { status });
      }
      return result;
    }
  }
}

async function postOrder(
  { baseUrl, billerBin }: NbgSettings,
  order: RailOrder,
  token: string,
  timeoutMs: number,
): Promise<RailAnswer | { readonly type: 'too_late' }> {
  if (timeoutMs <= 0) {
    return { type: 'too_late' };
  }
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    authorization: `Bearer ${token}`,
    'x-correlation-id': order.attempt.id,
    'x-biller-bin': billerBin,
    'idempotency-key': order.attempt.reference,
  };
  const url = `${baseUrl}/nbg/api/v1/payment/order/handle?action=order.create`;
  return callRail(url, { method: 'POST', headers, body: nbgOrderJson(order) }, timeoutMs);
}

function isTokenRefused(answer: RailAnswer | { readonly type: 'too_late' }): boolean {
  return (
    answer.type === 'answered' && meaningOfStatus(answer, STATUSES.nbgOrder) === 'token_refused'
  );
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

function createdOrder(answer: RailAnswer, order: RailOrder): StartResult {
  const byStatus = startByStatus(meaningOfStatus(answer, STATUSES.nbgOrder));
  const page = answer.type === 'answered' ? readNbgPage(answer.text, order) : null;
  return byStatus ?? (page === null ? { type: 'unknown' } : { type: 'accepted', ...page });
}

/** Cloudflare sets `CF-Connecting-IP` and overwrites the caller's own value. */
function isFromAllowedAddress(addresses: readonly string[], { headers }: CallbackCall): boolean {
  const address = canonicalAddress(headers['cf-connecting-ip'] ?? '');
  return addresses.length === 0 || (address !== null && addresses.includes(address));
}

function refused(suspicion: CallbackSuspicion, status: number): CallbackReading {
  return refusedCallback(suspicion, jsonReply(status, { code: 'FAILED' }));
}
