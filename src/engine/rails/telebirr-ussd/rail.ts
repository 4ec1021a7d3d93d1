import { phoneToPrompt, promptPlan, slowPromptPlan, walletRules } from '../phone-prompt.ts';
import type { Rail, StartResult } from '../rail.ts';
import type { RailOrder } from '../rail-order.ts';
import { PHONE_PREFIXES, RAIL_ID, type TelebirrUssdSettings } from './settings.ts';

/** telebirr acknowledges before it prompts the customer. Other clients wait up to 30 s. */
const START_TIMEOUT_MS = 20_000;

/** CPS's own time after the customer's, to book the payment and answer. */
const RESULT_TIME_MS = 30_000;

/** With default settings. */
export const TELEBIRR_USSD_RULES = walletRules(PHONE_PREFIXES);

/**
 * telebirr's USSD push: CPS, the engine behind telebirr, prompts for the PIN on the customer's phone
 * and posts the result. Where the operator says so, it answers only after the customer has acted, with
 * the result. Its synchronous service also answers status queries, if the operator has turned them on.
 */
export function telebirrUssdRail(settings: TelebirrUssdSettings) {
  const { statusQuery, waitsForResult } = settings;
  // The request cannot shorten the prompt.
  const promptMs = settings.promptWindowSeconds * 1_000;
  const startTimeoutMs = waitsForResult ? promptMs + RESULT_TIME_MS : START_TIMEOUT_MS;
  const rules = walletRules(settings.phonePrefixes);
  return {
    id: RAIL_ID,
    ...rules,
    startTimeoutMs,
    ...(waitsForResult && { startWaitsForCustomer: true as const }),

    plan: (terms, _method, nowMs) =>
      waitsForResult
        ? slowPromptPlan(terms, nowMs, startTimeoutMs)
        : promptPlan(nowMs, promptMs, statusQuery !== undefined),

    async start(order): Promise<StartResult> {
      const phone = phoneToPrompt(rules, order);
      if (typeof phone !== 'string') {
        return phone;
      }
      // An isolate loads what a payment needs with the first payment by this rail.
      const { startPayment } = await import('./payment.ts');
      return startPayment(settings, order, phone, startTimeoutMs);
    },

    readCallback: async (call, order) =>
      (await import('./payment.ts')).readCallback(settings, call, order),

    probe: async (resultUrl) => (await import('./probe.ts')).probe(settings, resultUrl),

    ...(statusQuery !== undefined && {
      query: async (order: RailOrder, nowMs: number) =>
        (await import('./status-query.ts')).queryStatus(settings, statusQuery, order, nowMs),
    }),
  } satisfies Rail;
}
