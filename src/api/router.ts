import type { Environment } from '../domain/method.ts';
import { problemResponse } from '../http/envelope.ts';
import { policyHeader } from '../http/rate-limit.ts';
import { AreaRouter } from '../http/router.ts';
import type { KeyPermission } from '../merchants/key-permissions.ts';
import { authorize, CALL_POLICIES, type MerchantCall } from './call.ts';
import { createExpress } from './routes/create-express.ts';
import { createHosted } from './routes/create-hosted.ts';
import { cancelPayment, readPayment } from './routes/read-payment.ts';
import { listBanks, listWebhookKeys } from './routes/reference-data.ts';

const PAYMENT = '/api/v1/payment';

type RouteMethod = 'get' | 'post' | 'patch' | 'delete';
/** Loaded with the first call, because payments need none of it. */
type EndpointRoute = keyof typeof import('./routes/webhook-endpoints.ts');
type RefundRoute = keyof typeof import('./routes/refunds.ts');

/** All routes of the merchants' API. */
export const apiRouter = new AreaRouter({
  refuse: problemResponse,
  failureEvent: 'api_failed',
  outageEvent: 'intent_unavailable',
});

// Before `events/:id`.
routesIn('sandbox')('get', `${PAYMENT}/sandbox/events/stream`, 'events', async (call) => {
  const { streamEvents } = await import('./routes/stream-events.ts');
  return streamEvents(call);
});
for (const [environment, prefix, express] of [
  ['sandbox', `${PAYMENT}/sandbox`, `${PAYMENT}/express/sandbox/pay`],
  ['production', PAYMENT, `${PAYMENT}/express/pay`],
] as const) {
  const on = routesIn(environment);
  on('post', `${prefix}/intent`, 'payments_create', createHosted);
  on('post', express, 'payments_create', createExpress);
  on('get', `${prefix}/intent/:id`, 'payments_read', readPayment);
  on('get', `${prefix}/checkout/:id`, 'payments_read', readPayment);
  on('post', `${prefix}/intent/cancel/:id`, 'payments_cancel', cancelPayment);
  on('get', `${prefix}/intents`, 'payments_read', async (call) =>
    (await import('./lists/payments.ts')).listPayments(call),
  );
  on('get', `${prefix}/events`, 'events', async (call) => (await events()).listEvents(call));
  on('get', `${prefix}/events/:id`, 'events', async (call) => (await events()).readEvent(call));
  on('post', `${prefix}/events/resend`, 'events', async (call) =>
    (await events()).resendMissed(call),
  );
  on('post', `${prefix}/events/:id/resend`, 'events', async (call) =>
    (await events()).resendEvent(call),
  );
  const refundRoute = (
    method: RouteMethod,
    path: string,
    permission: KeyPermission,
    name: RefundRoute,
  ) =>
    on(method, path, permission, async (call) => (await import('./routes/refunds.ts'))[name](call));
  refundRoute('post', `${prefix}/refund`, 'refunds', 'createRefund');
  refundRoute('get', `${prefix}/refund/:id`, 'payments_read', 'readRefund');
  refundRoute('post', `${prefix}/refund/:id/cancel`, 'refunds', 'cancelRefund');
  on('get', `${prefix}/refunds`, 'payments_read', async (call) =>
    (await import('./lists/refunds.ts')).listRefunds(call),
  );
  const endpoints = `${prefix}/webhook-endpoints`;
  const endpointRoute = (method: RouteMethod, path: string, name: EndpointRoute) =>
    on(method, path, 'webhook_endpoints', async (call) =>
      (await import('./routes/webhook-endpoints.ts'))[name](call),
    );
  endpointRoute('get', endpoints, 'listWebhookEndpoints');
  endpointRoute('post', endpoints, 'createWebhookEndpoint');
  endpointRoute('get', `${endpoints}/:id`, 'readWebhookEndpoint');
  endpointRoute('patch', `${endpoints}/:id`, 'changeWebhookEndpoint');
  endpointRoute('delete', `${endpoints}/:id`, 'deleteWebhookEndpoint');
  endpointRoute('post', `${endpoints}/:id/secret`, 'rotateWebhookSecret');
  apiRouter.get(`${prefix}/webhook-keys`, (_request, env) => listWebhookKeys(env, environment));
}
routesIn('any')('get', `${PAYMENT}/banks`, null, listBanks);

/** Loaded when first needed: a payment needs no list. */
function events() {
  return import('./lists/events.ts');
}

/**
 * Registers routes that need an API key of this environment, with this permission; null: any key.
 * All their answers name their rate limits.
 */
function routesIn(environment: Environment | 'any') {
  return (
    method: RouteMethod,
    path: string,
    permission: KeyPermission | null,
    route: (call: MerchantCall) => Promise<Response>,
  ): void => {
    apiRouter[method](
      path,
      async (request, env, ctx, params) => {
        const call = await authorize(request, env, ctx, { environment, permission });
        return withPolicy(await route({ ...call, id: params().id ?? '' }), env);
      },
      (request, problem, context) =>
        withPolicy(problemResponse(request, problem, context), context.env),
    );
  };
}

function withPolicy(response: Response, env: Env): Response {
  // Not from the parsed configuration, which a problem may be about.
  if (env.RATE_LIMITS !== 'off') {
    response.headers.set('ratelimit-policy', policyHeader(CALL_POLICIES));
  }
  return response;
}
