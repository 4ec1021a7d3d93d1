import { isWholeMajor } from '../../domain/money.ts';
import {
  bodyText,
  type CallbackProof,
  type CallbackReading,
  type CallbackSuspicion,
} from '../callback.ts';
import { jsonObject } from '../members.ts';
import { withProviderCode } from '../outcomes.ts';
import { phoneToPrompt, promptPlan, walletRules } from '../phone-prompt.ts';
import type { Rail, StartResult } from '../rail.ts';
import { logRailAnswer } from '../rail-log.ts';
import type { RailOrder } from '../rail-order.ts';
import type { RefundAnswer } from '../refund.ts';
import { codeIn, post } from './api.ts';
import { ACCEPTED, REJECTED, readMpesaCallback, resultCodeIn } from './callback.ts';
import { pushBody, readPush } from './push.ts';
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
      const answer = await post(settings, {
        name: 'processrequest',
        path: '/mpesa/stkpush/v3/processrequest',
        order,
        answerByMs: Date.now() + START_TIMEOUT_MS,
        bodyNow: () => pushBody(settings, order, phone, Date.now()),
      });
      if ('type' in answer) {
        return answer;
      }
      const result = readPush(answer);
      const providerCode = codeIn(answer);
      if (result.type !== 'accepted') {
        logRailAnswer(RAIL_ID, 'processrequest', order, { status: answer.status, providerCode });
      }
      return withProviderCode(result, providerCode);
    },

    async readCallback(call, order): Promise<CallbackReading> {
      const text = bodyText(call);
      if (statusQuery !== undefined && jsonObject(text)?.Result !== undefined) {
        const { readStatusResult } = await import('./status.ts');
        const result = readStatusResult(text, order, statusQuery.failedStates);
        if (result !== null) {
          return callbackReading(result.reading, result.code);
        }
      }
      const reading = readMpesaCallback(text, order, settings);
      const level = logLevelOf(reading);
      const providerCode = resultCodeIn(text);
      if (level !== null) {
        logRailAnswer(RAIL_ID, 'callback', order, { providerCode, level });
      }
      return callbackReading(reading, providerCode);
    },

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

function callbackReading(reading: CallbackProof, providerCode: string | null): CallbackReading {
  if (reading.type === 'outcome') {
    const outcome = withProviderCode(reading.outcome, providerCode);
    return { type: 'outcome', outcome, reply: ACCEPTED };
  }
  return { ...reading, reply: reading.type === 'refused' ? REJECTED : ACCEPTED };
}

/** An unknown code, and a success that names no amount. */
const NEEDING_OPERATOR: readonly CallbackSuspicion[] = ['unknown_state', 'not_confirmed'];

/** Customers cause failures (`info`); what cannot be read for certain needs the operator (`warn`). */
function logLevelOf(reading: CallbackProof): 'info' | 'warn' | null {
  if (reading.type === 'refused') {
    return NEEDING_OPERATOR.includes(reading.suspicion) ? 'warn' : null;
  }
  return reading.type === 'outcome' && reading.outcome.type === 'succeeded' ? null : 'info';
}
