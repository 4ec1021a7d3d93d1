import { problemResponse } from '../../src/http/envelope.ts';
import { Form, isFromOwnPage, readForm } from '../../src/http/form.ts';
import { AreaRouter, type Handler, type Refuse } from '../../src/http/router.ts';
import { backOfficeConfigOf } from '../config.ts';
import type { BackOfficeEnv } from '../env.ts';
import { paymentsPlane } from '../payments-plane.ts';
import { API_ROUTES } from './api.ts';
import { authenticateOperator, type Schemes } from './authenticate.ts';
import type { OperatorCall, OperatorRoute } from './call.ts';
import type { DeskRoute } from './desk/call.ts';
import { isFormTokenOf } from './desk/form-token.ts';
import { deskProblem } from './desk/frame.tsx';
import { DESK_ROUTES } from './desk/routes.ts';

const API_PATH = /^\/operator\/v1(?:\/|$)/;

/** A note, a receipt and a token have less than 4 KiB. */
const FORM_RULES = { bytesMax: 8 * 1024, types: ['application/x-www-form-urlencoded'] } as const;

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
  register(route, authenticated(['Bearer'], route.handle));
}
for (const route of DESK_ROUTES) {
  register(
    route,
    authenticated(['Basic', 'Bearer'], (call) => answerDeskRoute(route, call)),
  );
}

function register(
  { method, path }: Pick<OperatorRoute, 'method' | 'path'>,
  handler: Handler<BackOfficeEnv>,
) {
  operatorRouter[method === 'GET' ? 'get' : 'post'](path, handler);
}

function authenticated(schemes: Schemes, handle: OperatorRoute['handle']): Handler<BackOfficeEnv> {
  return async (request, env, ctx, params) => {
    const config = backOfficeConfigOf(env);
    const nowMs = Date.now();
    const actor = await authenticateOperator(request, env, config, schemes, nowMs);
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

/**
 * Browsers resend a password automatically, even for a form on another site. So a form of the desk
 * must come from one of its own pages, with the token of that page.
 */
async function answerDeskRoute({ method, handle }: DeskRoute, call: OperatorCall) {
  if (method === 'GET') {
    return handle({ ...call, form: Form.EMPTY });
  }
  const form = isFromOwnPage(call.request) ? await readForm(call.request, FORM_RULES) : null;
  if (form === 'too_large') {
    return deskProblem(call.request, { status: 413, headers: {} });
  }
  return form !== null && (await isFormTokenOf(call, form.text('csrf')))
    ? handle({ ...call, form })
    : deskProblem(call.request, { status: 403, headers: {} });
}
