import type { Handler } from '../../kit/http/router.ts';
import { seeOther } from '../../kit/ui/headers.ts';
import { receiptPathOf } from '../attempts/order.ts';
import { railPageUrl } from '../attempts/rail-page.ts';
import { configOf } from '../config.ts';
import type { Intent } from '../domain/intent.ts';
import type { IntentTerms } from '../domain/terms.ts';
import type { IntentClient } from '../intent/client.ts';
import { checkoutPage } from './checkout-page.tsx';
import { attemptsKnownTo } from './choice.ts';
import { readForm } from './form.ts';
import { badFormPage, FAILED_PARAMETER, unknownPage } from './notices.ts';
import type { LinkCall } from './open-link.ts';
import { FORM_PARAMETER, refusedFormFrom, sealedForm } from './refused-form.ts';
import { methodsNow, startChosen } from './start-chosen.ts';
import { ALREADY_PARAMETER, LEAVING_PARAMETER } from './view.ts';

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
  return checkoutPage(
    request,
    configOf(env),
    intent,
    pagePath(token),
    {
      railPage,
      ...(isOpen && (await methodsNow(call))),
      refusedForm: await refusedFormFrom(env, intent, query.get(FORM_PARAMETER)),
      hasFailed: query.has(FAILED_PARAMETER),
      triedAgain: query.has(ALREADY_PARAMETER),
      isLeaving: query.has(LEAVING_PARAMETER),
    },
    intent.status === 'succeeded' ? await receiptPathOf(env, client.objectName) : null,
  );
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
  const { request, env, client, intent, token } = call;
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
  const run = await startChosen(call, form, expectedAttempts);
  switch (run.type) {
    case 'refused':
      return seeOther(`${path}?${FORM_PARAMETER}=${await sealedForm(env, intent, run.form)}`);
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
