import { merchantAccount } from './account/merchant-account.ts';
import { queryRail } from './attempts/query.ts';
import { PaymentIntentObject } from './intent/payment-intent.ts';
import type { Ports } from './intent/ports.ts';
import { eventBody } from './webhooks/payload.ts';
import { requestBody, signEvent } from './webhooks/sign.ts';

const PORTS: Ports = {
  events: { body: eventBody, sign: signEvent, requestBody },
  attempts: {
    // Loaded with the first start that waits for a customer.
    start: async (...about) => (await import('./attempts/slow-start.ts')).startSlowly(...about),
    query: queryRail,
  },
  // Loaded with the first refund: few payments have one.
  refunds: {
    start: async (...about) => (await import('./refunds/ask-rail.ts')).startRefund(...about),
    repeat: async (...about) => (await import('./refunds/ask-rail.ts')).repeatRefund(...about),
    query: async (...about) => (await import('./refunds/ask-rail.ts')).queryRefund(...about),
  },
  // Loaded after the first commit: no request waits for it.
  book: {
    apply: async (...about) => (await import('./book/feed.ts')).feedBook(...about),
  },
};

/** The payment's Durable Object, connected to the rails and to the wire form of webhooks. */
export class PaymentIntent extends PaymentIntentObject {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, PORTS);
  }
}

/** The merchant's account, connected to the payments. */
export class MerchantAccount extends merchantAccount({
  // Loaded with the first claim that is not settled: few requests die.
  settleClaim: async (...about) =>
    (await import('./refunds/settle-claim.ts')).settleClaim(...about),
}) {}
