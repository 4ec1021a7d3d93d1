import { majorText } from '../../../kit/money.ts';
import { postJson, type RailAnswer } from '../call-rail.ts';
import { minorOf } from '../members.ts';
import { withProviderCode } from '../outcomes.ts';
import { logRailAnswer } from '../rail-log.ts';
import type { RefundAnswer, RefundOrder } from '../refund.ts';
import { meaningOfStatus, STATUSES } from '../statuses.ts';
import {
  codeOf,
  type EbirrReport,
  ebirrReport,
  isCurrencyOf,
  isNotAuthorized,
  marksOfSuccess,
  receiptsOf,
} from './answer.ts';
import { ebirrRequest } from './purchase.ts';
import { EBIRR_RAIL_ID, type EbirrSettings, type RefundService } from './settings.ts';

/** eBirr answers without asking anyone. */
const REFUND_TIMEOUT_MS = 30_000;

/** Asks eBirr to return a payment. Must run at most once: the request has no id of the refund. */
export async function refundPurchase(
  settings: EbirrSettings,
  service: RefundService,
  order: RefundOrder,
): Promise<RefundAnswer> {
  const { receipt, issuerReceipt } = order.payment.attempt;
  // An operator may have recorded the wallet's id as the receipt. eBirr returns nothing by that id.
  if (receipt === null || receipt === issuerReceipt) {
    return { type: 'requires_action', reason: 'not_supported' };
  }
  const requestId = crypto.randomUUID();
  const request = refundRequest(settings, service, order, receipt, requestId, Date.now());
  const answer = await postJson(settings, settings.baseUrl, request, REFUND_TIMEOUT_MS);
  const report = ebirrReport(answer.text);
  const outcome = refundAnswer(answer, report, order);
  const providerCode = report && codeOf(report);
  if (outcome.type !== 'succeeded') {
    logRailAnswer(EBIRR_RAIL_ID, service, order.payment, { status: answer.status, providerCode });
  }
  return withProviderCode(outcome, providerCode);
}

/** The request, with its fields in the order of the vendor's documentation or SDK. Pure. */
export function refundRequest(
  settings: EbirrSettings,
  service: RefundService,
  { payment, refund }: RefundOrder,
  transactionId: string,
  requestId: string,
  nowMs: number,
) {
  // The purchase's reference, so that an id of another purchase cannot return that one.
  const referenceId = payment.attempt.reference;
  const { paymentMethod } = settings;
  const description = `Refund ${refund.reference}`;
  const params = {
    API_CANCELPURCHASE: { paymentMethod, transactionId, referenceId, description },
    API_REVERSAL: { transactionId, description },
    API_REFUND: {
      transactionId,
      description,
      amount: majorText(refund.returnedMinor),
      referenceId,
    },
  };
  return ebirrRequest(settings, service, requestId, nowMs, params[service]);
}

/** What the answer to a refund proves. */
function refundAnswer(
  answer: RailAnswer,
  report: EbirrReport | null,
  { payment, refund }: RefundOrder,
): RefundAnswer {
  const meaning = meaningOfStatus(answer, STATUSES.ebirr);
  if (meaning === 'unread') {
    return { type: 'failed', reason: 'misconfigured' };
  }
  const isOurs =
    meaning === 'answer' &&
    report !== null &&
    (report.referenceId === null || report.referenceId === payment.attempt.reference) &&
    (report.txAmount === null || minorOf(report.txAmount) === refund.returnedMinor) &&
    isCurrencyOf(payment, report.currency);
  if (!isOurs) {
    return { type: 'unknown' };
  }
  const marks = marksOfSuccess(report);
  if (marks.every((mark) => mark)) {
    return { type: 'succeeded', railReference: receiptsOf(report).receipt };
  }
  // A contradiction proves nothing.
  return marks.some((mark) => mark) ? { type: 'unknown' } : refusalOf(report);
}

/**
 * The codes with which eBirr certainly returned nothing. Not among them: 5202 and E10207, "already
 * cancelled". The money was returned by other means, so an operator must look.
 */
function refusalOf(report: EbirrReport): RefundAnswer {
  const message = report.responseMsg ?? '';
  const says = (code: string, start: string) =>
    report.responseCode === code || report.errorCode === code || message.startsWith(start);
  if (says('5202', 'RCS_TRAN_ALREADY_CANCELLED') || report.errorCode === 'E10207') {
    return { type: 'unknown' };
  }
  // The merchant's account, in the vendor's words.
  if (says('50333', 'RCS_ACC_INSUFFICIENT_BALANCE')) {
    return { type: 'failed', reason: 'insufficient_funds' };
  }
  // The vendor also answers "not found" about a purchase that the account may not cancel.
  const isNotAllowed =
    says('5213', 'RCS_TRAN_NOT_FOUND') || says('5308', 'RCS_HPP_SUBSCRIPTION_ISNOT_ENABLED');
  if (isNotAllowed || isNotAuthorized(message)) {
    return { type: 'requires_action', reason: 'not_enabled' };
  }
  return says('5301', 'RCS_INVALID_HPPKEY')
    ? { type: 'failed', reason: 'misconfigured' }
    : { type: 'unknown' };
}
