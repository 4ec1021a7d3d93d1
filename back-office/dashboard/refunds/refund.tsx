import { runBatch } from '../../../src/database.ts';
import type { Attempt, Intent, Rejection } from '../../../src/domain/intent.ts';
import { refundableMinor } from '../../../src/domain/refund-amounts.ts';
import { intentByUniqueId } from '../../../src/intent/client.ts';
import { REFUND_AGE_DAYS_MAX, refundLimitsOf } from '../../../src/merchants/refund-limits.ts';
import {
  attemptToRefund,
  type RefundResult,
  refundIn,
  requestRefund,
} from '../../../src/refunds/request.ts';
import { moneyIn } from '../../elements/payment-elements.tsx';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { newId } from '../../members/members.ts';
import { answerJson, answerPage, redirectTo } from '../../ui/answer.ts';
import { audited } from '../audited.ts';
import { type DashboardCall, tenantOf } from '../call.ts';
import { noticePage } from '../notices.tsx';
import { listIn, paymentPath, withList } from '../paths.ts';
import { UNIQUE_ID_LENGTH_MAX } from '../payments/payment.tsx';
import { offerConfirmation, whenConfirmed } from '../people/confirmation.ts';
import { NoRefundPage, RefundPage } from './refund-page.tsx';
import { type RefundProblem, type RefundRequest, readRequest, rehearse } from './refund-request.ts';

const DAY_MS = 86_400_000;

/** GET …/payments/:uniqueId/refund: the form for one transaction of the payment. */
export async function showRefund(call: DashboardCall): Promise<Response> {
  if (call.session.isSuspended) {
    return noticePage(call, 'suspended');
  }
  const intent = await readIntent(call);
  if (intent === null) {
    return noticePage(call, 'not_found');
  }
  const attempt = attemptToRefund(intent, call.url.searchParams.get('transactionId'));
  const problem = (text: string) =>
    answerPage(call, <NoRefundPage call={call} intent={intent} problem={text} />, { status: 409 });
  if (attempt === null) {
    return problem(DASHBOARD_TEXTS[call.language].refunds.problems.not_paid);
  }
  const request = { refundUniqueId: newId('rfd'), amountMinor: null };
  const whole = rehearse(call, intent, attempt, request);
  if (typeof whole === 'string') {
    return problem(rejectionText(call, intent, attempt, whole));
  }
  const limits = await refundLimitsOf(call.env.DB, call.session.merchantId);
  const daysMax = limits?.refundAgeDaysMax ?? REFUND_AGE_DAYS_MAX;
  return call.nowMs - attempt.updatedAtMs > daysMax * DAY_MS
    ? problem(DASHBOARD_TEXTS[call.language].refunds.tooOld(String(daysMax)))
    : answerPage(call, <RefundPage call={call} intent={intent} attempt={attempt} whole={whole} />);
}

/** POST …/refund/options: checks the form before it asks for the passkey. */
export async function beginRefund(call: DashboardCall): Promise<Response> {
  const asked = await readAsked(call);
  if (asked instanceof Response) {
    return asked;
  }
  const { intent, attempt, request } = asked;
  const refund = rehearse(call, intent, attempt, request);
  return typeof refund === 'string'
    ? unfit(rejectionText(call, intent, attempt, refund))
    : offerConfirmation(call, 'refund', actionOf(intent, request));
}

/** POST …/refund: only what the passkey has confirmed, to the last cent. */
export async function finishRefund(call: DashboardCall): Promise<Response> {
  const asked = await readAsked(call);
  if (asked instanceof Response) {
    return asked;
  }
  const { intent, attempt, request } = asked;
  const entry = requestedEntry(call, intent, request);
  return whenConfirmed(call, 'refund', actionOf(intent, request), entry, async () => {
    const { memberId } = call.session;
    const result = await requestRefund(call.env, tenantOf(call), {
      ...request,
      paymentUniqueId: intent.terms.uniqueId,
      requester: { type: 'member', memberId },
      idempotency: null,
    });
    return result.type === 'accepted'
      ? answerJson({})
      : unfit(resultText(call, attempt, intent, result));
  });
}

/** POST …/refunds/:refund/cancel: only before the provider is called. */
export async function cancelRefund(call: DashboardCall): Promise<Response> {
  const { uniqueId = '', refund: refundId = '' } = call.params;
  const client = intentByUniqueId(call.env, tenantOf(call), uniqueId);
  const before = await readIntent(call);
  const refund = before && refundIn(before, refundId);
  if (refund === null) {
    return noticePage(call, 'not_found');
  }
  const path = withList(paymentPath(call.environment, uniqueId), listIn(call.url));
  const canceled = () => redirectTo(path, { done: 'refund_canceled' });
  if (refund.status === 'canceled') {
    // A second click changes nothing.
    return canceled();
  }
  const result = await client.execute([{ type: 'cancel_refund', refundId }]);
  if (result.type === 'not_found') {
    return noticePage(call, 'not_found');
  }
  if (result.rejection !== null) {
    return redirectTo(path, { done: 'refund_not_canceled' });
  }
  await runBatch(call.env.DB, [
    audited(call, { action: 'refund.canceled', target: refundId, detail: { uniqueId } }),
  ]);
  return canceled();
}

interface Asked {
  readonly intent: Intent;
  readonly attempt: Attempt;
  readonly request: RefundRequest;
}

/** The form and its payment, or the response to one that cannot be meant. */
async function readAsked(call: DashboardCall): Promise<Asked | Response> {
  const { problems } = DASHBOARD_TEXTS[call.language].refunds;
  const request = readRequest(call.form);
  if (request === null) {
    return noticePage(call, 'bad_form');
  }
  if (typeof request === 'string') {
    return unfit(problems[request], 400);
  }
  const intent = await readIntent(call);
  if (intent === null) {
    return noticePage(call, 'not_found');
  }
  const attempt = attemptToRefund(intent, request.transactionId);
  return attempt === null ? unfit(problems.no_transaction, 400) : { intent, attempt, request };
}

/** What the member confirms: another amount, reason or payment needs another signature. */
function actionOf({ terms }: Intent, request: RefundRequest) {
  const { refundUniqueId, transactionId, amountMinor, reason } = request;
  return [terms.uuid, refundUniqueId, transactionId, amountMinor, terms.currency, reason];
}

function requestedEntry(call: DashboardCall, { terms }: Intent, request: RefundRequest) {
  const { uniqueId, currency } = terms;
  const { refundUniqueId, transactionId, amountMinor } = request;
  return audited(call, {
    action: 'refund.requested',
    target: refundUniqueId,
    detail: { uniqueId, transactionId, amountMinor, currency },
  });
}

async function readIntent(call: DashboardCall): Promise<Intent | null> {
  const { uniqueId = '' } = call.params;
  if (uniqueId.length > UNIQUE_ID_LENGTH_MAX) {
    return null;
  }
  const read = await intentByUniqueId(call.env, tenantOf(call), uniqueId).read();
  return read.type === 'not_found' ? null : read.intent;
}

/** Says why to our script, which shows it at the form. */
function unfit(message: string, status = 409): Response {
  return answerJson({ message }, { status });
}

/** Why the payment rejects a refund, in plain words. */
function rejectionText(
  call: DashboardCall,
  intent: Intent,
  attempt: Attempt,
  rejection: Rejection,
): string {
  const text = DASHBOARD_TEXTS[call.language].refunds;
  const leftMinor = refundableMinor(intent, attempt);
  if (rejection === 'refund_too_large') {
    return leftMinor === 0
      ? text.problems.nothing_left
      : text.tooLarge(moneyIn(call, intent.terms.currency)(leftMinor));
  }
  const known: Partial<Record<Rejection, RefundProblem>> = {
    not_paid: 'not_paid',
    too_many_refunds: 'too_many_refunds',
    refund_needs_review: 'needs_review',
    refund_exists: 'already_requested',
  };
  const problem = known[rejection];
  return problem === undefined ? text.failed : text.problems[problem];
}

function resultText(
  call: DashboardCall,
  attempt: Attempt,
  intent: Intent,
  result: Exclude<RefundResult, { type: 'accepted' }>,
): string {
  const text = DASHBOARD_TEXTS[call.language].refunds;
  const money = moneyIn(call, intent.terms.currency);
  switch (result.type) {
    case 'replayed':
    case 'taken':
      return text.problems.already_requested;
    case 'payment_not_found':
    case 'transaction_not_found':
      return text.problems.no_transaction;
    case 'rejected':
      return rejectionText(call, result.intent, attempt, result.rejection);
    case 'too_old':
      return text.tooOld(String(result.daysMax));
    case 'daily_limit':
      return text.dailyLimit(money(result.maxMinor), money(result.leftMinor));
  }
}
