import type { CallbackProof, CallbackReading, CallbackSuspicion } from '../callback.ts';
import { jsonObject } from '../members.ts';
import { withProviderCode } from '../outcomes.ts';
import type { StartResult } from '../rail.ts';
import { logRailAnswer } from '../rail-log.ts';
import type { RailOrder } from '../rail-order.ts';
import { codeIn, post } from './api.ts';
import { ACCEPTED, REJECTED, readMpesaCallback, resultCodeIn } from './callback.ts';
import { pushBody, readPush } from './push.ts';
import { type MpesaSettings, RAIL_ID } from './settings.ts';

/** Prompts the customer's phone. */
export async function startPayment(
  settings: MpesaSettings,
  order: RailOrder,
  phone: string,
  answerByMs: number,
): Promise<StartResult> {
  const answer = await post(settings, {
    name: 'processrequest',
    path: '/mpesa/stkpush/v3/processrequest',
    order,
    answerByMs,
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
}

/** What M-PESA reports about the payment: the push's outcome, or a status query's result. */
export async function readCallback(
  settings: MpesaSettings,
  text: string,
  order: RailOrder,
): Promise<CallbackReading> {
  const { statusQuery } = settings;
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
