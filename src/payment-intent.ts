import { requestStart } from './attempts/messages.ts';
import { queryRail } from './attempts/query.ts';
import { PaymentIntentObject } from './intent/payment-intent.ts';
import type { Ports } from './intent/ports.ts';
import { queryRefund, startRefund } from './refunds/ask-rail.ts';
import { eventBody } from './webhooks/payload.ts';
import { requestBody, signEvent } from './webhooks/sign.ts';

const PORTS: Ports = {
  events: { body: eventBody, sign: signEvent, requestBody },
  attempts: { requestStart, query: queryRail },
  refunds: { start: startRefund, query: queryRefund },
};

/** The payment's Durable Object, connected to the rails and to the wire form of webhooks. */
export class PaymentIntent extends PaymentIntentObject {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, PORTS);
  }
}
