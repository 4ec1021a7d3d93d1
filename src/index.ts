import { apiRouter } from './api/router.ts';
import { checkoutRouter } from './checkout/router.ts';
import { withRequestId } from './http/request-id.ts';
import type { DeliveryMessage, LedgerMessage } from './intent/protocol.ts';
import { consumeLedger } from './ledger/consumer.ts';
import { consumeStarts, type RailMessage } from './rails/start-consumer.ts';
import { consumeDeliveries } from './webhooks/consumer.ts';

export { PaymentIntent } from './intent/payment-intent.ts';

type QueueMessage = DeliveryMessage | LedgerMessage | RailMessage;

export default {
  fetch(request, env, ctx) {
    return withRequestId(request, async (requestId) => {
      const { router } = await areaOf(new URL(request.url).pathname);
      return router.fetch(request, env, ctx, requestId);
    });
  },
  async queue(batch, env, ctx) {
    if (batch.queue === 'kefel-rail-starts') {
      await consumeStarts(batch as MessageBatch<RailMessage>, env);
    } else if (batch.queue === 'kefel-ledger') {
      await consumeLedger(batch as MessageBatch<LedgerMessage>, env);
    } else {
      await consumeDeliveries(batch as MessageBatch<DeliveryMessage>, env, ctx);
    }
  },
} satisfies ExportedHandler<Env, QueueMessage>;

/**
 * What payments need is there from the start; the rest is made ready when somebody asks for it. In
 * an object, because a router takes any property, `then` too, for the name of a method.
 */
async function areaOf(path: string) {
  if (isUnder(path, '/api')) {
    return { router: apiRouter };
  }
  if (isUnder(path, '/dashboard')) {
    return { router: (await import('./dashboard/router.ts')).dashboardRouter };
  }
  return { router: checkoutRouter };
}

function isUnder(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
