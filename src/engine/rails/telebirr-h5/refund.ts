import { majorText } from '../../../kit/money.ts';
import type { RailAnswer } from '../call-rail.ts';
import { isAbsent, isAbsentOr, type Members, minorOf, scalarOf } from '../members.ts';
import { withProviderCode } from '../outcomes.ts';
import { REFUND_TIMEOUT_MS_MAX, type RefundAnswer, type RefundOrder } from '../refund.ts';
import { codeIn, readAnswer } from './answers.ts';
import { type Client, logAnswer, post, send } from './client.ts';
import { CURRENCY, queryOrderContent, startTimeoutMsOf } from './messages.ts';
import { isAbout, isOurs, stateOf, transactionId } from './order-state.ts';
import type { TelebirrH5Settings } from './settings.ts';

/** `payment.refund`, and `queryOrder` for its outcome. */

const UNKNOWN: RefundAnswer = { type: 'unknown' };

/**
 * The account has no refunds: "payment platform failed", also sent for an order that cannot be
 * refunded, "API not found", and "product is not subscribed". A person must look at each.
 */
const NOT_ENABLED_CODES: ReadonlySet<string | null> = new Set([
  '60320025',
  '49401026001',
  '60200098',
]);
const NOT_FOUND = 404;

/**
 * Asks for the refund. telebirr answers the same `refund_request_no` again with REFUND_DUPLICATED, so
 * a second call is made only where an operator asks for it.
 */
export async function refund(client: Client, order: RefundOrder): Promise<RefundAnswer> {
  const { settings } = client;
  const timeoutMs = Math.min(startTimeoutMsOf(settings), REFUND_TIMEOUT_MS_MAX);
  const answer = await send(
    client,
    'refund',
    order.payment,
    refundContent(settings, order),
    timeoutMs,
  );
  if ('type' in answer) {
    return { ...answer, type: 'failed' };
  }
  const result = readRefund(answer, settings, order);
  if (result.type !== 'succeeded') {
    logAnswer('refund', order.payment, answer);
  }
  return result;
}

/**
 * `biz_content` as the documentation has it; some clients send `refund_amount` instead of
 * `actual_amount`. Without `refund_reason`: the merchant's reason is not for the customer.
 */
function refundContent(settings: TelebirrH5Settings, { payment, refund }: RefundOrder): Members {
  return {
    ...queryOrderContent(settings, payment),
    refund_request_no: refund.reference,
    actual_amount: majorText(refund.returnedMinor),
    trans_currency: CURRENCY,
  };
}

/**
 * What the answer to the call proves. Most error codes are not public, so only those that reject
 * the message itself are a failure.
 */
function readRefund(
  answer: RailAnswer,
  settings: TelebirrH5Settings,
  order: RefundOrder,
): RefundAnswer {
  const code = codeIn(answer);
  if (answer.status === NOT_FOUND || NOT_ENABLED_CODES.has(code)) {
    return withProviderCode({ type: 'requires_action', reason: 'not_enabled' }, code);
  }
  const result = readAnswer(answer);
  if (result.type === 'success') {
    return refundAnswer(result.content, settings, order);
  }
  return withProviderCode(
    result.type === 'refused' && result.reason === 'misconfigured'
      ? { type: 'failed', reason: 'misconfigured' }
      : UNKNOWN,
    code,
  );
}

function refundAnswer(
  content: Members,
  settings: TelebirrH5Settings,
  { payment, refund }: RefundOrder,
): RefundAnswer {
  const { refund_request_no, refund_amount, refund_currency } = content;
  const isAboutRefund =
    isOurs(content, settings, payment) &&
    isAbsentOr(refund_request_no, refund.reference) &&
    isAbsentOr(refund_currency, CURRENCY) &&
    (isAbsent(refund_amount) || minorOf(refund_amount) === refund.returnedMinor);
  if (!isAboutRefund) {
    return UNKNOWN;
  }
  const railReference = transactionId(content.refund_order_id);
  const status = scalarOf(content.refund_status);
  switch (status) {
    case 'REFUND_SUCCESS':
      // Without the amount, only the query can confirm it.
      return withProviderCode(
        { type: isAbsent(refund_amount) ? 'unknown' : 'succeeded', railReference },
        status,
      );
    case 'REFUND_FAILED':
      return withProviderCode({ type: 'failed', reason: 'declined' }, status);
    default:
      // REFUNDING, and REFUND_DUPLICATED: telebirr has seen the number, perhaps from this call.
      return withProviderCode({ type: 'unknown', railReference }, status);
  }
}

/**
 * telebirr answers about the order, not about one refund of it. The state proves something only
 * while no other refund of the order was asked for or made.
 */
export async function refundStatus(
  client: Client,
  { payment, isFirst, returnedBeforeMinor }: RefundOrder,
): Promise<RefundAnswer> {
  const { settings } = client;
  const answer = await post(client, 'queryOrder', payment, queryOrderContent(settings, payment));
  if (answer.type !== 'success') {
    return withProviderCode(UNKNOWN, answer.providerCode ?? null);
  }
  if (!isAbout(answer.content, settings, payment)) {
    return UNKNOWN;
  }
  const state = stateOf(answer.content);
  const isAlone = isFirst && returnedBeforeMinor === 0;
  if (isAlone && state === 'REFUND_SUCCESS') {
    const railReference = transactionId(answer.content.refund_order_id);
    return withProviderCode({ type: 'succeeded', railReference }, state);
  }
  return withProviderCode(
    isAlone && state === 'REFUND_FAILED' ? { type: 'failed', reason: 'declined' } : UNKNOWN,
    state,
  );
}
