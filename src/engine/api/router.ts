import { problemResponse } from '../../kit/http/envelope.ts';
import { policyHeader } from '../../kit/http/rate-limit.ts';
import { AreaRouter, type Handler, type Refuse } from '../../kit/http/router.ts';
import type { Environment } from '../../kit/tenant.ts';
import { authorize, CALL_POLICIES } from './call.ts';
import { type Operation, SEGMENTS, template } from './operation.ts';

/** Routes the calls of the merchants' API, in their order. */
export function apiRouterOf(operations: readonly Operation[]): AreaRouter {
  const router = new AreaRouter({
    refuse: problemResponse,
    failureEvent: 'api_failed',
    outageEvent: 'intent_unavailable',
    refusalEvent: 'api_key_refused',
  });
  for (const operation of operations) {
    for (const environment of operation.environments) {
      // In production, spellings that differ by the environment's place are the same.
      const paths = new Set(
        operation.paths.map((path) =>
          template(path).replace('{environment}', SEGMENTS[environment]),
        ),
      );
      for (const path of paths) {
        router[operation.method](path, ...route(operation, environment));
      }
    }
  }
  return router;
}

/** Answers of calls with a key name their rate limits. */
function route(operation: Operation, environment: Environment): [Handler, Refuse?] {
  if ('answerWithoutKey' in operation) {
    return [(_request, env) => operation.answerWithoutKey(env, environment)];
  }
  const { permission, answer } = operation;
  const needs = { environment: permission === null ? 'any' : environment, permission } as const;
  return [
    async (request, env, ctx, params) => {
      const call = await authorize(request, env, ctx, needs);
      return withPolicy(await answer({ ...call, id: params().id ?? '' }), env);
    },
    (request, problem, context) =>
      withPolicy(problemResponse(request, problem, context), context.env),
  ];
}

function withPolicy(response: Response, env: Env): Response {
  // Not from the parsed configuration, which a problem may be about.
  if (env.RATE_LIMITS !== 'off') {
    response.headers.set('ratelimit-policy', policyHeader(CALL_POLICIES));
  }
  return response;
}
