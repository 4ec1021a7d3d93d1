import { problemResponse } from '../../kit/http/envelope.ts';
import { Problem } from '../../kit/http/problem.ts';
import { policyHeader } from '../../kit/http/rate-limit.ts';
import { AreaRouter, type Handler, type Refuse } from '../../kit/http/router.ts';
import type { Environment } from '../../kit/tenant.ts';
import type { MerchantAccess } from '../merchants/access.ts';
import { CALL_POLICIES, identify, requireRight } from './call.ts';
import { type Operation, SEGMENTS, template } from './operation.ts';

/** A request with a valid key that was refused. */
export interface Refusal {
  readonly access: MerchantAccess;
  readonly atMs: number;
  readonly requestId: string;
  readonly method: Operation['method'];
  /** The documented one. */
  readonly path: string;
  readonly problem: Problem;
}

/** Keeps a refusal for the merchant's developers. Never throws. No answer waits for it. */
export type OnRefusal = (env: Env, refusal: Refusal) => Promise<void>;

/** Routes the calls of the merchants' API, in their order. */
export function apiRouterOf(operations: readonly Operation[], onRefusal: OnRefusal): AreaRouter {
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
        router[operation.method](path, ...route(operation, environment, onRefusal));
      }
    }
  }
  return router;
}

/** Answers of calls with a key name their rate limits. */
function route(
  operation: Operation,
  environment: Environment,
  onRefusal: OnRefusal,
): [Handler, Refuse?] {
  if ('answerWithoutKey' in operation) {
    return [(_request, env) => operation.answerWithoutKey(env, environment)];
  }
  const { method, paths, permission, answer } = operation;
  const path = template(paths[0] ?? '')
    .replace('{environment}', SEGMENTS[environment])
    .replaceAll(/:(\w+)/g, '{$1}');
  const needs = { environment: permission === null ? 'any' : environment, permission } as const;
  return [
    async (request, env, ctx, params, requestId) => {
      const call = await identify(request, env, ctx);
      const { access, nowMs: atMs } = call;
      try {
        await requireRight(call, needs);
        return withPolicy(await answer({ ...call, id: params().id ?? '' }), env);
      } catch (error) {
        if (isRefusal(error)) {
          const refusal = { access, atMs, requestId, method, path, problem: error };
          ctx.waitUntil(onRefusal(env, refusal));
        }
        throw error;
      }
    },
    (request, problem, context) =>
      withPolicy(problemResponse(request, problem, context), context.env),
  ];
}

/** Not an outage, in which each write is one more. */
function isRefusal(error: unknown): error is Problem {
  return error instanceof Problem && error.status < 500;
}

function withPolicy(response: Response, env: Env): Response {
  // Not from the parsed configuration, which a problem may be about.
  if (env.RATE_LIMITS !== 'off') {
    response.headers.set('ratelimit-policy', policyHeader(CALL_POLICIES));
  }
  return response;
}
