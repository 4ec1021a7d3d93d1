import type { Actor } from '../../../src/kit/audit/log.ts';
import { Form, isFromOwnPage, readForm } from '../../../src/kit/http/form.ts';
import { Problem } from '../../../src/kit/http/problem.ts';
import type { Handler } from '../../../src/kit/http/router.ts';
import { logLimited } from '../../../src/kit/platform/limited-log.ts';
import { backOfficeConfigOf } from '../../config.ts';
import type { BackOfficeEnv } from '../../env.ts';
import { redirectTo } from '../../ui/answer.ts';
import { NAMELESS, signInOperator } from '../authenticate.ts';
import { endedDeskCookie, startedDeskCookie } from '../desk-session.ts';
import { type DeskCall, FORM_RULES } from './call.ts';
import { SIGN_IN_PATH } from './paths.ts';
import { deskProblem } from './problem-page.tsx';
import { addressIn } from './sign-in-page.tsx';

/** The page that a 401 shows too. */
export const showSignIn: Handler<BackOfficeEnv> = async (request) =>
  deskProblem(request, { status: 401, headers: {} }, 200);

/** Begins a session of this browser. Problems: those of `signInOperator`. */
export const signIn: Handler<BackOfficeEnv> = async (request, env, _ctx, _params, requestId) => {
  const form = isFromOwnPage(request) ? await readForm(request, FORM_RULES) : null;
  if (!(form instanceof Form)) {
    return deskProblem(request, { status: form === null ? 403 : 413, headers: {} });
  }
  const nowMs = Date.now();
  const config = backOfficeConfigOf(env);
  const given = { secret: form.text('secret').trim(), name: form.text('name').trim() || NAMELESS };
  const next = addressIn(form.text('next'));
  let actor: Actor;
  try {
    actor = await signInOperator(given, request, env, config, nowMs);
  } catch (error) {
    if (!(error instanceof Problem && error.status === 401)) {
      throw error;
    }
    logLimited('operator_refused', { requestId, code: error.code });
    // The page asks again, for the same way on.
    const { headers } = request;
    return deskProblem(new Request(new URL(next, request.url), { headers }), error);
  }
  const cookie = await startedDeskCookie(request, config, { ...given, name: actor.name }, nowMs);
  return redirectTo(next, { cookies: [cookie] });
};

export async function signOut({ request }: DeskCall): Promise<Response> {
  return redirectTo(SIGN_IN_PATH, { done: 'signed_out', cookies: [endedDeskCookie(request)] });
}
