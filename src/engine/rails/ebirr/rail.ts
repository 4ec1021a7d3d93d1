import { unknownUntilQuery } from '../outcomes.ts';
import { phoneToPrompt, slowPromptPlan, walletRules } from '../phone-prompt.ts';
import type { Rail, StartResult } from '../rail.ts';
import type { RailOrder } from '../rail-order.ts';
import type { RefundAnswer } from '../refund.ts';
import { EBIRR_RAIL_ID, type EbirrSettings, PHONE_PREFIXES } from './settings.ts';

/**
 * eBirr's own time after the customer's: it notifies the wallet, books the payment, and answers.
 */
const ANSWER_TIME_MS = 30_000;

/** `API_REVERSAL` works for 24 hours, according to the only code that sends it. */
const REVERSAL_WINDOW_MS = 24 * 60 * 60 * 1_000;

/** With default settings. */
export const EBIRR_RULES = walletRules(PHONE_PREFIXES);

/**
 * eBirr (Coopay, Kaafi): a prompt on the customer's phone. One call asks for the payment and returns
 * its result. A payment whose answer was lost waits for eBirr's report to the callback URL, for a
 * status query if the operator has turned them on, or for a manual resolution. A refund whose answer
 * was lost needs an operator: no status query is known to tell a canceled purchase.
 */
export function ebirrRail(settings: EbirrSettings) {
  const { statusQuery, refundService } = settings;
  // eBirr answers only after the customer has acted.
  const callTimeMs = settings.promptWindowSeconds * 1_000 + ANSWER_TIME_MS;
  const rules = walletRules(settings.phonePrefixes);
  return {
    id: EBIRR_RAIL_ID,
    ...rules,
    startTimeoutMs: callTimeMs,
    startWaitsForCustomer: true as const,

    plan: (terms, _method, nowMs) => slowPromptPlan(terms, nowMs, callTimeMs),

    async start(order): Promise<StartResult> {
      const phone = phoneToPrompt(rules, order);
      if (typeof phone !== 'string') {
        return phone;
      }
      // An isolate loads what a payment needs with the first payment by this rail.
      const { startPayment } = await import('./payment.ts');
      return startPayment(settings, order, phone, callTimeMs);
    },

    async readCallback(call, order) {
      // An undecided report says that something happened, so the next query comes soon.
      const { checkAtMs } = unknownUntilQuery(order, Date.now(), 0);
      const { readEbirrCallback } = await import('./callback.ts');
      return readEbirrCallback(call, order, statusQuery === undefined ? null : checkAtMs);
    },

    ...(statusQuery !== undefined && {
      query: async (order: RailOrder, nowMs: number) =>
        (await import('./transaction-status.ts')).queryStatus(settings, statusQuery, order, nowMs),
    }),

    probe: async () => (await import('./probe.ts')).probe(settings),

    refunds: {
      takesParts: refundService === 'API_REFUND',
      wholeAmountsOnly: false,
      windowMs: refundService === 'API_REVERSAL' ? REVERSAL_WINDOW_MS : null,
    },

    async refund(order): Promise<RefundAnswer> {
      if (refundService === undefined) {
        return { type: 'requires_action', reason: 'not_enabled' };
      }
      const { refundPurchase } = await import('./refund.ts');
      return refundPurchase(settings, refundService, order);
    },
  } satisfies Rail;
}
