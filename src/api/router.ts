import { type IRequest, Router } from 'itty-router';
import type { Environment } from '../domain/method.ts';
import { problemResponse } from '../http/envelope.ts';
import { notFoundProblem, Problem } from '../http/problem.ts';
import { IntentUnavailable } from '../intent/client.ts';
import { errorText, log } from '../log.ts';
import { authorise, type MerchantCall } from './call.ts';
import { createExpress, createHosted } from './routes/create-payment.ts';
import { cancelPayment, readPayment } from './routes/read-payment.ts';
import { listBanks, listWebhookKeys } from './routes/reference-data.ts';

type Arguments = [Env, ExecutionContext, requestId: string];

const PAYMENT = '/api/v1/payment';
/** Told to a merchant whose payment's object cannot be reached for the moment. */
const UNAVAILABLE_RETRY_AFTER_SECONDS = 1;

type Route = (request: IRequest, ...args: Arguments) => Promise<Response>;

/** Every route of the merchants' API, one line each. */
export const apiRouter = Router<IRequest, Arguments>({ catch: answerError });

for (const [environment, prefix] of [
  ['sandbox', `${PAYMENT}/sandbox`],
  ['production', PAYMENT],
] as const) {
  post(`${prefix}/intent`, merchant(environment, createHosted));
  post(`${prefix}/intent/cancel/:id`, merchant(environment, cancelPayment));
  get(`${prefix}/intent/:id`, merchant(environment, readPayment));
  get(`${prefix}/checkout/:id`, merchant(environment, readPayment));
  get(`${prefix}/webhook-keys`, (_request, env) => listWebhookKeys(env, environment));
}
post(`${PAYMENT}/express/sandbox/pay`, merchant('sandbox', createExpress));
post(`${PAYMENT}/express/pay`, merchant('production', createExpress));
get(`${PAYMENT}/banks`, merchant('any', listBanks));
apiRouter.all('*', missing);

function post(path: string, route: Route): void {
  apiRouter.post(path, route);
}

/** What can be got can be asked about: HEAD answers like GET, and the runtime drops the body. */
function get(path: string, route: Route): void {
  apiRouter.get(path, route).head(path, route);
}

function merchant(
  environment: Environment | 'any',
  route: (call: MerchantCall) => Promise<Response>,
): Route {
  return async (request, env, ctx) => {
    // The router hands on the very Request that it was given.
    const call = await authorise(request as unknown as Request, env, ctx, environment);
    return route({ ...call, id: decoded(request.params.id) });
  };
}

/** A path segment as the merchant meant it; anything undecodable is nobody's id. */
function decoded(segment: string | undefined): string {
  try {
    return decodeURIComponent(segment ?? '');
  } catch {
    throw notFoundProblem();
  }
}

/** 405 with Allow for a known path, 404 for any other (docs/decisions.md#10). */
function missing(request: IRequest): never {
  const { pathname } = new URL(request.url);
  const allowed = apiRouter.routes
    .filter(([method, pattern]) => method !== 'ALL' && pattern.test(pathname))
    .map(([method]) => method);
  if (allowed.length === 0) {
    throw notFoundProblem();
  }
  throw new Problem(405, `Method ${request.method} is not allowed here`, {
    headers: { allow: [...new Set(allowed)].join(', ') },
  });
}

/** The router's own error handler would send internal texts to the client. */
function answerError(
  error: unknown,
  _request: unknown,
  _env: unknown,
  _ctx: unknown,
  requestId: string,
): Response {
  if (error instanceof Problem) {
    return problemResponse(error);
  }
  if (error instanceof IntentUnavailable) {
    log('warn', 'intent_unavailable', { requestId, error: errorText(error) });
    const headers = { 'retry-after': String(UNAVAILABLE_RETRY_AFTER_SECONDS) };
    return problemResponse(new Problem(503, 'Temporarily unavailable', { headers }));
  }
  log('error', 'api_failed', { requestId, error: errorText(error) });
  return problemResponse(new Problem(500, 'Internal server error'));
}
