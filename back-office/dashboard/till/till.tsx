import type { SaleProblem } from '../../../src/control/till/sale.ts';
import { businessDay, businessDayStartMs, dayText } from '../../../src/kit/ethiopian-time.ts';
import { found } from '../../../src/kit/http/problem.ts';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { membersOf } from '../../members/members.ts';
import { isAllowed } from '../../members/permissions.ts';
import { answerJson, redirectTo } from '../../ui/answer.ts';
import type { Problems } from '../../ui/fields.tsx';
import { actorOf, type DashboardCall, may, tenantOf } from '../call.ts';
import { dayField, dayFrom } from '../days.ts';
import { showPage } from '../frame.tsx';
import { listRequest, PAGE_ROWS } from '../list.tsx';
import { noticePage } from '../notices.tsx';
import { tillPath } from '../paths.ts';
import { type DashboardRoute, get, post } from '../route.ts';
import { PromptPage, SalePage } from './sale-page.tsx';
import { TillPage, type TypedSale } from './till-page.tsx';

const TILL = '/dashboard/:environment/till';
const SALE = `${TILL}/:sale` as const;

/** The till (docs/dashboard.md#till): a seller takes payments over the counter. */
export const TILL_ROUTES: readonly DashboardRoute[] = [
  get(TILL, 'sell', (call) => answerTill(call)),
  post(TILL, 'sell', sell),
  get(SALE, 'sell', showSale),
  get(`${SALE}/state`, 'sell', showState),
  get(`${SALE}/prompt`, 'sell', (call) => answerPrompt(call)),
  post(`${SALE}/prompt`, 'sell', sendPrompt),
  post(`${SALE}/cancel`, 'sell', cancelSale),
];

/** Members who may not view payments see the sales of their own till, and no other. Null: all tills. */
function tillOf(call: DashboardCall): string | null {
  return may(call, 'view') ? null : call.session.memberId;
}

/** The page of the till: the form, and the sales of a day. */
async function answerTill(
  call: DashboardCall,
  refused: { readonly typed: TypedSale; readonly problems: Problems } | null = null,
): Promise<Response> {
  const { url, nowMs, session, env, language } = call;
  const request = listRequest(call);
  const query = url.searchParams;
  const today = businessDay(nowMs);
  const typedDay = dayField((name) => query.get(name)?.trim() ?? '', 'day');
  const day = dayFrom(typedDay) ?? today;
  const badDate = DASHBOARD_TEXTS[language].events.badDate;
  const dayProblems: Problems =
    typedDay === '' || dayFrom(typedDay) !== null ? [] : [['day', badDate]];
  const isOwnOnly = tillOf(call) !== null;
  const members = isOwnOnly ? [] : await membersOf(env.BACK_OFFICE_DB, session.merchantId);
  const tills = members.filter(({ role }) => isAllowed(role, 'sell'));
  const chosen = tills.find(({ id }) => id === query.get('till'))?.id ?? null;
  const range = { fromMs: businessDayStartMs(day), toMs: businessDayStartMs(day + 1) };
  const tillId = tillOf(call) ?? chosen;
  const { till } = call.payments;
  const sales = await till.sales(tenantOf(call), tillId, range, request.cursor, PAGE_ROWS);
  const typed = refused?.typed ?? { amount: '', note: '' };
  const shownDay = dayProblems.length === 0 ? dayText(day) : typedDay;
  const page = <TillPage {...{ request, sales, day, shownDay, tills, chosen, typed }} />;
  const problems = [...(refused?.problems ?? []), ...dayProblems];
  return showPage(call, page, {
    at: tillPath(call.environment),
    problems,
    ...(problems.length === 0 && { status: request.status }),
  });
}

/** POST …/till: makes the sale and leads to its page. A form that is sent twice leads to the same. */
async function sell(call: DashboardCall): Promise<Response> {
  const [nonce, amount, note] = ['nonce', 'amount', 'note'].map((name) => call.form.text(name));
  if (!nonce || amount === undefined || note === undefined || nonce.length > NONCE_LENGTH_MAX) {
    return noticePage(call, 'bad_form');
  }
  const asked = { nonce, amount, note };
  const sold = await call.payments.till.sell(tenantOf(call), actorOf(call), asked, call.url.origin);
  const text = DASHBOARD_TEXTS[call.language].till.problems;
  switch (sold.type) {
    case 'sold':
      return redirectTo(tillPath(call.environment, `/${sold.uniqueId}`));
    case 'bad':
      return answerTill(call, {
        typed: asked,
        problems: [[fieldOf(sold.problem), text[sold.problem]]],
      });
    default:
      return answerTill(call, { typed: asked, problems: [[null, text[sold.type]]] });
  }
}

/** Longer than a UUID. */
const NONCE_LENGTH_MAX = 64;

function fieldOf(problem: SaleProblem): string {
  return problem === 'note_invalid' ? 'note' : 'amount';
}

async function knownSale(call: DashboardCall) {
  const { till } = call.payments;
  return found(await till.sale(tenantOf(call), tillOf(call), saleIn(call)));
}

async function showSale(call: DashboardCall): Promise<Response> {
  return showPage(call, <SalePage sale={await knownSale(call)} />);
}

/** GET …/state: what the waiting page compares. */
async function showState(call: DashboardCall): Promise<Response> {
  const { till } = call.payments;
  return answerJson(found(await till.state(tenantOf(call), tillOf(call), saleIn(call))));
}

/** A page of its own: the waiting page reloads without JavaScript, which would clear the field. */
async function answerPrompt(call: DashboardCall, problems: Problems = []): Promise<Response> {
  const sale = await knownSale(call);
  const path = tillPath(call.environment, `/${sale.uniqueId}`);
  const typed = { method: call.form.text('method'), phone: call.form.text('phone') };
  return sale.view.state.kind === 'choose'
    ? showPage(call, <PromptPage sale={sale} state={sale.view.state} typed={typed} />, {
        at: `${path}/prompt`,
        problems,
      })
    : redirectTo(path);
}

async function sendPrompt(call: DashboardCall): Promise<Response> {
  const { form, payments, environment, language } = call;
  const attempts = form.text('attempts');
  if (!/^\d{1,3}$/.test(attempts)) {
    return noticePage(call, 'bad_form');
  }
  const asked = {
    method: form.text('method'),
    phone: form.text('phone'),
    attempts: Number(attempts),
  };
  const args = [tillOf(call), saleIn(call), asked] as const;
  const problem = await payments.till.prompt(tenantOf(call), actorOf(call), ...args);
  if (problem === 'not_found') {
    return noticePage(call, 'not_found');
  }
  if (problem === null) {
    return redirectTo(tillPath(environment, `/${saleIn(call)}`));
  }
  const text = CHECKOUT_TEXTS[language].problem[problem].replace('{example}', PHONE_EXAMPLE);
  return answerPrompt(call, [[problem.startsWith('phone') ? 'phone' : null, text]]);
}

const PHONE_EXAMPLE = '0911\u00a0234\u00a0567';

/** POST …/cancel: ends an unpaid sale, only while no attempt is in flight. */
async function cancelSale(call: DashboardCall): Promise<Response> {
  const { till } = call.payments;
  const args = [tillOf(call), saleIn(call)] as const;
  const result = await till.cancel(tenantOf(call), actorOf(call), ...args);
  if (result === 'not_found') {
    return noticePage(call, 'not_found');
  }
  const path = tillPath(call.environment, `/${saleIn(call)}`);
  return redirectTo(path, result === 'canceled' ? {} : { done: result });
}

function saleIn({ params }: DashboardCall): string {
  return params.sale ?? '';
}
