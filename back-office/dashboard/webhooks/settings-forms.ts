import { redirectTo } from '../../ui/answer.ts';
import { actorOf, type DashboardCall, tenantOf } from '../call.ts';
import { webhooksPath } from '../paths.ts';
import { answerSettings } from './settings-page.tsx';

const OK = 200;
const BAD_REQUEST = 400;
const TOO_MANY_REQUESTS = 429;

/** POST …/webhooks/failing/resume: a server of callbackUrls. */
export async function resumePaused(call: DashboardCall): Promise<Response> {
  const origin = call.form.text('origin');
  await call.payments.webhooks.resume(tenantOf(call), actorOf(call), origin);
  return redirectTo(webhooksPath(call.environment), { done: 'resumed' });
}

/** POST …/webhooks/callbacks: the extra signature header of webhooks to callbackUrls. */
export async function changeCallbackHeader(call: DashboardCall): Promise<Response> {
  const typed = call.form.text('signatureHeader');
  const { webhooks } = call.payments;
  const problem = await webhooks.setCallbackHeader(tenantOf(call), actorOf(call), typed);
  return problem === null
    ? redirectTo(webhooksPath(call.environment), { done: 'saved' })
    : answerSettings(call, { header: { typed, problem } }, BAD_REQUEST);
}

/** POST …/webhooks/test: sends a signed test webhook now, without a payment behind it. */
export async function sendTest(call: DashboardCall): Promise<Response> {
  const { form, url } = call;
  const asked = { typed: form.text('url'), endpoint: form.text('endpoint') };
  const { webhooks } = call.payments;
  const test = await webhooks.sendTest(tenantOf(call), actorOf(call), asked, url.origin);
  const refusal = test.isBusy ? TOO_MANY_REQUESTS : BAD_REQUEST;
  return answerSettings(call, { test }, test.result === undefined ? refusal : OK);
}
