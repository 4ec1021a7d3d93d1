import type { Outcome } from '../../domain/intent.ts';
import { isWholeMajor } from '../../domain/money.ts';
import {
  bodyText,
  type CallbackReading,
  type CallbackSuspicion,
  refusedCallback,
} from '../callback.ts';
import { jsonObject } from '../members.ts';
import { withProviderCode } from '../outcomes.ts';
import { firstPromptQueryAtMs, phoneToPrompt, promptPlan } from '../phone-prompt.ts';
import type { Rail, StartResult } from '../rail.ts';
import type { RailOrder } from '../rail-order.ts';
import type { RefundAnswer } from '../refund.ts';
import { readMpesaCallback, resultCodeIn } from './callback.ts';
import { acceptedReply, type MpesaReading, rejectedReply } from './json.ts';
import { logAnswer, RAIL_ID } from './log.ts';
import { post } from './post.ts';
import { pushBody, pushLogFields, readPush } from './push.ts';
import { type MpesaSettings, WHOLE_AMOUNTS_ONLY } from './settings.ts';

/** Token and push together. M-PESA answers the push before it prompts the customer. */
const START_TIMEOUT_MS = 15_000;

/** Numbers of Safaricom Ethiopia, the only ones with M-PESA accounts. */
const MPESA_PHONE = /^2517\d{8}$/;

/** With default settings. */
export const MPESA_RULES = {
  currencies: ['ETB'] as const,
  wholeAmountsOnly: WHOLE_AMOUNTS_ONLY,
  acceptsPhone: (phone: string) => MPESA_PHONE.test(phone),
};

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

    plan: (_terms, _method, nowMs) =>
      promptPlan(nowMs + windowMs, firstPromptQueryAtMs(statusQuery !== undefined, nowMs)),

    async start(order): Promise<StartResult> {
      const phone = phoneToPrompt(MPESA_RULES, order);
      if (typeof phone !== 'string') {
        return phone;
      }
      if (settings.wholeAmountsOnly && !isWholeMajor(order.chargedMinor)) {
        return { type: 'refused', reason: 'declined' };
      }
      return push(settings, order, phone);
    },

    async readCallback(call, order): Promise<CallbackReading> {
      const text = bodyText(call);
      if (statusQuery !== undefined && jsonObject(text)?.Result !== undefined) {
        const { readStatusResult } = await import('./status-result.ts');
        const result = readStatusResult(text, order, statusQuery.failedStates);
        if (result !== null) {
          return callbackReading(result.reading, result.code);
        }
      }
      const reading = readMpesaCallback(text, order, settings);
      const level = logLevelOf(reading);
      const providerCode = resultCodeIn(text);
      if (level !== null) {
        logAnswer('callback', order, { providerCode, level });
      }
      return callbackReading(reading, providerCode);
    },

    ...(statusQuery !== undefined && {
      async query(order: RailOrder, nowMs: number): Promise<Outcome> {
        const { queryStatus } = await import('./status-query.ts');
        return queryStatus(settings, statusQuery, order, nowMs);
      },
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

    async readRefundCallback(call, order) {
      const { readReversalResult } = await import('./reversal-result.ts');
      return readReversalResult(call, order);
    },
  } satisfies Rail;
}

type Reading = MpesaReading | { readonly type: 'inconclusive' };

function callbackReading(reading: Reading, providerCode: string | null): CallbackReading {
  switch (reading.type) {
    case 'outcome':
      return {
        type: 'outcome',
        outcome: withProviderCode(reading.outcome, providerCode),
        reply: acceptedReply(),
      };
    case 'inconclusive':
      return { type: 'inconclusive', reply: acceptedReply() };
    case 'refused':
      return refusedCallback(reading.suspicion, rejectedReply());
  }
}

/** An unknown code, and a success that names no amount. */
const NEEDING_OPERATOR: readonly CallbackSuspicion[] = ['unknown_state', 'not_confirmed'];

/** Customers cause failures (`info`); what cannot be read for certain needs the operator (`warn`). */
function logLevelOf(reading: MpesaReading): 'info' | 'warn' | null {
  if (reading.type === 'refused') {
    return NEEDING_OPERATOR.includes(reading.suspicion) ? 'warn' : null;
  }
  return reading.outcome.type === 'succeeded' ? null : 'info';
}

async function push(
  settings: MpesaSettings,
  order: RailOrder,
  phone: string,
): Promise<StartResult> {
  const result = await post(
    settings,
    '/mpesa/stkpush/v3/processrequest',
    Date.now() + START_TIMEOUT_MS,
    () => pushBody(settings, order, phone, Date.now()),
    (answer) => {
      const logFields = pushLogFields(answer);
      const read = readPush(answer);
      if (read.type !== 'accepted') {
        logAnswer('processrequest', order, logFields);
      }
      return withProviderCode(read, logFields.providerCode);
    },
  );
  switch (result.type) {
    case 'no_token':
      logAnswer('token', order, result);
      return withProviderCode({ type: 'refused', reason: result.reason }, result.providerCode);
    case 'token_refused':
      return { ...result, type: 'refused', reason: 'misconfigured' };
    default:
      return result;
  }
}
