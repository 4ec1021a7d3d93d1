import type { AskedRefund, RefundPlan } from '../../../src/control/rpc/payments.ts';
import type { Attempt } from '../../../src/engine/domain/attempt.ts';
import type { Rejection } from '../../../src/engine/domain/command.ts';
import type { Intent } from '../../../src/engine/domain/intent.ts';
import type { Refund } from '../../../src/engine/domain/refund.ts';
import { refundableMinor } from '../../../src/engine/domain/refund-amounts.ts';
import type { RefundResult } from '../../../src/engine/refunds/request.ts';
import type { Form } from '../../../src/kit/http/form.ts';
import { MAINTENANCE_RETRY_SECONDS } from '../../../src/kit/http/problem.ts';
import { majorText } from '../../../src/kit/money.ts';
import { amountMinorFrom } from '../../../src/kit/typed-amount.ts';
import { moneyIn } from '../../elements/payment-elements.tsx';
import type { DashboardMessages } from '../../i18n/messages.ts';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { newId } from '../../members/members.ts';
import { answerJson, redirectTo } from '../../ui/answer.ts';
import { actorOf, type DashboardCall, isReadOnly, tenantOf } from '../call.ts';
import { showPage } from '../frame.tsx';
import { noticePage, readOnlyNotice } from '../notices.tsx';
import { listIn, paymentPath, refundPath, withList } from '../paths.ts';
import { offerConfirmation, whenConfirmed } from '../people/confirmation.ts';
import { consequencesOf, NoRefundPage, RefundPage } from './refund-page.tsx';

/** GET …/payments/:uniqueId/refund: the form for one transaction of the payment. */
export async function showRefund(call: DashboardCall): Promise<Response> {
  return isReadOnly(call)
    ? readOnlyNotice(call)
    : showForm(call, newId('rfd'), call.url.searchParams.get('transactionId'), null);
}

/**
 * POST …/refund/review: what the form would do. Our script asks for each amount that is typed; without
 * JavaScript, the response is the form with that text. Changes nothing.
 */
export async function reviewRefund(call: DashboardCall): Promise<Response> {
  const plan = await planOf(call);
  if (plan instanceof Response) {
    return plan;
  }
  if (call.request.headers.get('accept') !== 'application/json') {
    return showForm(call, call.form.text('refund'), call.form.text('transaction'), plan);
  }
  // The script asks while the member types, so a wrong amount is not an error of the request.
  return answerJson(plan.type === 'fit' ? consequencesOf(call, plan) : plan.problem);
}

/** POST …/refund/options: checks the form before it asks for the passkey. */
export async function beginRefund(call: DashboardCall): Promise<Response> {
  const plan = await planOf(call);
  if (plan instanceof Response) {
    return plan;
  }
  return plan.type === 'fit'
    ? offerConfirmation(call, 'refund', actionOf(plan.intent, plan.request))
    : unfit(plan);
}

/** POST …/refund: only what the passkey has confirmed, to the last cent. */
export async function finishRefund(call: DashboardCall): Promise<Response> {
  const plan = await planOf(call);
  if (plan instanceof Response) {
    return plan;
  }
  if (plan.type !== 'fit' && plan.type !== 'rejected') {
    return unfit(plan);
  }
  // This includes a refund that the payment rejects by now: only a confirmed request learns why.
  const { intent, attempt, request } = plan;
  return whenConfirmed(call, 'refund', actionOf(intent, request), async () => {
    const { uniqueId } = intent.terms;
    const { refund } = call.payments.payments;
    const result = await refund(tenantOf(call), actorOf(call), uniqueId, request);
    return result.type === 'accepted'
      ? answerJson({})
      : answerJson(resultProblem(call, attempt, intent, result), {
          status: result.type === 'maintenance' ? 503 : 409,
        });
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

/** The form, with all that can be refunded or as the member sent it, and what it would do. */
async function showForm(
  call: DashboardCall,
  refundUniqueId: string,
  transactionId: string | null,
  sent: Plan | null,
): Promise<Response> {
  const text = DASHBOARD_TEXTS[call.language].refunds;
  const all = { refundUniqueId, transactionId, amountMinor: null, reason: null };
  const plan = await rehearse(call, all);
  if (plan.type === 'maintenance') {
    return noticePage(call, 'maintenance', { retryAfterSeconds: MAINTENANCE_RETRY_SECONDS });
  }
  if (plan.type !== 'rehearsed' && plan.type !== 'no_transaction') {
    return noticePage(call, 'not_found');
  }
  const noForm = (problem: string) =>
    showPage(call, <NoRefundPage intent={plan.intent} problem={problem} />, { status: 409 });
  if (plan.type === 'no_transaction') {
    return noForm(text.problems.not_paid);
  }
  const { intent, attempt, outcome, tooOldDaysMax } = plan;
  if (typeof outcome === 'string') {
    return noForm(rejectionProblem(call, intent, attempt, outcome).message);
  }
  if (tooOldDaysMax !== null) {
    return noForm(text.tooOld(String(tooOldDaysMax)));
  }
  const typed =
    sent === null
      ? { amount: majorText(outcome.amountMinor), reason: '' }
      : { amount: call.form.text('amount'), reason: call.form.text('reason') };
  const page = (
    <RefundPage
      intent={intent}
      attempt={attempt}
      leftMinor={outcome.amountMinor}
      typed={{ id: refundUniqueId, ...typed }}
      refund={sent === null ? outcome : sent.type === 'fit' ? sent.refund : null}
    />
  );
  return showPage(call, page, {
    at: refundPath(call, intent.terms.uniqueId, attempt.reference),
    problems: sent && sent.type !== 'fit' ? [[sent.problem.field, sent.problem.message]] : [],
  });
}

type ProblemName = keyof DashboardMessages['refunds']['problems'];

/** What is wrong with a form, and at which field; null for a problem of no single field. */
interface RefundProblem {
  readonly message: string;
  readonly field: 'amount' | 'reason' | null;
}

interface Meant {
  readonly request: AskedRefund;
  readonly intent: Intent;
  readonly attempt: Attempt;
}

/** What the form would cause: a refund, a rejection by the payment, or an error in the form. */
type Plan =
  | (Meant & { readonly type: 'fit'; readonly refund: Refund })
  | (Meant & { readonly type: 'rejected'; readonly problem: RefundProblem })
  | { readonly type: 'wrong' | 'maintenance'; readonly problem: RefundProblem };

async function planOf(call: DashboardCall): Promise<Plan | Response> {
  const { problems } = DASHBOARD_TEXTS[call.language].refunds;
  const request = requestIn(call.form);
  const plan = await rehearse(call, request);
  switch (plan.type) {
    case 'bad_id':
      return noticePage(call, 'bad_form');
    case 'not_found':
      return noticePage(call, 'not_found');
    case 'maintenance':
      return { type: 'maintenance', problem: { message: problems.maintenance, field: null } };
    case 'bad_amount':
      return { type: 'wrong', problem: { message: problems.bad_amount, field: 'amount' } };
    case 'bad_reason':
      return { type: 'wrong', problem: { message: problems.bad_reason, field: 'reason' } };
    case 'no_transaction':
      return { type: 'wrong', problem: { message: problems.no_transaction, field: null } };
    case 'rehearsed': {
      const { intent, attempt, outcome } = plan;
      const meant = { request, intent, attempt };
      return typeof outcome === 'string'
        ? { ...meant, type: 'rejected', problem: rejectionProblem(call, intent, attempt, outcome) }
        : { ...meant, type: 'fit', refund: outcome };
    }
  }
}

const UNFIT_STATUS = { wrong: 400, rejected: 409, maintenance: 503 } as const;

/** Tells our script the reason, which it shows at the form. */
function unfit({ type, problem }: Exclude<Plan, { readonly type: 'fit' }>): Response {
  return answerJson(problem, { status: UNFIT_STATUS[type] });
}

function rehearse(call: DashboardCall, asked: AskedRefund): Promise<RefundPlan> {
  return call.payments.payments.rehearse(tenantOf(call), call.params.uniqueId ?? '', asked);
}

/** A text that is not an amount counts as 0, and Kefel rejects it like 0. */
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

/** Why the payment rejects a refund, in plain words. */
function rejectionProblem(
  call: DashboardCall,
  intent: Intent,
  attempt: Attempt,
  rejection: Rejection,
): RefundProblem {
  const text = DASHBOARD_TEXTS[call.language].refunds;
  const leftMinor = refundableMinor(intent, attempt);
  if (rejection === 'refund_too_large' && leftMinor > 0) {
    const message = text.tooLarge(moneyIn(call, intent.terms.currency)(leftMinor));
    return { message, field: 'amount' };
  }
  const known: Partial<Record<Rejection, ProblemName>> = {
    refund_too_large: 'nothing_left',
    not_paid: 'not_paid',
    too_many_refunds: 'too_many_refunds',
    refund_needs_review: 'needs_review',
    refund_exists: 'already_requested',
  };
  const problem = known[rejection];
  return { message: problem === undefined ? text.failed : text.problems[problem], field: null };
}

function resultProblem(
  call: DashboardCall,
  attempt: Attempt,
  intent: Intent,
  result: Exclude<RefundResult, { type: 'accepted' }>,
): RefundProblem {
  const text = DASHBOARD_TEXTS[call.language].refunds;
  const money = moneyIn(call, intent.terms.currency);
  switch (result.type) {
    case 'replayed':
    case 'taken':
      return { message: text.problems.already_requested, field: null };
    case 'payment_not_found':
    case 'transaction_not_found':
      return { message: text.problems.no_transaction, field: null };
    case 'maintenance':
      return { message: text.problems.maintenance, field: null };
    case 'rejected':
      return rejectionProblem(call, result.intent, attempt, result.rejection);
    case 'too_old':
      return { message: text.tooOld(String(result.daysMax)), field: null };
    case 'daily_limit':
      return {
        message: text.dailyLimit(money(result.maxMinor), money(result.leftMinor)),
        field: 'amount',
      };
  }
}
