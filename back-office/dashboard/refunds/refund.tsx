import type { Attempt, Intent, Rejection } from '../../../src/domain/intent.ts';
import { refundableMinor } from '../../../src/domain/refund-amounts.ts';
import type { Form } from '../../../src/http/form.ts';
import type { AskedRefund, RefundPlan } from '../../../src/interface/payments.ts';
import type { RefundResult } from '../../../src/refunds/request.ts';
import { moneyIn } from '../../elements/payment-elements.tsx';
import { amountMinorFrom } from '../../elements/typed-amount.ts';
import type { DashboardMessages } from '../../i18n/messages.ts';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { newId } from '../../members/members.ts';
import { answerJson, redirectTo } from '../../ui/answer.ts';
import { actorOf, type DashboardCall, tenantOf } from '../call.ts';
import { showPage } from '../frame.tsx';
import { noticePage } from '../notices.tsx';
import { listIn, paymentPath, withList } from '../paths.ts';
import { offerConfirmation, whenConfirmed } from '../people/confirmation.ts';
import { NoRefundPage, RefundPage } from './refund-page.tsx';

/** GET …/payments/:uniqueId/refund: the form for one transaction of the payment. */
export async function showRefund(call: DashboardCall): Promise<Response> {
  if (call.session.isSuspended) {
    return noticePage(call, 'suspended');
  }
  const text = DASHBOARD_TEXTS[call.language].refunds;
  const plan = await rehearse(call, {
    refundUniqueId: newId('rfd'),
    transactionId: call.url.searchParams.get('transactionId'),
    amountMinor: null,
    reason: null,
  });
  if (plan.type !== 'rehearsed' && plan.type !== 'no_transaction') {
    return noticePage(call, 'not_found');
  }
  const problem = (problemText: string) => {
    const page = <NoRefundPage intent={plan.intent} problem={problemText} />;
    return showPage(call, page, { status: 409 });
  };
  if (plan.type === 'no_transaction') {
    return problem(text.problems.not_paid);
  }
  const { intent, attempt, outcome, tooOldDaysMax } = plan;
  if (typeof outcome === 'string') {
    return problem(rejectionText(call, intent, attempt, outcome));
  }
  return tooOldDaysMax === null
    ? showPage(call, <RefundPage intent={intent} attempt={attempt} whole={outcome} />)
    : problem(text.tooOld(String(tooOldDaysMax)));
}

/** POST …/refund/options: checks the form before it asks for the passkey. */
export async function beginRefund(call: DashboardCall): Promise<Response> {
  const asked = await readAsked(call);
  if (asked instanceof Response) {
    return asked;
  }
  const { plan, request } = asked;
  const { intent, attempt, outcome } = plan;
  return typeof outcome === 'string'
    ? unfit(rejectionText(call, intent, attempt, outcome))
    : offerConfirmation(call, 'refund', actionOf(intent, request));
}

/** POST …/refund: only what the passkey has confirmed, to the last cent. */
export async function finishRefund(call: DashboardCall): Promise<Response> {
  const asked = await readAsked(call);
  if (asked instanceof Response) {
    return asked;
  }
  const { plan, request } = asked;
  const { intent, attempt } = plan;
  return whenConfirmed(call, 'refund', actionOf(intent, request), async () => {
    const { uniqueId } = intent.terms;
    const { refund } = call.payments.payments;
    const result = await refund(tenantOf(call), actorOf(call), uniqueId, request);
    return result.type === 'accepted'
      ? answerJson({})
      : unfit(resultText(call, attempt, intent, result));
  });
}

/** POST …/refunds/:refund/cancel: only before the provider is called. */
export async function cancelRefund(call: DashboardCall): Promise<Response> {
  const { uniqueId = '', refund: refundId = '' } = call.params;
  const { payments } = call.payments;
  const path = withList(paymentPath(call.environment, uniqueId), listIn(call.url));
  switch (await payments.cancelRefund(tenantOf(call), actorOf(call), uniqueId, refundId)) {
    case 'canceled':
      return redirectTo(path, { done: 'refund_canceled' });
    case 'not_canceled':
      return redirectTo(path, { done: 'refund_not_canceled' });
    case 'not_found':
      return noticePage(call, 'not_found');
  }
}

type RefundProblem = keyof DashboardMessages['refunds']['problems'];

interface Asked {
  readonly plan: Extract<RefundPlan, { readonly type: 'rehearsed' }>;
  readonly request: AskedRefund;
}

/** The form and what would become of it, or the response to one that cannot be meant. */
async function readAsked(call: DashboardCall): Promise<Asked | Response> {
  const { problems } = DASHBOARD_TEXTS[call.language].refunds;
  const request = requestIn(call.form);
  const plan = await rehearse(call, request);
  switch (plan.type) {
    case 'bad_id':
      return noticePage(call, 'bad_form');
    case 'bad_amount':
    case 'bad_reason':
      return unfit(problems[plan.type], 400);
    case 'not_found':
      return noticePage(call, 'not_found');
    case 'no_transaction':
      return unfit(problems.no_transaction, 400);
    case 'rehearsed':
      return { plan, request };
  }
}

function rehearse(call: DashboardCall, asked: AskedRefund): Promise<RefundPlan> {
  return call.payments.payments.rehearse(tenantOf(call), call.params.uniqueId ?? '', asked);
}

/** A text that is no amount counts as 0, which is rejected like one. */
function requestIn(form: Form): AskedRefund {
  const reason = form.text('reason').trim();
  return {
    refundUniqueId: form.text('refund'),
    transactionId: form.text('transaction'),
    amountMinor: amountMinorFrom(form.text('amount').trim()) ?? 0,
    reason: reason === '' ? null : reason,
  };
}

/** What the member confirms: another amount, reason or payment needs another signature. */
function actionOf({ terms }: Intent, request: AskedRefund) {
  const { refundUniqueId, transactionId, amountMinor, reason } = request;
  return [terms.uuid, refundUniqueId, transactionId, amountMinor, terms.currency, reason];
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
