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
    const isApi = /^\/api(?:\/|$)/.test(new URL(request.url).pathname);
    const router = isApi ? apiRouter : checkoutRouter;
    return withRequestId(request, (requestId) => router.fetch(request, env, ctx, requestId));
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
