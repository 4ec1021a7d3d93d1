import type { IntentTerms } from '../../domain/intent.ts';
import type { Currency, Method } from '../../domain/method.ts';
import { isWholeMajor } from '../../domain/money.ts';
import { callRail } from '../call-rail.ts';
import {
  bodyText,
  type CallbackCall,
  type CallbackReading,
  type CallbackSuspicion,
  jsonReply,
  refusedCallback,
} from '../callback.ts';
import { phoneToPrompt, promptPlan } from '../phone-prompt.ts';
import { withProviderCode } from '../provider-code.ts';
import type { Callbacks, PhoneCheck, Rail, RailOrder, StartResult, WholeAmounts } from '../rail.ts';
import { logRailAnswer, type RailLogEntry } from '../rail-log.ts';
import { type MpesaReading, readMpesaCallback, resultCodeIn } from './callback.ts';
import { type PushResult, pushBody, pushLogFields, readPush } from './push.ts';
import type { MpesaSettings } from './settings.ts';
import { bearerToken, dropToken } from './token.ts';

/** Part of the callback URL, where Safaricom advises against the word "mpesa". */
const RAIL_ID = 'stk-push';

const CURRENCIES: readonly Currency[] = ['ETB'];

/** Token and push together. M-PESA answers the push before it prompts the customer. */
const START_TIMEOUT_MS = 15_000;

/** A slower token request leaves no time for the push. */
const TOKEN_TIMEOUT_MS = 5_000;

/** Numbers of Safaricom Ethiopia, the only ones with M-PESA accounts. */
const MPESA_PHONE = /^2517\d{8}$/;

/**
 * M-PESA of Safaricom Ethiopia by STK push v3: a prompt on the customer's phone, whose outcome comes
 * only by callback. The provider's status query requires the receipt number, which only the callback
 * contains, so we cannot query a push without a callback.
 */
export function mpesaRail(settings: MpesaSettings): Rail & PhoneCheck & WholeAmounts & Callbacks {
  // The push has no field that shortens it.
  const windowMs = settings.promptWindowSeconds * 1_000;
  const rail = {
    id: RAIL_ID,
    currencies: CURRENCIES,
    startTimeoutMs: START_TIMEOUT_MS,
    wholeAmountsOnly: settings.wholeAmountsOnly,

    acceptsPhone: (phone: string) => MPESA_PHONE.test(phone),

    timeNeededMs: windowMs,
    plan: (_terms: IntentTerms, _method: Method, nowMs: number) =>
      promptPlan(nowMs + windowMs, null),

    async start(order: RailOrder): Promise<StartResult> {
      const phone = phoneToPrompt(rail, order);
      if (typeof phone !== 'string') {
        return phone;
      }
      if (settings.wholeAmountsOnly && !isWholeMajor(order.chargedMinor)) {
        return { type: 'refused', reason: 'declined' };
      }
      const answerByMs = Date.now() + START_TIMEOUT_MS;
      const first = await push(settings, order, phone, answerByMs);
      // M-PESA refuses a token before it reads the push, so a retry cannot prompt twice.
      const result =
        first.type === 'token_refused' ? await push(settings, order, phone, answerByMs) : first;
      return result.type === 'token_refused'
        ? { ...result, type: 'refused', reason: 'misconfigured' }
        : result;
    },

    async readCallback(call: CallbackCall, order: RailOrder): Promise<CallbackReading> {
      const text = bodyText(call);
      const reading = readMpesaCallback(text, order, settings);
      const level = logLevelOf(reading);
      const providerCode = resultCodeIn(text);
      if (level !== null) {
        logAnswer('callback', order, { providerCode, level });
      }
      return reading.type === 'refused'
        ? refusedCallback(
            reading.suspicion,
            jsonReply(400, { ResultCode: 1, ResultDesc: 'Rejected' }),
          )
        : {
            type: 'outcome',
            outcome: withProviderCode(reading.outcome, providerCode),
            reply: jsonReply(200, { ResultCode: 0, ResultDesc: 'Accepted' }),
          };
    },
  };
  return rail;
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

function logAnswer(
  call: string,
  { attempt: { reference } }: RailOrder,
  logFields: Pick<RailLogEntry, 'status' | 'providerCode' | 'level'>,
): void {
  // Without the CheckoutRequestID, which ends with the customer's phone number.
  logRailAnswer({ rail: RAIL_ID, call, reference, ...logFields });
}

/** One push, with the cached token or a new one. */
async function push(
  settings: MpesaSettings,
  order: RailOrder,
  phone: string,
  answerByMs: number,
): Promise<PushResult> {
  const token = await bearerToken(settings, Math.min(TOKEN_TIMEOUT_MS, remainingMs(answerByMs)));
  if (token.type === 'refused') {
    logAnswer('token', order, token.logFields);
    return withProviderCode(
      { type: 'refused', reason: token.reason },
      token.logFields.providerCode,
    );
  }
  const answer = await callRail(
    `${settings.baseUrl}/mpesa/stkpush/v3/processrequest`,
    {
      method: 'POST',
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${token.token}`,
        'content-type': 'application/json',
      },
      body: await pushBody(settings, order, phone, Date.now()),
    },
    remainingMs(answerByMs),
  );
  const logFields = pushLogFields(answer);
  const result = withProviderCode(readPush(answer), logFields.providerCode);
  if (result.type !== 'accepted') {
    logAnswer('processrequest', order, logFields);
  }
  if (result.type === 'token_refused') {
    dropToken(settings, token.token);
  }
  return result;
}

/** At least 1 ms, because a timer cannot be set in the past. */
function remainingMs(answerByMs: number): number {
  return Math.max(1, answerByMs - Date.now());
}
