import { apiRouter } from './api.ts';
import { consumeResults, type ResultMessage } from './engine/attempts/provider-reports.ts';
import { callbackRouter, isCallback } from './engine/callbacks/router.ts';
import { checkoutRouter } from './engine/checkout/router.ts';
import { placementOf } from './engine/config.ts';
import type { DeliveryMessage } from './engine/intent/protocol.ts';
import { consumeDeliveries } from './engine/webhooks/consume.ts';
import { withCommonHeaders } from './kit/http/common-headers.ts';
import { isProbe } from './kit/platform/probe-message.ts';
import { plainQueueName } from './kit/platform/queue-name.ts';

export {
  MerchantBook,
  MerchantRegister,
  OperatorAlerts,
  PaymentIntent,
  ProviderFiles,
} from './connected-objects.ts';
export { Payments } from './control/rpc/entrypoint.ts';
export { ReceiptIndex } from './lists/receipt-index/receipt-index.ts';

type Consumer = (batch: MessageBatch, env: Env, ctx: ExecutionContext) => Promise<void>;

/** Every queue that the Worker consumes, by its name in wrangler.toml. */
const CONSUMERS: Readonly<Record<string, Consumer>> = {
  'kefel-webhooks': deliver,
  'kefel-webhook-retries': deliver,
  'kefel-provider-reports': (batch, env) =>
    consumeResults(batch as MessageBatch<ResultMessage>, env),
  'kefel-webhooks-dead': keepDeadLetters,
  'kefel-webhook-retries-dead': keepDeadLetters,
  'kefel-provider-reports-dead': keepDeadLetters,
};

/** The cron of wrangler.toml that continues the day's backup. */
const HOURLY = '37 * * * *';

export default {
  fetch(request, env, ctx) {
    return withCommonHeaders(request, env, async (asked, requestId) => {
      const url = new URL(asked.url);
      if (url.pathname === '/openapi.json') {
        const { showOpenApi } = await import('./lists/api/open-api.ts');
        return showOpenApi(asked, env);
      }
      if (url.pathname === '/telegram/updates') {
        const { takeUpdate } = await import('./engine/webhooks/people/updates.ts');
        return takeUpdate(asked, env);
      }
      return routerOf(url).fetch(asked, env, ctx, requestId);
    });
  },
  async queue(batch, env, ctx) {
    const queue = plainQueueName(batch.queue);
    const consume = CONSUMERS[queue];
    if (consume === undefined) {
      // Throws, so that the queue keeps messages that a wrong configuration sends here.
      throw new Error(`no consumer for ${batch.queue}`);
    }
    await consume(await withoutProbes(batch, queue, env), env, ctx);
  },
  async scheduled({ cron }, env) {
    const { tellAlerts } = await import('./engine/alerts/client.ts');
    // Before anything that needs D1: the runtime may have lost the alarm that looks for its failure.
    await tellAlerts(env, (alerts) => alerts.look());
    const { checkJurisdiction } = await import('./kit/platform/jurisdiction.ts');
    await checkJurisdiction(env.DB, placementOf(env));
    if (cron === HOURLY) {
      const { continueBackup } = await import('./recovery/backup/daily.ts');
      await continueBackup(env, Date.now());
      return;
    }
    const { runDaily } = await import('./control/daily-run.ts');
    await runDaily(env);
  },
} satisfies ExportedHandler<Env>;

function routerOf(url: URL) {
  if (/^\/api(?:\/|$)/.test(url.pathname)) {
    return apiRouter;
  }
  return isCallback(url) ? callbackRouter : checkoutRouter;
}

function deliver(batch: MessageBatch, env: Env, ctx: ExecutionContext): Promise<void> {
  return consumeDeliveries(batch as MessageBatch<DeliveryMessage>, env, ctx);
}

/** An operator's self-check sends three messages, so nearly every batch is returned as it is. */
async function withoutProbes(batch: MessageBatch, queue: string, env: Env): Promise<MessageBatch> {
  if (!batch.messages.some(isProbe)) {
    return batch;
  }
  const { consumeProbes } = await import('./control/self-check/consume-probes.ts');
  return consumeProbes(batch, queue, env);
}

async function keepDeadLetters(batch: MessageBatch, env: Env): Promise<void> {
  const { consumeDeadLetters } = await import('./control/dead-letters/consume.ts');
  await consumeDeadLetters(batch, env);
}
