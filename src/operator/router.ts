import { type IRequest, Router } from 'itty-router';
import { configOf } from '../config.ts';
import { problemResponse } from '../http/envelope.ts';
import { notFoundProblem, Problem } from '../http/problem.ts';
import { IntentUnavailable } from '../intent/client.ts';
import { errorText, log } from '../log.ts';
import { authenticateOperator, type Scheme } from './authenticate.ts';
import type { OperatorRoute } from './call.ts';
import { deskProblem } from './desk/notice.tsx';
import { DESK_ROUTES } from './desk/routes.ts';
import { API_ROUTES } from './routes.ts';

type Arguments = [Env, ExecutionContext, requestId: string];

/** How the routes of one kind let in, and what those see that are not let in. */
interface Area {
  readonly schemes: readonly Scheme[];
  readonly refuse: (request: Request, problem: Problem) => Response;
}

const API: Area = { schemes: ['Bearer'], refuse: (_request, problem) => problemResponse(problem) };
/**
 * For browsers. They send a password again by themselves, to any path below and from any page that
 * leads there; so it opens these pages alone, which change nothing.
 */
const DESK: Area = { schemes: ['Basic', 'Bearer'], refuse: deskProblem };

/** Told to whoever meets an object or database that is out of reach for the moment. */
const UNAVAILABLE_RETRY_AFTER_SECONDS = 1;

/** Everything of the operator's: the API and, read only, the desk. */
export const operatorRouter = Router<IRequest, Arguments>();

for (const route of API_ROUTES) {
  register(route, API);
}
for (const route of DESK_ROUTES) {
  register(route, DESK);
}
operatorRouter.all('*', missing);

function register({ method, path, handle }: OperatorRoute, area: Area): void {
  const handler = async (
    itty: IRequest,
    env: Env,
    ctx: ExecutionContext,
    requestId: string,
  ): Promise<Response> => {
    // The router hands on the very Request that it was given.
    const request = itty as unknown as Request;
    try {
      const config = configOf(env);
      const nowMs = Date.now();
      const actor = await authenticateOperator(request, env, config, area.schemes, nowMs);
      const params = decoded(itty.params);
      const url = new URL(request.url);
      return await handle({ request, url, env, ctx, config, params, actor, nowMs });
    } catch (error) {
      return area.refuse(request, problemOf(error, requestId));
    }
  };
  if (method === 'GET') {
    operatorRouter.get(path, handler);
    operatorRouter.head(path, handler);
  } else {
    operatorRouter.post(path, handler);
  }
}

/** The path's parameters as they were meant; what cannot be decoded names nothing. */
function decoded(params: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  try {
    const entries = Object.entries(params).map(([name, text]) => [name, decodeURIComponent(text)]);
    return Object.fromEntries(entries);
  } catch {
    throw notFoundProblem();
  }
}

/** 405 with Allow for a path that other methods know, else 404: to anybody, and about nothing. */
function missing(itty: IRequest): Response {
  const { pathname } = new URL(itty.url);
  const allowed = operatorRouter.routes
    .filter(([method, pattern]) => method !== 'ALL' && pattern.test(pathname))
    .map(([method]) => method);
  if (allowed.length === 0) {
    return problemResponse(notFoundProblem());
  }
  return problemResponse(
    new Problem(405, `Method ${itty.method} is not allowed here`, {
      headers: { allow: [...new Set(allowed)].join(', ') },
    }),
  );
}

/** What the operator is told; of what went wrong with us the log has more. */
function problemOf(error: unknown, requestId: string): Problem {
  if (error instanceof Problem) {
    return error;
  }
  if (error instanceof IntentUnavailable) {
    log('warn', 'intent_unavailable', { requestId, error: errorText(error) });
    const headers = { 'retry-after': String(UNAVAILABLE_RETRY_AFTER_SECONDS) };
    return new Problem(503, 'The payment cannot be reached just now', { headers });
  }
  log('error', 'operator_failed', { requestId, error: errorText(error) });
  return new Problem(500, 'Internal server error');
}
