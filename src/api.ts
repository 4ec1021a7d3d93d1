import type { Answer, KeyOperation, Operation } from './engine/api/operation.ts';
import { apiRouterOf } from './engine/api/router.ts';
import { createExpress, createHosted } from './engine/api/routes/create-payment.ts';
import { readPayment } from './engine/api/routes/read-payment.ts';
import type { KeyPermission } from './engine/merchants/key-permissions.ts';
import { ENVIRONMENTS, type Tenant } from './kit/tenant.ts';

/** Every call of the merchants' API. `scripts/openapi/operations.ts` describes each for readers. */

const get = callsBy('get');
const post = callsBy('post');

/** Payments need none of these: an isolate loads each with its first call. */
const events = lazy(() => import('./lists/api/events.ts'));
const endpoints = lazy(() => import('./lists/api/webhook-endpoints.ts'));
const links = lazy(() => import('./lists/api/payment-links.ts'));
const payments = lazy(() => import('./lists/api/payments.ts'));
const changes = lazy(() => import('./engine/api/routes/change-payment.ts'));
const refundList = lazy(() => import('./lists/api/refunds.ts'));
const eventStream = lazy<'streamEvents'>(() => import('./lists/api/stream-events.ts'));
const referenceData = () => import('./lists/api/reference-data.ts');

/** Loaded with its first use: most merchants read payments by their own ids. */
async function findUniqueId(env: Env, tenant: Tenant, id: string): Promise<string | null> {
  const { readerOf } = await import('./lists/book/reader.ts');
  return (await readerOf(env, tenant)).findUniqueId(id);
}

/** A call about webhook endpoints. */
function ofEndpoints(
  method: Operation['method'],
  name: Parameters<typeof endpoints>[0],
  path: string,
) {
  return callsBy(method)('webhook_endpoints', endpoints(name), `/webhook-endpoints${path}`);
}

/** A call about payment links. */
function ofLinks(method: Operation['method'], name: Parameters<typeof links>[0], path: string) {
  return callsBy(method)('payment_links', links(name), `/links${path}`);
}

/** In the order in which the router tries them. */
export const OPERATIONS = {
  createHostedPayment: post('payments_create', createHosted, '/intent'),
  createExpressPayment: post(
    'payments_create',
    createExpress,
    '/express/pay',
    '/express{environment}/pay',
  ),
  readPayment: get(
    'payments_read',
    (call) => readPayment(call, findUniqueId),
    '/intents/:id',
    '/intent/:id',
    '/checkout/:id',
  ),
  cancelPayment: post(
    'payments_cancel',
    changes('cancelPayment'),
    '/intents/:id/cancel',
    '/intent/cancel/:id',
  ),
  listPayments: get('payments_read', payments('listPayments'), '/intents'),
  createRefund: post('refunds', changes('createRefund'), '/refunds', '/refund'),
  readRefund: get('payments_read', changes('readRefund'), '/refunds/:id', '/refund/:id'),
  cancelRefund: post(
    'refunds',
    changes('cancelRefund'),
    '/refunds/:id/cancel',
    '/refund/:id/cancel',
  ),
  listRefunds: get('payments_read', refundList('listRefunds'), '/refunds'),
  // Before `readEvent`, whose path would match.
  streamEvents: {
    ...get('events', eventStream('streamEvents'), '/events/stream'),
    environments: ['sandbox'],
  },
  listEvents: get('events', events('listEvents'), '/events'),
  readEvent: get('events', events('readEvent'), '/events/:id'),
  resendEvent: post('events', events('resendEvent'), '/events/:id/resend'),
  resendEvents: post('events', events('resendMissed'), '/events/resend'),
  listWebhookKeys: {
    method: 'get',
    paths: ['/webhook-keys'],
    environments: ENVIRONMENTS,
    answerWithoutKey: async (env, environment) =>
      (await referenceData()).listWebhookKeys(env, environment),
  },
  listWebhookEndpoints: ofEndpoints('get', 'listWebhookEndpoints', ''),
  createWebhookEndpoint: ofEndpoints('post', 'createWebhookEndpoint', ''),
  readWebhookEndpoint: ofEndpoints('get', 'readWebhookEndpoint', '/:id'),
  changeWebhookEndpoint: ofEndpoints('patch', 'changeWebhookEndpoint', '/:id'),
  deleteWebhookEndpoint: ofEndpoints('delete', 'deleteWebhookEndpoint', '/:id'),
  rotateWebhookSecret: ofEndpoints('post', 'rotateWebhookSecret', '/:id/secret'),
  listPaymentLinks: ofLinks('get', 'listPaymentLinks', ''),
  createPaymentLink: ofLinks('post', 'createPaymentLink', ''),
  readPaymentLink: ofLinks('get', 'readPaymentLink', '/:id'),
  changePaymentLink: ofLinks('patch', 'changePaymentLink', '/:id'),
  deactivatePaymentLink: ofLinks('post', 'deactivatePaymentLink', '/:id/deactivate'),
  listBanks: get(null, async (call) => (await referenceData()).listBanks(call), '/banks'),
} as const satisfies Readonly<Record<string, Operation>>;

export type OperationId = keyof typeof OPERATIONS;

export const apiRouter = apiRouterOf(Object.values(OPERATIONS), async (...refused) =>
  // Loaded with the first refused request: no other waits for it.
  (await import('./lists/api/record-refused.ts')).recordRefused(...refused),
);

/** Rows of calls by this HTTP method, which need a key and exist in both environments. */
function callsBy(method: Operation['method']) {
  return (permission: KeyPermission | null, answer: Answer, ...paths: string[]): KeyOperation => ({
    method,
    paths,
    environments: ENVIRONMENTS,
    permission,
    answer,
  });
}

/** The functions of a module that is loaded with the first call. */
function lazy<Name extends string>(load: () => Promise<Readonly<Record<Name, Answer>>>) {
  return (name: Name): Answer =>
    async (call) =>
      (await load())[name](call);
}
