import type { CallRefused } from '../bearer-tokens.ts';
import { postJson, type RailAnswer } from '../call-rail.ts';
import {
  bodyText,
  type CallbackCall,
  type CallbackReading,
  type CallbackSuspicion,
  jsonReply,
  refusedCallback,
} from '../callback.ts';
import { withProviderCode } from '../outcomes.ts';
import type { Rail, StartResult } from '../rail.ts';
import { logRailAnswer } from '../rail-log.ts';
import type { RailOrder } from '../rail-order.ts';
import { meaningOfStatus, STATUSES, startByStatus } from '../statuses.ts';
import { nbgCode, readNbgCallback } from './nbg-callback.ts';
import { nbgOrderJson, readNbgPage } from './nbg-order.ts';
import { tokenSource, tokens } from './nbg-token.ts';
import { NBG_RAIL_ID, type NbgSettings } from './settings.ts';
import { canonicalAddress } from './wire.ts';

/** Login and order together. NBG answers in well under a second, and the customer waits. */
const START_TIMEOUT_MS = 20_000;

/** How long NBG keeps an order open: in all samples `expires_at` is 24 hours after its creation. */
const ORDER_LIFETIME_MS = 24 * 60 * 60 * 1_000;

/**
 * EthSwitch's National Billing Gateway, as in its published API collection of May 2026. NBG publishes
 * no status query, and only NBG knows the page's URL, so a lost answer loses the page.
 */
export function nbgRail(settings: NbgSettings) {
  return {
    id: NBG_RAIL_ID,
    currencies: ['ETB'],
    startTimeoutMs: START_TIMEOUT_MS,

    plan({ expiresAtMs }, _method, nowMs) {
      const pageEndsAtMs = Math.max(expiresAtMs, nowMs + settings.pageWindowSeconds * 1_000);
      return {
        flow: 'redirect',
        // Not final: NBG accepts no expiry from us, so the order outlives the payment.
        deadlineAtMs: Math.min(nowMs + ORDER_LIFETIME_MS, pageEndsAtMs),
        windowIsFinal: false,
        checkAtMs: null,
      };
    },

    start: async (order) =>
      order.terms.currency === 'ETB'
        ? createOrder(settings, order)
        : { type: 'refused', reason: 'misconfigured' },

    probe: async () => (await import('./probes.ts')).probeNbg(settings),

    async readCallback(call, order) {
      if (!isFromAllowedAddress(settings.callbackAddresses, call)) {
        return refused('not_authentic', 403);
      }
      const text = bodyText(call);
      const notice = readNbgCallback(text, order, settings.billerBin);
      const providerCode = nbgCode(text);
      const logged = { providerCode, railReference: order.attempt.railReference };
      if (notice.type === 'refused') {
        if (notice.suspicion === 'unknown_state') {
          logRailAnswer(NBG_RAIL_ID, 'callback', order, logged);
        }
        return refused(notice.suspicion, 400);
      }
      const outcome = withProviderCode(notice.outcome, providerCode);
      if (outcome.type !== 'succeeded') {
        const level = outcome.type === 'failed' ? 'info' : 'warn';
        logRailAnswer(NBG_RAIL_ID, 'callback', order, { ...logged, level });
      }
      return { type: 'outcome', outcome, reply: jsonReply(200, { code: 'SUCCESS' }) };
    },
  } satisfies Rail;
}

async function createOrder(settings: NbgSettings, order: RailOrder): Promise<StartResult> {
  const endsAtMs = Date.now() + START_TIMEOUT_MS;
  const leftMs = () => endsAtMs - Date.now();
  const answer = await tokens.call(tokenSource(settings, leftMs), {
    rail: NBG_RAIL_ID,
    name: 'order.create',
    order,
    send: (token) => postOrder(settings, order, token, leftMs()),
    isTokenRefused: (given) => meaningOfStatus(given, STATUSES.nbgOrder) === 'token_refused',
    // NBG publishes no codes of its own: a refusal has only an HTTP status.
    codeIn: () => null,
  });
  if ('type' in answer) {
    return answer;
  }
  const page = readNbgPage(answer.text, order);
  const result: StartResult =
    startByStatus(meaningOfStatus(answer, STATUSES.nbgOrder)) ??
    (page === null ? { type: 'unknown' } : { type: 'accepted', ...page });
  if (result.type !== 'accepted') {
    logRailAnswer(NBG_RAIL_ID, 'order.create', order, { status: answer.status });
  }
  return result;
}

async function postOrder(
  settings: NbgSettings,
  order: RailOrder,
  token: string,
  timeoutMs: number,
): Promise<RailAnswer | CallRefused> {
  if (timeoutMs <= 0) {
    return { type: 'refused', reason: 'rail_unavailable' };
  }
  const url = `${settings.baseUrl}/nbg/api/v1/payment/order/handle?action=order.create`;
  return postJson(settings, url, nbgOrderJson(order), timeoutMs, {
    authorization: `Bearer ${token}`,
    'x-correlation-id': order.attempt.id,
    'x-biller-bin': settings.billerBin,
    'idempotency-key': order.attempt.reference,
  });
}

/** Cloudflare sets `CF-Connecting-IP` and overwrites the caller's own value. */
function isFromAllowedAddress(addresses: readonly string[], { headers }: CallbackCall): boolean {
  const address = canonicalAddress(headers['cf-connecting-ip'] ?? '');
  return addresses.length === 0 || (address !== null && addresses.includes(address));
}

function refused(suspicion: CallbackSuspicion, status: number): CallbackReading {
  return refusedCallback(suspicion, jsonReply(status, { code: 'FAILED' }));
}
