import { type IRequest, Router } from 'itty-router';
import { configOf } from '../config.ts';
import { backOfficeLanguageOf } from '../i18n/back-office.ts';
import { errorText, log } from '../log.ts';
import { isAllowed } from '../members/permissions.ts';
import { isCsrfTokenOf, sessionOf } from '../members/session.ts';
import type { DashboardCall, PublicCall } from './call.ts';
import { addressOf } from './call.ts';
import { environmentCookie, environmentFrom, lastEnvironment } from './environment-cookie.ts';
import { Form, isFromOwnPage, readForm } from './form.ts';
import { noticePage, signInFirst } from './notices.tsx';
import { redirectTo } from './response.tsx';
import type { DashboardRoute, PublicRoute } from './route.ts';
import { DASHBOARD_ROUTES, PUBLIC_ROUTES } from './routes.ts';

/** The limits' periods in wrangler.toml. */
const SIGN_IN_PERIOD_SECONDS = 60;
const SESSION_PERIOD_SECONDS = 10;

type Arguments = [Env, ExecutionContext, requestId: string];

/** What members of merchants see, and how they get in. */
export const dashboardRouter = Router<IRequest, Arguments>();

for (const route of PUBLIC_ROUTES) {
  register(route, (call) => answerPublic(route, call));
}
for (const route of DASHBOARD_ROUTES) {
  register(route, (call) => answerMember(route, call));
}
dashboardRouter.all('*', (itty: IRequest) => missing(itty as unknown as Request));

/** Whatever goes wrong, a member gets a page in words and nothing of ours. */
function register(
  { method, path }: Pick<DashboardRoute, 'method' | 'path'>,
  answer: (call: PublicCall) => Promise<Response>,
): void {
  const handler = async (
    itty: IRequest,
    env: Env,
    ctx: ExecutionContext,
    requestId: string,
  ): Promise<Response> => {
    const request = itty as unknown as Request;
    try {
      const params = decoded(itty.params);
      if (params === null) {
        return noticePage({ request }, 'not_found');
      }
      const url = new URL(request.url);
      const config = configOf(env);
      if (config.publicBaseUrl !== null && url.origin !== config.publicBaseUrl) {
        // Passkeys belong to one host; there is nothing to do on another.
        return method === 'GET'
          ? redirectTo({ request }, `${config.publicBaseUrl}${url.pathname}${url.search}`)
          : noticePage({ request }, 'not_found');
      }
      const language = backOfficeLanguageOf(request);
      const nowMs = Date.now();
      return await answer({ request, url, env, ctx, config, language, params, nowMs });
    } catch (error) {
      log('error', 'dashboard_failed', { requestId, error: errorText(error) });
      return noticePage({ request }, 'error');
    }
  };
  if (method === 'GET') {
    dashboardRouter.get(path, handler);
    dashboardRouter.head(path, handler);
  } else {
    dashboardRouter.post(path, handler);
  }
}

async function answerPublic(route: PublicRoute, call: PublicCall): Promise<Response> {
  if (route.method === 'POST' && !isFromOwnPage(call.request)) {
    return noticePage(call, 'bad_form');
  }
  const address = addressOf(call.request) ?? 'unknown';
  return (await isWithin(call, call.env.SIGN_IN_RATE_LIMIT, address))
    ? route.handle(call)
    : noticePage(call, 'busy', { retryAfterSeconds: SIGN_IN_PERIOD_SECONDS });
}

/** Session, rate, role, then the form: nothing is read from a body before its sender is known. */
async function answerMember(route: DashboardRoute, call: PublicCall): Promise<Response> {
  const session = await sessionOf(call.request, call.env, call.ctx, call.nowMs);
  if (session === null) {
    return signInFirst(call);
  }
  if (!(await isWithin(call, call.env.DASHBOARD_RATE_LIMIT, session.digest))) {
    return noticePage(call, 'busy', { retryAfterSeconds: SESSION_PERIOD_SECONDS });
  }
  const named = call.params.environment;
  const environment = environmentFrom(named);
  if (named !== undefined && environment === null) {
    return noticePage(call, 'not_found');
  }
  if (!isAllowed(session.role, route.permission)) {
    return noticePage(call, 'not_allowed');
  }
  const member: DashboardCall = {
    ...call,
    session,
    environment: environment ?? lastEnvironment(call.request),
    form: Form.EMPTY,
  };
  if (route.method === 'POST') {
    return answerPost(route, member);
  }
  const response = await route.handle(member);
  const cookie = environment === null ? null : environmentCookie(call.request, environment);
  if (cookie !== null) {
    response.headers.append('set-cookie', cookie);
  }
  return response;
}

async function answerPost(route: DashboardRoute, call: DashboardCall): Promise<Response> {
  const form = isFromOwnPage(call.request) ? await readForm(call.request) : null;
  if (form === 'too_large') {
    return noticePage(call, 'too_large');
  }
  if (form === null || !(await isCsrfTokenOf(call.session, form.text('csrf')))) {
    return noticePage(call, 'bad_form');
  }
  if (call.session.isSuspended && route.whenSuspended !== true) {
    return noticePage(call, 'suspended');
  }
  return route.handle({ ...call, form });
}

async function isWithin(call: PublicCall, limiter: RateLimit, key: string): Promise<boolean> {
  return !call.config.rateLimits || (await limiter.limit({ key })).success;
}

/** The path's parameters as they were meant, or null when one is no percent-encoding. */
function decoded(
  params: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> | null {
  try {
    const entries = Object.entries(params).map(([name, text]) => [name, decodeURIComponent(text)]);
    return Object.fromEntries(entries);
  } catch {
    return null;
  }
}

/** 405 with Allow for a path that other methods know, else the unknown page. */
function missing(request: Request): Response {
  const { pathname } = new URL(request.url);
  const allowed = dashboardRouter.routes
    .filter(([method, pattern]) => method !== 'ALL' && pattern.test(pathname))
    .map(([method]) => method);
  if (allowed.length === 0) {
    return noticePage({ request }, 'not_found');
  }
  const headers = { allow: [...new Set(allowed)].join(', '), 'cache-control': 'no-store' };
  return new Response('Method not allowed', { status: 405, headers });
}
