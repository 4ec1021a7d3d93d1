import { FILE_BYTES_MAX } from '../../src/control/provider-files/file-table.ts';
import { problemResponse } from '../../src/kit/http/envelope.ts';
import { Form, isFromOwnPage, readForm } from '../../src/kit/http/form.ts';
import { AreaRouter, type Handler, type Refuse } from '../../src/kit/http/router.ts';
import { readUpload } from '../../src/kit/http/upload.ts';
import { backOfficeConfigOf } from '../config.ts';
import type { BackOfficeEnv } from '../env.ts';
import { paymentsPlane } from '../payments-plane.ts';
import { API_ROUTES } from './api.ts';
import { authenticateOperator, type CredentialSource } from './authenticate.ts';
import type { OperatorCall, OperatorRoute } from './call.ts';
import { type DeskCall, type DeskRoute, FORM_RULES } from './desk/call.ts';
import { isFormTokenOf } from './desk/form-token.ts';
import { SIGN_IN_PATH } from './desk/paths.ts';
import { deskProblem } from './desk/problem-page.tsx';
import { DESK_ROUTES } from './desk/routes.ts';
import { showSignIn, signIn } from './desk/sign-in.ts';
import { renewedDeskCookie } from './desk-session.ts';

const API_PATH = /^\/operator\/v1(?:\/|$)/;

/** Programs get JSON, browsers a page, also for paths that do not exist. */
const refuse: Refuse<BackOfficeEnv> = (request, problem, context) =>
  API_PATH.test(new URL(request.url).pathname)
    ? problemResponse(request, problem, context)
    : deskProblem(request, problem);

/** The operator's API, and the desk. */
export const operatorRouter = new AreaRouter<BackOfficeEnv>({
  refuse,
  failureEvent: 'operator_failed',
  outageEvent: 'intent_unavailable',
  refusalEvent: 'operator_refused',
});

for (const route of API_ROUTES) {
  register(route, authenticated('bearer', route.handle));
}
for (const route of DESK_ROUTES) {
  register(
    route,
    authenticated('bearer_or_desk_session', (call) => answerInSession(route, call)),
  );
}

operatorRouter.get(SIGN_IN_PATH, showSignIn);
operatorRouter.post(SIGN_IN_PATH, signIn);

function register(
  { method, path }: Pick<OperatorRoute, 'method' | 'path'>,
  handler: Handler<BackOfficeEnv>,
) {
  operatorRouter[method === 'GET' ? 'get' : 'post'](path, handler);
}

function authenticated(
  source: CredentialSource,
  handle: OperatorRoute['handle'],
): Handler<BackOfficeEnv> {
  return async (request, env, ctx, params) => {
    const config = backOfficeConfigOf(env);
    const nowMs = Date.now();
    const actor = await authenticateOperator(request, env, config, source, nowMs);
    const url = new URL(request.url);
    const payments = paymentsPlane(env);
    return handle({
      request,
      url,
      env,
      ctx,
      config,
      payments,
      actor,
      params: params(),
      nowMs,
    });
  };
}

/** Each use of the desk keeps its session open; signing out ends it. */
async function answerInSession(route: DeskRoute, call: OperatorCall): Promise<Response> {
  const response = await answerDeskRoute(route, call);
  const renewed = await renewedDeskCookie(call.request, call.config, call.nowMs);
  if (renewed === null || response.headers.has('set-cookie')) {
    return response;
  }
  const kept = new Response(response.body, response);
  kept.headers.append('set-cookie', renewed);
  return kept;
}

/**
 * Browsers send a cookie even with a form on another site. So a form of the desk must come from one
 * of its own pages, with the token of that page.
 */
async function answerDeskRoute(route: DeskRoute, call: OperatorCall) {
  if (route.method === 'GET') {
    return route.handle({ ...call, form: Form.EMPTY });
  }
  const posted = isFromOwnPage(call.request) ? await postedTo(route, call.request) : null;
  if (posted === 'too_large') {
    return deskProblem(call.request, { status: 413, headers: {} });
  }
  return posted !== null && (await isFormTokenOf(call, posted.form.text('csrf')))
    ? route.handle({ ...call, ...posted })
    : deskProblem(call.request, { status: 403, headers: {} });
}

async function postedTo(
  { takesFile }: DeskRoute,
  request: Request,
): Promise<Pick<DeskCall, 'form' | 'file'> | 'too_large' | null> {
  const { bytesMax } = FORM_RULES;
  if (takesFile === true) {
    const isTooLarge = Number(request.headers.get('content-length')) > FILE_BYTES_MAX + bytesMax;
    return isTooLarge ? 'too_large' : readUpload(request, bytesMax);
  }
  const form = await readForm(request, FORM_RULES);
  return form instanceof Form ? { form } : form;
}
