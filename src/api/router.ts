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

const ROOT = '/api/v1/payment';
const PREFIXES = { sandbox: `${ROOT}/sandbox`, production: ROOT } as const;

type Answer = (call: MerchantCall) => Promise<Response>;

/** Payments need none of these: an isolate loads each with its first call. */
const eventList = () => import('./lists/events.ts');
const endpoints = () => import('./routes/webhook-endpoints.ts');
const refunds = () => import('./routes/refunds.ts');

/** The first path is the documented one; the others are older or published spellings of it. */
type Route = readonly [
  method: 'get' | 'post' | 'patch' | 'delete',
  /** What the key must be good for; null: any key, of either environment. */
  permission: KeyPermission | null,
  answer: Answer,
  ...paths: string[],
];

/** The calls that exist in both environments and need a key, below the environment's prefix. */
const ROUTES: readonly Route[] = [
  ['post', 'payments_create', createHosted, '/intent'],
  ['post', 'payments_create', createExpress, '/express/pay'],
  ['get', 'payments_read', readPayment, '/intents/:id', '/intent/:id', '/checkout/:id'],
  ['post', 'payments_cancel', cancelPayment, '/intents/:id/cancel', '/intent/cancel/:id'],
  ['get', 'payments_read', lazy(() => import('./lists/payments.ts'), 'listPayments'), '/intents'],
  ['post', 'refunds', lazy(refunds, 'createRefund'), '/refunds', '/refund'],
  ['get', 'payments_read', lazy(refunds, 'readRefund'), '/refunds/:id', '/refund/:id'],
  ['post', 'refunds', lazy(refunds, 'cancelRefund'), '/refunds/:id/cancel', '/refund/:id/cancel'],
  ['get', 'payments_read', lazy(() => import('./lists/refunds.ts'), 'listRefunds'), '/refunds'],
  ['get', 'events', lazy(eventList, 'listEvents'), '/events'],
  ['get', 'events', lazy(eventList, 'readEvent'), '/events/:id'],
  ['post', 'events', lazy(eventList, 'resendMissed'), '/events/resend'],
  ['post', 'events', lazy(eventList, 'resendEvent'), '/events/:id/resend'],
  ['get', 'webhook_endpoints', lazy(endpoints, 'listWebhookEndpoints'), '/webhook-endpoints'],
  ['post', 'webhook_endpoints', lazy(endpoints, 'createWebhookEndpoint'), '/webhook-endpoints'],
  ['get', 'webhook_endpoints', lazy(endpoints, 'readWebhookEndpoint'), '/webhook-endpoints/:id'],
  [
    'patch',
    'webhook_endpoints',
    lazy(endpoints, 'changeWebhookEndpoint'),
    '/webhook-endpoints/:id',
  ],
  [
    'delete',
    'webhook_endpoints',
    lazy(endpoints, 'deleteWebhookEndpoint'),
    '/webhook-endpoints/:id',
  ],
  [
    'post',
    'webhook_endpoints',
    lazy(endpoints, 'rotateWebhookSecret'),
    '/webhook-endpoints/:id/secret',
  ],
  ['get', null, listBanks, '/banks'],
];

/** All routes of the merchants' API. */
export const apiRouter = new AreaRouter({
  refuse: problemResponse,
  failureEvent: 'api_failed',
  outageEvent: 'intent_unavailable',
});

add('sandbox', ROOT, [
  // Published so; the other calls have the environment first.
  ['post', 'payments_create', createExpress, '/express/sandbox/pay'],
  // Before `events/:id`.
  [
    'get',
    'events',
    lazy(() => import('./routes/stream-events.ts'), 'streamEvents'),
    '/sandbox/events/stream',
  ],
]);
for (const environment of ['sandbox', 'production'] as const) {
  const prefix = PREFIXES[environment];
  add(environment, prefix, ROUTES);
  apiRouter.get(`${prefix}/webhook-keys`, (_request, env) => listWebhookKeys(env, environment));
}

/** The function of this name, from a module that is loaded with the first call. */
function lazy<Name extends string>(load: () => Promise<Record<Name, Answer>>, name: Name): Answer {
  return async (call) => (await load())[name](call);
}

/** Registers routes for keys of this environment. All their answers name their rate limits. */
function add(environment: Environment, prefix: string, routes: readonly Route[]): void {
  for (const [method, permission, answer, ...paths] of routes) {
    const needs = { environment: permission === null ? 'any' : environment, permission } as const;
    for (const path of paths) {
      apiRouter[method](
        prefix + path,
        async (request, env, ctx, params) => {
          const call = await authorize(request, env, ctx, needs);
          return withPolicy(await answer({ ...call, id: params().id ?? '' }), env);
        },
        (request, problem, context) =>
          withPolicy(problemResponse(request, problem, context), context.env),
      );
    }
  }
}

function withPolicy(response: Response, env: Env): Response {
  // Not from the parsed configuration, which a problem may be about.
  if (env.RATE_LIMITS !== 'off') {
    response.headers.set('ratelimit-policy', policyHeader(CALL_POLICIES));
  }
  return response;
}
