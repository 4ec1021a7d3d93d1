import { isWholeMajor } from '../../../kit/money.ts';
import { bodyText } from '../callback.ts';
import { phoneToPrompt, promptPlan, walletRules } from '../phone-prompt.ts';
import type { Rail, StartResult } from '../rail.ts';
import type { RailOrder } from '../rail-order.ts';
import type { RefundAnswer } from '../refund.ts';
import { type MpesaSettings, RAIL_ID, WHOLE_AMOUNTS_ONLY } from './settings.ts';

/** Token and push together. M-PESA answers the push before it prompts the customer. */
const START_TIMEOUT_MS = 15_000;

/** With default settings. Only numbers of Safaricom Ethiopia have M-PESA accounts. */
export const MPESA_RULES = { ...walletRules(['2517']), wholeAmountsOnly: WHOLE_AMOUNTS_ONLY };

/**
 * M-PESA of Safaricom Ethiopia by STK push v3: a prompt on the customer's phone, whose outcome comes
 * by callback. If the operator has turned status queries on, their results come to the same URL: a
 * query is sent now and answered later. So are refunds, at each refund's own URL.
 */
export function mpesaRail(settings: MpesaSettings) {
  const { statusQuery, refunds } = settings;
  // The push has no field that shortens it.
  const windowMs = settings.promptWindowSeconds * 1_000;
  return {
    id: RAIL_ID,
    ...MPESA_RULES,
    startTimeoutMs: START_TIMEOUT_MS,
    wholeAmountsOnly: settings.wholeAmountsOnly,

    plan: (_terms, _method, nowMs) => promptPlan(nowMs, windowMs, statusQuery !== undefined),

    async start(order): Promise<StartResult> {
      const phone = phoneToPrompt(MPESA_RULES, order);
      if (typeof phone !== 'string') {
        return phone;
      }
      if (settings.wholeAmountsOnly && !isWholeMajor(order.chargedMinor)) {
        return { type: 'refused', reason: 'declined' };
      }
      // An isolate loads what a payment needs with the first payment by this rail.
      const { startPayment } = await import('./payment.ts');
      return startPayment(settings, order, phone, Date.now() + START_TIMEOUT_MS);
    },

    readCallback: async (call, order) =>
      (await import('./payment.ts')).readCallback(settings, bodyText(call), order),

    ...(statusQuery !== undefined && {
      query: async (order: RailOrder, nowMs: number) =>
        (await import('./status.ts')).queryStatus(settings, statusQuery, order, nowMs),
    }),

    probe: async (resultUrl) => (await import('./probe.ts')).probe(settings, resultUrl),

    // The reversal's "Amount" has no cents.
    refunds: { takesParts: refunds?.takesParts ?? false, wholeAmountsOnly: true, windowMs: null },

    async refund(order): Promise<RefundAnswer> {
      if (refunds === undefined) {
        return { type: 'requires_action', reason: 'not_enabled' };
      }
      const { reverse } = await import('./reversal.ts');
      return reverse(settings, refunds, order);
    },

    readRefundCallback: async (call, order) =>
      (await import('./reversal.ts')).readReversalResult(call, order),
  } satisfies Rail;
}
