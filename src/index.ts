import { apiRouter } from './api/router.ts';
import type { RailMessage } from './attempts/messages.ts';
import { consumeStarts } from './attempts/start-consumer.ts';
import { checkoutRouter } from './checkout/router.ts';
import { withCommonHeaders } from './http/common-headers.ts';
import { refusePlainHttp } from './http/https.ts';
import type { DeliveryMessage, ProjectionMessage } from './intent/protocol.ts';
import { consumeDeliveries } from './webhooks/consume.ts';

export { PaymentIntent } from './connected-intent.ts';

type Consumer = (batch: MessageBatch, env: Env, ctx: ExecutionContext) => Promise<void>;

/** Every queue that the Worker consumes, by its name in wrangler.toml. */
const CONSUMERS: Readonly<Record<string, Consumer>> = {
  'kefel-webhooks': (batch, env, ctx) =>
    consumeDeliveries(batch as MessageBatch<DeliveryMessage>, env, ctx),
  'kefel-webhook-retries': (batch, env, ctx) =>
    consumeDeliveries(batch as MessageBatch<DeliveryMessage>, env, ctx),
  // Loaded with the first batch: no request waits for the read model.
  'kefel-projections': async (batch, env) =>
    (await import('./read-model/consume.ts')).consumeProjections(
      batch as MessageBatch<ProjectionMessage>,
      env,
    ),
  'kefel-rail-starts': (batch, env) => consumeStarts(batch as MessageBatch<RailMessage>, env),
  'kefel-webhooks-dead': keepDeadLetters,
  'kefel-webhook-retries-dead': keepDeadLetters,
  'kefel-projections-dead': keepDeadLetters,
  'kefel-rail-starts-dead': keepDeadLetters,
};

export default {
  fetch(request, env, ctx) {
    return withCommonHeaders(request, async (requestId) => {
      const refusal = refusePlainHttp(request, env, requestId);
      if (refusal !== null) {
        return refusal;
      }
      const { router } = await areaOf(new URL(request.url).pathname);
      return router.fetch(request, env, ctx, requestId);
    });
  },
  async queue(batch, env, ctx) {
    const consume = CONSUMERS[batch.queue];
    if (consume === undefined) {
      // Throws, so that the queue keeps messages that a wrong configuration sends here.
      throw new Error(`no consumer for ${batch.queue}`);
    }
    await consume(batch, env, ctx);
  },
  async scheduled(_controller, env) {
    const { purgeExpired } = await import('./retention/purge.ts');
    const { runDaily } = await import('../back-office/scheduled.ts');
    await Promise.all([purgeExpired(env, Date.now()), runDaily(env, Date.now())]);
  },
} satisfies ExportedHandler<Env>;

async function keepDeadLetters(batch: MessageBatch, env: Env): Promise<void> {
  const { consumeDeadLetters } = await import('./dead-letters/consume.ts');
  await consumeDeadLetters(batch, env);
}

/**
 * The areas for payments load at the start, the others with their first request. Wraps the router
 * in an object, because itty-router treats every property, even `then`, as an HTTP method, so
 * `await` would call it.
 */
async function areaOf(path: string) {
  if (isUnder(path, '/api')) {
    return { router: apiRouter };
  }
  if (isUnder(path, '/dashboard')) {
    return { router: (await import('../back-office/dashboard/router.ts')).dashboardRouter };
  }
  if (isUnder(path, '/operator')) {
    return { router: (await import('../back-office/operator/router.ts')).operatorRouter };
  }
  if (path === '/' || isUnder(path, '/docs') || path.startsWith('/llms')) {
    return { router: (await import('../back-office/home/router.tsx')).homeRouter };
  }
  return { router: checkoutRouter };
}

function isUnder(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
