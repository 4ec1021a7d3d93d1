import { CHANGES_PAUSED } from '../../src/control/rpc/changes-paused.ts';
import { Form, isFromOwnPage, readForm } from '../../src/kit/http/form.ts';
import { Problem } from '../../src/kit/http/problem.ts';
import { clientNetwork, isWithinLimit } from '../../src/kit/http/rate-limit.ts';
import { AreaRouter, methodNotAllowed } from '../../src/kit/http/router.ts';
import { backOfficeConfigOf } from '../config.ts';
import type { BackOfficeEnv } from '../env.ts';
import { backOfficeLanguageOf } from '../i18n/texts.ts';
import { isAllowed } from '../members/permissions.ts';
import { isCsrfTokenOf, sessionOf, sessionTokenOf } from '../members/sessions.ts';
import { paymentsPlane } from '../payments-plane.ts';
import { redirectTo } from '../ui/answer.ts';
import { type DashboardCall, isReadOnly, type PublicCall } from './call.ts';
import { notAllowed, noticePage, pausedNotice, readOnlyNotice, signInFirst } from './notices.tsx';
import {
  chosenCalendar,
  environmentFrom,
  lastEnvironment,
  rememberingCookies,
} from './remembered.ts';
import { type DashboardRoute, get, type PublicRoute } from './route.ts';
import { DASHBOARD_ROUTES, PUBLIC_ROUTES } from './routes.ts';

/** The limits' periods in wrangler.toml. */
const SIGN_IN_PERIOD_SECONDS = 60;
const SESSION_PERIOD_SECONDS = 10;

/** Room for a logo of 16 KiB and the form around it; every other form is much smaller. */
const FORM_RULES = {
  bytesMax: 32 * 1024,
  types: ['application/x-www-form-urlencoded', 'multipart/form-data'],
} as const;

/** The members' pages, and signing in. */
export const dashboardRouter = new AreaRouter<BackOfficeEnv>({
  refuse,
  failureEvent: 'dashboard_failed',
  outageEvent: 'dashboard_failed',
  refusalEvent: 'member_refused',
});

for (const route of PUBLIC_ROUTES) {
  register(route, (call) => answerPublic(route, call));
}
for (const route of DASHBOARD_ROUTES) {
  register(route, (call) => answerMember(route, call));
}

/** Handles every other address, because all other routes are registered before it. */
const MISSING = get('/dashboard/*', 'account', async (call) => noticePage(call, 'not_found'));

register(MISSING, async (call) =>
  (await sessionTokenOf(call.request, call.config)) === null
    ? noticePage(call, 'not_found')
    : answerMember(MISSING, call),
);

function register(
  { method, path }: Pick<DashboardRoute, 'method' | 'path'>,
  answer: (call: PublicCall) => Promise<Response>,
): void {
  const add = method === 'GET' ? 'get' : 'post';
  dashboardRouter[add](path, async (request, env, ctx, pathParams) => {
    const params = pathParams();
    const url = new URL(request.url);
    const config = backOfficeConfigOf(env);
    if (config.publicBaseUrl !== null && url.origin !== config.publicBaseUrl) {
      // Passkeys belong to one host and do not work on another.
      return method === 'GET'
        ? redirectTo(`${config.publicBaseUrl}${url.pathname}${url.search}`)
        : noticePage({ request }, 'not_found');
    }
    const language = backOfficeLanguageOf(request);
    const payments = paymentsPlane(env);
    const nowMs = Date.now();
    return answer({ request, url, env, ctx, config, payments, language, params, nowMs });
  });
}

function refuse(request: Request, problem: Problem): Response {
  switch (problem.status) {
    case 403:
      return noticePage({ request }, 'not_allowed');
    case 404:
      return noticePage({ request }, 'not_found');
    case 405:
      return methodNotAllowed(problem);
    case 503:
      if (problem.code === CHANGES_PAUSED) {
        return pausedNotice({ request });
      }
      return noticePage({ request }, 'error', {
        status: 503,
        retryAfterSeconds: Number(problem.headers['retry-after']),
      });
    default:
      return noticePage({ request }, 'error');
  }
}

async function answerPublic(route: PublicRoute, call: PublicCall): Promise<Response> {
  if (route.method === 'POST' && !isFromOwnPage(call.request)) {
    return noticePage(call, 'bad_form');
  }
  // Customers of a carrier share an address: opening a page must not use up their sign-ins.
  const limiter = route.isOnlyViewed ? call.env.PAGE_VIEW_RATE_LIMIT : call.env.SIGN_IN_RATE_LIMIT;
  return (await isWithinLimit(call.config, limiter, clientNetwork(call.request)))
    ? route.handle(call)
    : noticePage(call, 'busy', { retryAfterSeconds: SIGN_IN_PERIOD_SECONDS });
}

/**
 * Checks cookie, rate limit, session and role before it reads the body, so strangers' bodies are not
 * read. An invented cookie costs no query.
 */
async function answerMember(route: DashboardRoute, call: PublicCall): Promise<Response> {
  const token = await sessionTokenOf(call.request, call.config);
  if (token === null) {
    return signInFirst(call);
  }
  // Before D1: the token of a session that has ended is still genuine.
  if (!(await isWithinLimit(call.config, call.env.DASHBOARD_RATE_LIMIT, token.digest))) {
    return noticePage(call, 'busy', { retryAfterSeconds: SESSION_PERIOD_SECONDS });
  }
  const session = await sessionOf(token, call);
  if (session === null) {
    return signInFirst(call);
  }
  const named = call.params.environment;
  const environment = environmentFrom(named);
  if (named !== undefined && environment === null) {
    return noticePage(call, 'not_found');
  }
  if (!isAllowed(session.role, route.permission)) {
    throw notAllowed();
  }
  const member: DashboardCall = {
    ...call,
    session,
    environment: environment ?? lastEnvironment(call.request, session.role),
    calendar: chosenCalendar(call.request),
    form: Form.EMPTY,
  };
  if (route.method === 'POST') {
    return answerPost(route, member);
  }
  const response = await handled(route, member);
  for (const cookie of rememberingCookies(call.request, environment)) {
    response.headers.append('set-cookie', cookie);
  }
  return response;
}

async function answerPost(route: DashboardRoute, call: DashboardCall): Promise<Response> {
  const form = isFromOwnPage(call.request) ? await readForm(call.request, FORM_RULES) : null;
  if (form === 'too_large') {
    return route.refuseLarge?.(call) ?? noticePage(call, 'too_large');
  }
  if (form === null || !(await isCsrfTokenOf(call.session, form.text('csrf')))) {
    return noticePage(call, 'bad_form');
  }
  if (route.whenReadOnly !== true && isReadOnly(call)) {
    return readOnlyNotice(call);
  }
  return handled(route, { ...call, form });
}

/** When the object that the address names is missing, the notice keeps the navigation. */
async function handled(route: DashboardRoute, call: DashboardCall): Promise<Response> {
  try {
    return await route.handle(call);
  } catch (error) {
    if (error instanceof Problem && error.status === 404) {
      return noticePage(call, 'not_found');
    }
    throw error;
  }
}
