import type { Outcome } from '../../domain/intent.ts';
import type { RailAnswer } from '../call-rail.ts';
import { jsonObject, scalarOf } from '../members.ts';
import { unknownUntilQuery } from '../outcomes.ts';
import type { RailOrder } from '../rail-order.ts';
import { SUCCESS_CODE } from './codes.ts';
import { logAnswer } from './log.ts';
import { post } from './post.ts';
import { pushLogFields, readPush } from './push.ts';
import type { MpesaSettings } from './settings.ts';

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
    const answerByMs = Date.now() + QUERY_TIMEOUT_MS;
    const body = statusBody(settings, statusQuery, order, railReference);
    const read = (answer: RailAnswer) => {
      if (!isAccepted(answer)) {
        logAnswer('transactionstatus', order, pushLogFields(answer));
      }
      return readPush(answer);
    };
    // The next query uses another token in place of one that M-PESA refuses.
    const posted = await post(settings, STATUS_PATH, answerByMs, () => body, read, 1);
    if (posted.type === 'no_token') {
      logAnswer('token', order, posted);
    }
  }
  return unknownUntilQuery(order, nowMs);
}

/** Whether M-PESA has accepted the query. */
export function isAccepted(answer: RailAnswer): boolean {
  return answer.status === 200 && scalarOf(jsonObject(answer.text)?.ResponseCode) === SUCCESS_CODE;
}
