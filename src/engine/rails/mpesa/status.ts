import type { Outcome } from '../../domain/attempt.ts';
import type { CallbackProof } from '../callback.ts';
import { membersOf, scalarOf } from '../members.ts';
import { unknownUntilQuery } from '../outcomes.ts';
import { logRailAnswer } from '../rail-log.ts';
import type { RailOrder } from '../rail-order.ts';
import { normalizedState } from '../setting-fields.ts';
import { codeIn, isAccepted, post } from './api.ts';
import { receiptOf } from './callback.ts';
import { SUCCESS_CODE } from './codes.ts';
import { type MpesaResult, resultIn, valueWithKey } from './result.ts';
import { type MpesaSettings, PAID_STATE, RAIL_ID } from './settings.ts';

/** Token and query together. */
export const QUERY_TIMEOUT_MS = 10_000;

export const STATUS_PATH = '/mpesa/transactionstatus/v1/query';

export type StatusQuerySettings = NonNullable<MpesaSettings['statusQuery']>;

/**
 * The body of a status query. M-PESA looks the push up by its CheckoutRequestID, which the SDKs allow
 * in place of the receipt that only a callback contains. `Occasion` repeats it: where M-PESA returns
 * the occasion with the result, it proves which push the result is about. The field's odd spelling is
 * M-PESA's.
 */
export function statusBody(
  { shortcode }: Pick<MpesaSettings, 'shortcode'>,
  { initiator, securityCredential, transactionId }: StatusQuerySettings,
  { callbackUrl }: Pick<RailOrder, 'callbackUrl'>,
  checkoutRequestId: string,
): string {
  return JSON.stringify({
    Initiator: initiator,
    SecurityCredential: securityCredential,
    CommandID: 'TransactionStatusQuery',
    ...(transactionId !== 'left_out' && {
      TransactionID: transactionId === 'empty' ? '' : checkoutRequestId,
    }),
    OriginalConcersationID: checkoutRequestId,
    PartyA: shortcode,
    IdentifierType: '4',
    ResultURL: callbackUrl,
    QueueTimeOutURL: callbackUrl,
    Remarks: 'Status query',
    Occasion: checkoutRequestId,
  });
}

/** Sends the query. Its result comes to the callback URL, so its answer only schedules the next. */
export async function queryStatus(
  settings: MpesaSettings,
  statusQuery: StatusQuerySettings,
  order: RailOrder,
  nowMs: number,
): Promise<Outcome> {
  const { railReference } = order.attempt;
  // Without the answer to the push, we do not know M-PESA's id of it.
  if (railReference !== null) {
    const answer = await post(settings, {
      name: 'transactionstatus',
      path: STATUS_PATH,
      order,
      answerByMs: Date.now() + QUERY_TIMEOUT_MS,
      bodyNow: () => statusBody(settings, statusQuery, order, railReference),
      // The next query uses another token in place of one that M-PESA refuses.
      callsMax: 1,
    });
    if (!('type' in answer || isAccepted(answer))) {
      const logged = { status: answer.status, providerCode: codeIn(answer) };
      logRailAnswer(RAIL_ID, 'transactionstatus', order, logged);
    }
  }
  return unknownUntilQuery(order, nowMs);
}

/**
 * What a result proves about the order to whose URL it came, and its code or state. It is unsigned:
 * besides the unguessable URL it must name the push's CheckoutRequestID, which only M-PESA knows. A
 * payment must have our amount, a failure one of `failedStates`. Null for anything else, such as a
 * push's callback.
 */
export function readStatusResult(text: string, order: RailOrder, failedStates: readonly string[]) {
  const result = resultIn(text);
  if (result === null) {
    return null;
  }
  const state = scalarOf(result.parameter('TransactionStatus'));
  const reading = meaningOf(result, state, order, failedStates);
  const { resultCode } = result;
  const code = resultCode === SUCCESS_CODE ? (state ?? resultCode) : resultCode;
  if (reading.type !== 'outcome' || reading.outcome.type !== 'succeeded') {
    // M-PESA sends a result for each query: a warning is only what an operator must read.
    const level = reading.type === 'refused' ? 'warn' : 'info';
    logRailAnswer(RAIL_ID, 'result', order, { providerCode: code, level });
  }
  return { reading, code };
}

function meaningOf(
  { members, isFinal, resultCode, amountMinor, parameter }: MpesaResult,
  state: string | null,
  { attempt: { railReference }, chargedMinor }: RailOrder,
  failedStates: readonly string[],
): CallbackProof {
  const reference = membersOf(members.ReferenceData)?.ReferenceItem;
  // The occasion of our query.
  const occasion = scalarOf(valueWithKey(reference, 'Occasion'));
  const isOther = occasion !== null && occasion !== '' && occasion !== railReference;
  if (isOther) {
    return { type: 'refused', suspicion: 'other_order' };
  }
  if (amountMinor !== undefined && amountMinor !== chargedMinor) {
    return { type: 'refused', suspicion: 'wrong_amount' };
  }
  if (!isFinal || resultCode !== SUCCESS_CODE || state === null) {
    return { type: 'inconclusive' };
  }
  const isPaid = normalizedState(state) === PAID_STATE;
  const ids = ['OriginatorConversationID', 'ConversationID'].map((name) =>
    scalarOf(parameter(name)),
  );
  const isNamed = railReference !== null && [occasion, ...ids].includes(railReference);
  if (isPaid) {
    return isNamed && amountMinor !== undefined
      ? {
          type: 'outcome',
          outcome: { type: 'succeeded', receipt: receiptOf(parameter('ReceiptNo')) },
        }
      : { type: 'refused', suspicion: 'not_confirmed' };
  }
  return isNamed && failedStates.includes(normalizedState(state))
    ? { type: 'outcome', outcome: { type: 'failed', reason: 'declined' } }
    : { type: 'inconclusive' };
}
