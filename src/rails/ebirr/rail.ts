import type { IntentTerms, Outcome } from '../../domain/intent.ts';
import type { Currency, Method } from '../../domain/method.ts';
import { nextCheckAtMs } from '../../domain/schedule.ts';
import { callRail, type RailAnswer } from '../call-rail.ts';
import type { CallbackCall } from '../callback.ts';
import { phoneToPrompt, slowPromptPlan } from '../phone-prompt.ts';
import { withProviderCode } from '../provider-code.ts';
import type {
  Callbacks,
  PhoneCheck,
  Probe,
  Rail,
  SlowStart,
  StartResult,
  StatusQuery,
} from '../rail.ts';
import { logRailAnswer } from '../rail-log.ts';
import type { RailOrder } from '../rail-order.ts';
import type { RefundAnswer, RefundOrder, Refunds } from '../refund.ts';
import { hasPrefix } from '../setting-fields.ts';
import { meaningOfStatus, STATUSES, startByStatus } from '../statuses.ts';
import { codeOf, type EbirrReport, ebirrReport, meaningOf, mismatchOf } from './answer.ts';
import { readEbirrCallback } from './callback.ts';
import { purchaseFor, purchaseRequest } from './purchase.ts';
import { EBIRR_RAIL_ID, type EbirrSettings, PHONE_PREFIXES } from './settings.ts';

const CURRENCIES: readonly Currency[] = ['ETB'];

/**
 * eBirr's own time after the customer's: it notifies the wallet, books the payment, and answers.
 */
const ANSWER_TIME_MS = 30_000;

/** `API_REVERSAL` works for 24 hours, according to the only code that sends it. */
const REVERSAL_WINDOW_MS = 24 * 60 * 60 * 1_000;

/**
 * eBirr (Coopay, Kaafi): a prompt on the customer's phone. One call asks for the payment and returns
 * its result. A payment whose answer was lost waits for eBirr's report to the callback URL, for a
 * status query if the operator has turned them on, or for a manual resolution. A refund whose answer
 * was lost needs an operator: no status query is known to tell a canceled purchase.
 */
export function ebirrRail(
  settings: EbirrSettings,
): Rail & PhoneCheck & SlowStart & Callbacks & Partial<StatusQuery> & Refunds & Probe {
  const { statusQuery, refundService } = settings;
  // eBirr answers only after the customer has acted.
  const callTimeMs = settings.promptWindowSeconds * 1_000 + ANSWER_TIME_MS;
  const send = (request: object, timeoutMs: number) => post(settings, request, timeoutMs);
  const rail = {
    id: EBIRR_RAIL_ID,
    ...rulesOf(settings.phonePrefixes),
    startTimeoutMs: callTimeMs,
    startWaitsForCustomer: true as const,

    plan: (terms: IntentTerms, _method: Method, nowMs: number) => slowPromptPlan(terms, nowMs),

    async start(order: RailOrder): Promise<StartResult> {
      const phone = phoneToPrompt(rail, order);
      return typeof phone === 'string' ? purchase(settings, order, phone, callTimeMs) : phone;
    },

    async readCallback(call: CallbackCall, order: RailOrder) {
      const { startedAtMs } = order.attempt;
      // An undecided report says that something happened, so the next query comes soon.
      const checkAtMs =
        statusQuery === undefined ? null : nextCheckAtMs(0, startedAtMs, Date.now());
      return readEbirrCallback(call, order, checkAtMs);
    },

    ...(statusQuery !== undefined && {
      async query(order: RailOrder, nowMs: number): Promise<Outcome> {
        const { queryStatus } = await import('./transaction-status.ts');
        return queryStatus(settings, statusQuery, order, nowMs, send);
      },
    }),

    probe: async () => (await import('./probe.ts')).probe(settings, send),

    refunds: {
      takesParts: refundService === 'API_REFUND',
      wholeAmountsOnly: false,
      windowMs: refundService === 'API_REVERSAL' ? REVERSAL_WINDOW_MS : null,
    },

    async refund(order: RefundOrder): Promise<RefundAnswer> {
      if (refundService === undefined) {
        return { type: 'requires_action', reason: 'not_enabled' };
      }
      const { refundPurchase } = await import('./refund.ts');
      return refundPurchase(settings, refundService, order, send);
    },
  };
  return rail;
}

function rulesOf(phonePrefixes: readonly string[]) {
  return { currencies: CURRENCIES, acceptsPhone: hasPrefix(phonePrefixes) };
}

/** With default settings. */
export const EBIRR_RULES = rulesOf(PHONE_PREFIXES);

/** Must run at most once per attempt: eBirr may charge the same reference twice. */
async function purchase(
  settings: EbirrSettings,
  order: RailOrder,
  phone: string,
  timeoutMs: number,
): Promise<StartResult> {
  const request = purchaseRequest(settings, purchaseFor(order, phone), Date.now());
  const answer = await post(settings, request, timeoutMs);
  const report = answer.type === 'answered' ? ebirrReport(answer.text) : null;
  const result = startResult(answer, report, order);
  const providerCode = report && codeOf(report);
  if (result.type !== 'resolved') {
    const isCustomerCause = result.type === 'refused' && result.reason !== 'misconfigured';
    logRailAnswer({
      rail: EBIRR_RAIL_ID,
      call: 'API_PURCHASE',
      reference: order.attempt.reference,
      status: answer.type === 'answered' ? answer.status : undefined,
      providerCode,
      level: isCustomerCause ? 'info' : 'warn',
    });
    const isOurs = report !== null && mismatchOf(report, order) === null;
    return withProviderCode(result, isOurs ? providerCode : null);
  }
  return { ...result, outcome: withProviderCode(result.outcome, providerCode) };
}

function post({ baseUrl }: EbirrSettings, request: object, timeoutMs: number): Promise<RailAnswer> {
  const headers = { accept: 'application/json', 'content-type': 'application/json' };
  return callRail(baseUrl, { method: 'POST', headers, body: JSON.stringify(request) }, timeoutMs);
}

function startResult(
  answer: RailAnswer,
  report: EbirrReport | null,
  order: RailOrder,
): StartResult {
  const byStatus = startByStatus(meaningOfStatus(answer, STATUSES.ebirr));
  if (byStatus !== null || report === null || mismatchOf(report, order) !== null) {
    return byStatus ?? { type: 'unknown' };
  }
  const meaning = meaningOf(report);
  switch (meaning.type) {
    case 'paid':
      return { type: 'resolved', outcome: { ...meaning, type: 'succeeded' } };
    case 'failed':
      return { type: 'refused', reason: meaning.reason };
    case 'undecided':
    case 'unknown_state':
      return { type: 'unknown' };
  }
}
