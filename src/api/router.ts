import type { Environment } from '../domain/method.ts';
import { problemResponse } from '../http/envelope.ts';
import { AreaRouter, type Handler } from '../http/router.ts';
import { authorize, type MerchantCall } from './call.ts';
import { createExpress } from './routes/create-express.ts';
import { createHosted } from './routes/create-hosted.ts';
import { cancelPayment, readPayment } from './routes/read-payment.ts';
import { listBanks, listWebhookKeys } from './routes/reference-data.ts';

const PAYMENT = '/api/v1/payment';

/** All routes of the merchants' API. */
export const apiRouter = new AreaRouter({
  refuse: (_request, problem) => problemResponse(problem),
  failureEvent: 'api_failed',
  outageEvent: 'intent_unavailable',
  outageReason: 'unavailable',
});

for (const [environment, prefix] of [
  ['sandbox', `${PAYMENT}/sandbox`],
  ['production', PAYMENT],
] as const) {
  apiRouter.post(`${prefix}/intent`, merchant(environment, createHosted));
  apiRouter.post(`${prefix}/intent/cancel/:id`, merchant(environment, cancelPayment));
  apiRouter.get(`${prefix}/intent/:id`, merchant(environment, readPayment));
  apiRouter.get(`${prefix}/checkout/:id`, merchant(environment, readPayment));
  apiRouter.get(`${prefix}/webhook-keys`, (_request, env) => listWebhookKeys(env, environment));
}
apiRouter.post(`${PAYMENT}/express/sandbox/pay`, merchant('sandbox', createExpress));
apiRouter.post(`${PAYMENT}/express/pay`, merchant('production', createExpress));
apiRouter.get(`${PAYMENT}/banks`, merchant('any', listBanks));

function merchant(
  environment: Environment | 'any',
  route: (call: MerchantCall) => Promise<Response>,
): Handler {
  return async (request, env, ctx, params) => {
    const call = await authorize(request, env, ctx, environment);
    return route({ ...call, id: params().id ?? '' });
  };
}
