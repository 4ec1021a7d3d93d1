import { h } from 'preact';
import type { Intent } from '../domain/intent.ts';
import { readForm } from '../pages/form.ts';
import { english } from '../pages/messages.ts';
import { badFormPage, unavailablePage, unknownPage } from '../pages/notices.ts';
import { openLink, pathSegment } from '../pages/open-link.ts';
import { pageResponse, seeOther } from '../pages/page-response.ts';
import { returnUrlFor } from '../pages/return-url.ts';
import { railFor } from '../rails/registry.ts';
import { railPageUrl, runAttempt } from '../rails/run-attempt.ts';
import { readChoice } from './choice.ts';
import { CheckoutPage } from './pages/checkout-page.tsx';
import { checkoutView, type RefusedForm } from './view.ts';

/**
 * The customer's pages. Every path carries a signed link as its second segment; whoever holds it is
 * the customer. Posts answer 303, so that reloading and going back never post twice.
 */

/** GET /checkout/:token */
export async function showCheckout(request: Request, env: Env): Promise<Response> {
  const opened = await openLink(request, env, 'checkout', pathSegment(request, 1));
  if (opened instanceof Response) {
    return opened;
  }
  const { client, intent, token } = opened;
  const railPage = await railPageUrl(env, client.objectId, intent);
  return checkoutPage(request, intent, pagePath(token), { railPage });
}

/** POST /checkout/:token/attempts: the customer chose a method. */
export async function startAttempt(
  request: Request,
  env: Env,
  ctx: ExecutionContext,
): Promise<Response> {
  const opened = await openLink(request, env, 'checkout', pathSegment(request, 1));
  if (opened instanceof Response) {
    return opened;
  }
  const { client, intent, token } = opened;
  const path = pagePath(token);
  const form = await readForm(request);
  if (form === null) {
    return badFormPage(request, path);
  }
  if (intent.terms.kind !== 'hosted' || intent.status !== 'open') {
    return seeOther(request, (await railPageUrl(env, client.objectId, intent)) ?? path);
  }
  const result = readChoice(intent.terms, form);
  if (result.type === 'refused') {
    return checkoutPage(request, intent, path, { refusedForm: result.form });
  }
  const rail = railFor(intent.terms.environment, result.choice.method);
  if (rail === null) {
    return unavailablePage(request);
  }
  const running = runAttempt(env, client, intent.terms, result.choice, rail);
  // A second click ends the first request; an attempt that has begun must be finished all the same.
  ctx.waitUntil(running.catch(() => undefined));
  const run = await running;
  return run.type === 'not_found'
    ? unknownPage(request)
    : seeOther(request, (await railPageUrl(env, client.objectId, run.intent)) ?? path);
}

/** POST /checkout/:token/abandon: the customer's word that a redirect was not paid. */
export async function abandonAttempt(request: Request, env: Env): Promise<Response> {
  const opened = await openLink(request, env, 'checkout', pathSegment(request, 1));
  if (opened instanceof Response) {
    return opened;
  }
  const path = pagePath(opened.token);
  const attemptId = (await readForm(request))?.get('attempt') ?? null;
  if (attemptId === null) {
    return badFormPage(request, path);
  }
  // Rejected or not, the page shows how things stand.
  await opened.client.execute([{ type: 'abandon_attempt', attemptId }]);
  return seeOther(request, path);
}

/** POST /checkout/:token/give-up: back to the merchant, unpaid. */
export async function giveUp(request: Request, env: Env): Promise<Response> {
  const opened = await openLink(request, env, 'checkout', pathSegment(request, 1));
  if (opened instanceof Response) {
    return opened;
  }
  const path = pagePath(opened.token);
  if ((await readForm(request)) === null) {
    return badFormPage(request, path);
  }
  const given = await opened.client.execute([{ type: 'give_up' }]);
  if (given.type === 'not_found') {
    return unknownPage(request);
  }
  // Rejected: it was paid or ended meanwhile, and the page must say so before the customer leaves.
  return seeOther(request, given.rejection === null ? (returnUrlFor(given.intent) ?? path) : path);
}

function checkoutPage(
  request: Request,
  intent: Intent,
  path: string,
  shown: { readonly railPage?: string | null; readonly refusedForm?: RefusedForm },
): Response {
  const { railPage = null, refusedForm = null } = shown;
  const view = checkoutView(intent, Date.now(), { railPage, refusedForm });
  return pageResponse(request, h(CheckoutPage, { text: english, view, path }), {
    status: refusedForm === null ? 200 : 400,
    formTargets: [intent.terms.baseUrl, intent.terms.returnUrl, railPage],
  });
}

function pagePath(token: string): string {
  return `/checkout/${token}`;
}
