import type { IntentTerms } from '../../domain/intent.ts';
import type { Currency, Method } from '../../domain/method.ts';
import { callRail } from '../call-rail.ts';
import type { CallbackCall } from '../callback.ts';
import { phoneToPrompt, slowPromptPlan, slowTimeNeededMs } from '../phone-prompt.ts';
import { withProviderCode } from '../provider-code.ts';
import type { Callbacks, PhoneCheck, Rail, RailOrder, SlowStart, StartResult } from '../rail.ts';
import { logRailAnswer } from '../rail-log.ts';
import { codeOf, type EbirrReport, ebirrReport, meaningOf, mismatchOf } from './answer.ts';
import { readEbirrCallback } from './callback.ts';
import { purchaseFor, purchaseRequest } from './purchase.ts';
import { EBIRR_RAIL_ID, type EbirrSettings } from './settings.ts';

const CURRENCIES: readonly Currency[] = ['ETB'];

/**
 * eBirr's own time after the customer's: it notifies the wallet, books the payment, and answers.
 */
const ANSWER_TIME_MS = 30_000;

/** The server rejected the request unread, so eBirr did not prompt the customer. */
const UNREAD_STATUSES: readonly number[] = [401, 403, 404, 405];

/**
 * eBirr (Coopay, Kaafi): a prompt on the customer's phone. One call asks for the payment and returns
 * its result. eBirr has not confirmed a status query for direct purchases, so a payment whose answer
 * was lost waits for eBirr's report to the callback URL, or for a manual resolution.
 */
export function ebirrRail(settings: EbirrSettings): Rail & PhoneCheck & SlowStart & Callbacks {
  // eBirr answers only after the customer has acted.
  const callTimeMs = settings.promptWindowSeconds * 1_000 + ANSWER_TIME_MS;
  const rail = {
    id: EBIRR_RAIL_ID,
    currencies: CURRENCIES,
    startTimeoutMs: callTimeMs,
    startWaitsForCustomer: true as const,
    timeNeededMs: slowTimeNeededMs(callTimeMs),

    acceptsPhone: (phone: string) =>
      settings.phonePrefixes.some((prefix) => phone.startsWith(prefix)),

    plan: (_terms: IntentTerms, _method: Method, nowMs: number) => slowPromptPlan(nowMs),

    async start(order: RailOrder): Promise<StartResult> {
      const phone = phoneToPrompt(rail, order);
      return typeof phone === 'string' ? purchase(settings, order, phone, callTimeMs) : phone;
    },

    readCallback: async (call: CallbackCall, order: RailOrder) => readEbirrCallback(call, order),
  };
  return rail;
}

/** Must run at most once per attempt: eBirr may charge the same reference twice. */
async function purchase(
  settings: EbirrSettings,
  order: RailOrder,
  phone: string,
  timeoutMs: number,
): Promise<StartResult> {
  const request = purchaseRequest(settings, purchaseFor(order, phone), Date.now());
  const answer = await callRail(
    settings.baseUrl,
    {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify(request),
    },
    timeoutMs,
  );
  const report = answer.type === 'answered' ? ebirrReport(answer.text) : null;
  const result: StartResult =
    answer.type === 'answered' ? startResult(answer.status, report, order) : { type: 'unknown' };
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

function startResult(status: number, report: EbirrReport | null, order: RailOrder): StartResult {
  if (UNREAD_STATUSES.includes(status)) {
    return { type: 'refused', reason: 'misconfigured' };
  }
  // eBirr answers 200 even to refuse, so another status does not come from eBirr itself.
  if (status !== 200 || report === null || mismatchOf(report, order) !== null) {
    return { type: 'unknown' };
  }
  const meaning = meaningOf(report);
  switch (meaning.type) {
    case 'paid':
      return { type: 'resolved', outcome: { type: 'succeeded', receipt: meaning.receipt } };
    case 'failed':
      return { type: 'refused', reason: meaning.reason };
    case 'undecided':
    case 'unknown_state':
      return { type: 'unknown' };
  }
}
