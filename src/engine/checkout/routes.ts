import type { Handler } from '../../kit/http/router.ts';
import { seeOther } from '../../kit/ui/headers.ts';
import { notWorkingSinceMs, refreshOutages } from '../attempts/method-outages.ts';
import { receiptPathOf } from '../attempts/order.ts';
import { railPageUrl } from '../attempts/rail-page.ts';
import { runAttempt } from '../attempts/start.ts';
import { configOf } from '../config.ts';
import type { Intent } from '../domain/intent.ts';
import type { Method } from '../domain/method.ts';
import type { IntentTerms } from '../domain/terms.ts';
import type { IntentClient } from '../intent/client.ts';
import { switchedOffMethods } from '../merchants/switched-off.ts';
import { acceptsPhone, railFor } from '../rails/registry.ts';
import { checkoutPage } from './checkout-page.tsx';
import { attemptsKnownTo, mayPrompt, readChoice } from './choice.ts';
import { readForm } from './form.ts';
import { badFormPage, FAILED_PARAMETER, unknownPage } from './notices.ts';
import type { LinkCall } from './open-link.ts';
import { FORM_PARAMETER, refusedFormFrom, sealedForm } from './refused-form.ts';
import { ALREADY_PARAMETER, LEAVING_PARAMETER, type RefusedForm } from './view.ts';

/**
 * The customer's pages. The second segment of every path is a signed link, which authorizes the
 * customer. Posts of our pages answer 303, so reloading and going back never post twice.
 */

/** GET /checkout/:token */
export async function showCheckout(call: LinkCall): Promise<Response> {
  const { request, env, client, intent, token } = call;
  const railPage = await railPageUrl(env, client, intent);
  const query = new URL(request.url).searchParams;
  const isOpen = intent.status === 'open';
  const nowMs = Date.now();
  return checkoutPage(
    request,
    configOf(env),
    intent,
    pagePath(token),
    {
      railPage,
      switchedOff: isOpen ? await switchedOffIn(env, intent) : [],
      down: isOpen ? downIn(call, nowMs) : [],
      refusedForm: await refusedFormFrom(env, intent, query.get(FORM_PARAMETER)),
      hasFailed: query.has(FAILED_PARAMETER),
      triedAgain: query.has(ALREADY_PARAMETER),
      isLeaving: query.has(LEAVING_PARAMETER),
    },
    intent.status === 'succeeded' ? await receiptPathOf(env, client.objectName) : null,
  );
}

function switchedOffIn(env: Env, { terms }: Intent) {
  return switchedOffMethods(env, terms.environment, Date.now());
}

/** The methods that do not work now. The page does not wait for newer knowledge: the next one has it. */
function downIn({ env, ctx, intent: { terms } }: LinkCall, nowMs: number): readonly Method[] {
  ctx.waitUntil(refreshOutages(env, terms.environment, nowMs));
  return terms.methods
    .map(({ method }) => method)
    .filter((method) => notWorkingSinceMs(terms, method, nowMs) !== null);
}

/** GET /receipt/:token: only what was paid and returned. Nothing can be paid by this link. */
export async function showReceipt({ request, env, intent, token }: LinkCall): Promise<Response> {
  const path = `/receipt/${token}`;
  return intent.status === 'succeeded'
    ? checkoutPage(request, configOf(env), intent, path, { isReceipt: true }, path)
    : unknownPage(request);
}

/**
 * GET or POST /checkout/:token/returned: the provider sent the customer back. The parameters of the
 * URL prove nothing, so Kefel queries the provider, and the page waits for the result.
 */
export async function showReturned({ client, token }: LinkCall): Promise<Response> {
  await client.execute([{ type: 'customer_returned' }]);
  return seeOther(pagePath(token));
}

/** GET of a path that forms post to, such as a bookmark. */
export const showInstead: Handler = async (_request, _env, _ctx, params) =>
  seeOther(pagePath(params().token ?? ''));

/** POST /checkout/:token/attempts: the customer chose a method. */
export async function startAttempt(call: LinkCall): Promise<Response> {
  const { request, env, ctx, client, intent, token } = call;
  const path = pagePath(token);
  const form = await readForm(request);
  if (form === null) {
    return badFormPage(request, path);
  }
  const expectedAttempts = attemptsKnownTo(form);
  if (expectedAttempts === null && intent.status === 'open') {
    return badFormPage(request, path);
  }
  const isCurrent = intent.status === 'open' && intent.attempts.length === expectedAttempts;
  if (intent.terms.kind !== 'hosted' || !isCurrent) {
    return seeOther(await wayOnFrom(env, client, intent, path));
  }
  const refuse = async (refusedForm: RefusedForm) =>
    seeOther(`${path}?${FORM_PARAMETER}=${await sealedForm(env, intent, refusedForm)}`);
  const result = readChoice(intent.terms, form, (method, phone) =>
    acceptsPhone(env, intent.terms, method, phone),
  );
  if (result.type === 'refused') {
    return refuse(result.form);
  }
  const entered = { method: result.choice.method, phone: form.get('phone') ?? '' };
  const rail = railFor(env, intent.terms, result.choice.method);
  const off = await switchedOffIn(env, intent);
  if (rail === null || off.some(({ method }) => method === entered.method)) {
    return refuse({ ...entered, problem: 'method_unavailable' });
  }
  if (!(await mayPrompt(env, intent.terms.environment, result.choice))) {
    return refuse({ ...entered, problem: 'too_many_prompts' });
  }
  const choice = { ...result.choice, expectedAttempts };
  const running = runAttempt(env, client, intent.terms, choice, rail);
  // A second click cancels the first request, but an attempt that has started must be completed.
  ctx.waitUntil(running.catch(() => undefined));
  const run = await running;
  switch (run.type) {
    case 'not_found':
      return unknownPage(request);
    case 'no_place':
      return seeOther(await linkPageOf(env, intent.terms));
    case 'rejected':
      return seeOther(await wayOnFrom(env, client, run.intent, path));
    case 'started':
      return seeOther((await railPageUrl(env, client, run.intent)) ?? path);
  }
}

/** The page of a payment's link, which says that no place is left, and whom to ask. */
async function linkPageOf(env: Env, { baseUrl, countedLink = '', ...tenant }: IntentTerms) {
  const { linkUrl } = await import('../links/slug.ts');
  return linkUrl(configOf(env).linkSigningKeys, baseUrl, { tenant, code: countedLink });
}

/** Where a form without effect leads: to the attempt in flight, else to the current state. */
async function wayOnFrom(
  env: Env,
  client: IntentClient,
  intent: Intent,
  path: string,
): Promise<string> {
  return intent.status === 'succeeded'
    ? `${path}?${ALREADY_PARAMETER}=1`
    : ((await railPageUrl(env, client, intent)) ?? path);
}

/**
 * POST /checkout/:token/abandon: the customer states that they did not pay on the provider's page.
 */
export async function abandonAttempt({ request, client, token }: LinkCall): Promise<Response> {
  const path = pagePath(token);
  const attemptId = (await readForm(request))?.get('attempt') ?? null;
  if (attemptId === null) {
    return badFormPage(request, path);
  }
  // The page shows the current state, even if the command was rejected.
  await client.execute([{ type: 'abandon_attempt', attemptId }]);
  return seeOther(path);
}

/** POST /checkout/:token/give-up: ends the payment unpaid and returns to the merchant. */
export async function giveUp({ request, client, token }: LinkCall): Promise<Response> {
  const path = pagePath(token);
  if ((await readForm(request)) === null) {
    return badFormPage(request, path);
  }
  const given = await client.execute([{ type: 'abandon_payment' }]);
  if (given.type === 'not_found') {
    return unknownPage(request);
  }
  // Redirects to our own page first, because browsers check every redirect of a form against
  // `form-action` and some merchants redirect into an app. If the command was rejected, the payment
  // was paid or ended in the meantime, and the page says so.
  return seeOther(given.rejection === null ? `${path}?${LEAVING_PARAMETER}=1` : path);
}

function pagePath(token: string): string {
  return `/checkout/${token}`;
}
