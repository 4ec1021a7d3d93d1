import type { Environment } from '../domain/method.ts';
import { problemResponse } from '../http/envelope.ts';
import { policyHeader } from '../http/rate-limit.ts';
import { AreaRouter } from '../http/router.ts';
import { authorize, CALL_POLICIES, type MerchantCall } from './call.ts';
import { createExpress } from './routes/create-express.ts';
import { createHosted } from './routes/create-hosted.ts';
import { cancelPayment, readPayment } from './routes/read-payment.ts';
import { listBanks, listWebhookKeys } from './routes/reference-data.ts';

const PAYMENT = '/api/v1/payment';

/** All routes of the merchants' API. */
export const apiRouter = new AreaRouter({
  refuse: problemResponse,
  failureEvent: 'api_failed',
  outageEvent: 'intent_unavailable',
});

for (const [environment, prefix] of [
  ['sandbox', `${PAYMENT}/sandbox`],
  ['production', PAYMENT],
] as const) {
  merchant('post', `${prefix}/intent`, environment, createHosted);
  merchant('post', `${prefix}/intent/cancel/:id`, environment, cancelPayment);
  merchant('get', `${prefix}/intent/:id`, environment, readPayment);
  merchant('get', `${prefix}/checkout/:id`, environment, readPayment);
  apiRouter.get(`${prefix}/webhook-keys`, (_request, env) => listWebhookKeys(env, environment));
}
merchant('post', `${PAYMENT}/express/sandbox/pay`, 'sandbox', createExpress);
merchant('post', `${PAYMENT}/express/pay`, 'production', createExpress);
merchant('get', `${PAYMENT}/banks`, 'any', listBanks);

/** Registers a route that needs an API key. All its answers name its rate limits. */
function merchant(
  method: 'get' | 'post',
  path: string,
  environment: Environment | 'any',
  route: (call: MerchantCall) => Promise<Response>,
): void {
  apiRouter[method](
    path,
    async (request, env, ctx, params) => {
      const call = await authorize(request, env, ctx, environment);
      return withPolicy(await route({ ...call, id: params().id ?? '' }), env);
    },
    (request, problem, context) =>
      withPolicy(problemResponse(request, problem, context), context.env),
  );
}

function withPolicy(response: Response, env: Env): Response {
  // Not from the parsed configuration, which a problem may be about.
  if (env.RATE_LIMITS !== 'off') {
    response.headers.set('ratelimit-policy', policyHeader(CALL_POLICIES));
  }
  return response;
}
