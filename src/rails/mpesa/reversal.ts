import type { RailAnswer } from '../call-rail.ts';
import { jsonObject, type Members, matching, scalarOf } from '../members.ts';
import { withProviderCode } from '../outcomes.ts';
import type { RefundAnswer, RefundOrder } from '../refund.ts';
import { meaningOfStatus, STATUSES } from '../statuses.ts';
import { SUCCESS_CODE, TOKEN_ERROR_CODES, TOKEN_REFUSAL_CODES } from './codes.ts';
import { logAnswer } from './log.ts';
import { post } from './post.ts';
import { amountText, pushLogFields } from './push.ts';
import type { MpesaSettings } from './settings.ts';

const REVERSAL_PATH = '/mpesa/reversal/v2/request';

/** Token and reversal together. M-PESA only accepts the reversal; its result comes later. */
const REVERSAL_TIMEOUT_MS = 20_000;

/** Longest id of M-PESA's that we store; a real one has about 40 characters. */
const CONVERSATION_ID = /^[!-~]{1,128}$/;

export type RefundSettings = NonNullable<MpesaSettings['refunds']>;

/**
 * Asks M-PESA to reverse the payment with the receipt that its callback named. The odd spellings are
 * M-PESA's.
 */
export async function reverse(
  settings: MpesaSettings,
  refunds: RefundSettings,
  order: RefundOrder,
): Promise<RefundAnswer> {
  const { receipt } = order.payment.attempt;
  if (receipt === null) {
    return { type: 'requires_action', reason: 'not_supported' };
  }
  const result = await post(
    settings,
    REVERSAL_PATH,
    Date.now() + REVERSAL_TIMEOUT_MS,
    () => reversalBody(settings, refunds, order, receipt),
    (answer) => {
      const logFields = pushLogFields(answer);
      const read = readReversal(answer, order.refund.reference);
      if (read.type !== 'unknown' || read.railReference === undefined) {
        logAnswer('reversal', order.payment, logFields);
      }
      return withProviderCode(read, logFields.providerCode);
    },
  );
  switch (result.type) {
    case 'no_token':
      logAnswer('token', order.payment, result);
      return withProviderCode({ type: 'failed', reason: result.reason }, result.providerCode);
    case 'token_refused':
      return { ...result, type: 'failed', reason: 'misconfigured' };
    default:
      return result;
  }
}

/** The body of a reversal. */
export function reversalBody(
  { shortcode }: Pick<MpesaSettings, 'shortcode'>,
  { initiator, securityCredential, receiverParty }: RefundSettings,
  { payment: { attempt }, refund, callbackUrl }: RefundOrder,
  receipt: string,
): string {
  const { railReference, phone } = attempt;
  return JSON.stringify({
    OriginatorConversationID: refund.reference,
    Initiator: initiator,
    SecurityCredential: securityCredential,
    CommandID: 'TransactionReversal',
    TransactionID: receipt,
    Amount: amountText(refund.returnedMinor),
    ...(railReference !== null && { OriginalConcersationID: railReference }),
    PartyA: shortcode,
    RecieverIdentifierType: '11',
    ReceiverParty: receiverParty === 'customer' ? (phone ?? shortcode) : shortcode,
    ResultURL: callbackUrl,
    QueueTimeOutURL: callbackUrl,
    Remarks: 'Refund',
    Occasion: refund.reference,
  });
}

/** M-PESA refused the bearer token without reading the request. */
type ReversalReading =
  | RefundAnswer
  | { readonly type: 'token_refused'; readonly providerCode?: string | null };

/** What the answer to a reversal proves. It never proves that money was returned. */
export function readReversal(answer: RailAnswer, reference: string): ReversalReading {
  const meaning = meaningOfStatus(answer, STATUSES.mpesa);
  if (meaning === 'token_refused') {
    return { type: 'token_refused' };
  }
  if (meaning === 'busy') {
    return { type: 'failed', reason: 'rail_unavailable' };
  }
  if (meaning !== 'answer') {
    return { type: 'unknown' };
  }
  const fields = jsonObject(answer.text);
  const responseCode = scalarOf(fields?.ResponseCode);
  if (fields === null || responseCode !== null) {
    const isAccepted = answer.status === 200 && responseCode === SUCCESS_CODE;
    return fields !== null && isAccepted
      ? { type: 'unknown', railReference: conversationIdOf(fields, reference) }
      : { type: 'unknown' };
  }
  if (TOKEN_REFUSAL_CODES.has(scalarOf(fields.resultCode))) {
    return { type: 'failed', reason: 'misconfigured' };
  }
  const errorCode = scalarOf(fields.errorCode) ?? '';
  return TOKEN_ERROR_CODES.has(errorCode) ? { type: 'token_refused' } : refusalOf(errorCode);
}

/** Refusals by the gateway in front of the service, which did not pass the request on. */
function refusalOf(errorCode: string): RefundAnswer {
  switch (errorCode) {
    // The token is good, so the app lacks this API: "Access denied", "Resource not found".
    case '403.001.01':
    case '404.001.01':
      return { type: 'requires_action', reason: 'not_enabled' };
    // "Bad Request - Invalid …": only the operator's settings can cause it.
    case '400.002.02':
      return { type: 'failed', reason: 'misconfigured' };
    default:
      return { type: 'unknown' };
  }
}

/** The id by which the result names this request: M-PESA's own, where it does not repeat ours. */
function conversationIdOf(fields: Members, reference: string): string | null {
  const { OriginatorConversationID: originator, ConversationID: conversation } = fields;
  const ids = [originator === reference ? null : originator, conversation];
  return ids.map((id) => matching(id, CONVERSATION_ID)).find((id) => id !== null) ?? null;
}
