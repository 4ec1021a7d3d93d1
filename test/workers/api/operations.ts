import { OPERATIONS, type OperationId } from '../../../src/api.ts';
import { SEGMENTS, template } from '../../../src/engine/api/operation.ts';
import type { KeyPermission } from '../../../src/engine/merchants/key-permissions.ts';
import type { Environment } from '../../../src/kit/tenant.ts';
import { type Body, expressBody, hostedBody } from '../support.ts';

/**
 * Every call of the merchants' API, with a request that the gateway takes: what it names, what its
 * key must be good for, and its body. The tests of all calls read it.
 */

/** Something of a merchant, which does not exist for others. */
export type Thing = 'payment' | 'refund' | 'event' | 'endpoint' | 'link';

interface Request {
  /** What the path's id names; of a refund, what its body names. Null: nothing. */
  readonly thing: Thing | null;
  /** Null: any key will do. */
  readonly permission: KeyPermission | null;
  readonly body?: (id: string) => Body;
}

/** All calls with a key. */
const REQUESTS: Readonly<Record<Exclude<OperationId, 'listWebhookKeys'>, Request>> = {
  createHostedPayment: { thing: null, permission: 'payments_create', body: () => hostedBody() },
  createExpressPayment: { thing: null, permission: 'payments_create', body: () => expressBody() },
  readPayment: { thing: 'payment', permission: 'payments_read' },
  cancelPayment: { thing: 'payment', permission: 'payments_cancel' },
  listPayments: { thing: null, permission: 'payments_read' },
  createRefund: {
    thing: 'payment',
    permission: 'refunds',
    body: (id) => ({ paymentIntentUniqueId: id, refundUniqueId: 'refund-2', amountMinor: 100 }),
  },
  readRefund: { thing: 'refund', permission: 'payments_read' },
  cancelRefund: { thing: 'refund', permission: 'refunds' },
  listRefunds: { thing: null, permission: 'payments_read' },
  streamEvents: { thing: null, permission: 'events' },
  listEvents: { thing: null, permission: 'events' },
  readEvent: { thing: 'event', permission: 'events' },
  resendEvent: { thing: 'event', permission: 'events' },
  resendEvents: {
    thing: null,
    permission: 'events',
    body: () => ({ since: new Date(Date.now() - 1).toISOString() }),
  },
  listWebhookEndpoints: { thing: null, permission: 'webhook_endpoints' },
  createWebhookEndpoint: {
    thing: null,
    permission: 'webhook_endpoints',
    body: () => ({ url: 'https://shop.example.com/another' }),
  },
  readWebhookEndpoint: { thing: 'endpoint', permission: 'webhook_endpoints' },
  changeWebhookEndpoint: {
    thing: 'endpoint',
    permission: 'webhook_endpoints',
    body: () => ({ enabled: false }),
  },
  rotateWebhookSecret: { thing: 'endpoint', permission: 'webhook_endpoints' },
  // The last about endpoints, because tests send all calls in this order.
  deleteWebhookEndpoint: { thing: 'endpoint', permission: 'webhook_endpoints' },
  listPaymentLinks: { thing: null, permission: 'payment_links' },
  createPaymentLink: {
    thing: null,
    permission: 'payment_links',
    body: () => ({ title: 'Another', amount: 10 }),
  },
  readPaymentLink: { thing: 'link', permission: 'payment_links' },
  changePaymentLink: {
    thing: 'link',
    permission: 'payment_links',
    body: () => ({ title: 'Changed' }),
  },
  deactivatePaymentLink: { thing: 'link', permission: 'payment_links' },
  listBanks: { thing: null, permission: null },
};

export interface Route extends Request {
  readonly id: keyof typeof REQUESTS;
  readonly method: string;
  readonly environment: Environment;
  /** For the id of a thing. */
  readonly pathOf: (id: string) => string;
}

/** Every address of every call. */
export const ROUTES: readonly Route[] = (
  Object.entries(REQUESTS) as [Route['id'], Request][]
).flatMap(([id, request]) => {
  const { method, paths, environments } = OPERATIONS[id];
  return environments.flatMap((environment) =>
    paths.map((path) => ({
      ...request,
      id,
      method: method.toUpperCase(),
      environment,
      pathOf: (thing: string) =>
        template(path)
          .replace('{environment}', SEGMENTS[environment])
          .replace(':id', encodeURIComponent(thing)),
    })),
  );
});
