import { configOf } from '../config.ts';
import { intentByObjectId } from '../intent/client.ts';
import type { ClaimedDelivery, DeliveryMessage, DeliveryReport } from '../intent/protocol.ts';
import { errorText, log } from '../log.ts';
import { sendWebhook, type WebhookAnswer } from './deliver.ts';
import { webhookSettings } from './settings.ts';
import { standardWebhookHeaders } from './signature.ts';
import { DeliverySlots } from './slots.ts';
import { guardCallbackUrl } from './url-guard.ts';

/** In flight per merchant, queue and isolate: one that hangs for 15 s each keeps its place only. */
export const DELIVERIES_PER_MERCHANT_MAX = 16;
/** In flight per queue and isolate: its 128 MB and its other work bear that many. */
export const DELIVERIES_MAX = 200;
/** How often a full isolate looks for a free slot. */
const FULL_WAIT_MS = 50;
/** A busy merchant's message comes back after 1 s, 2 s, … up to this. */
const BUSY_RETRY_SECONDS_MAX = 15;

const HTTP_GONE = 410;

/** Apart for each queue: retries to dead merchants must not take the slots of first tries. */
const slotsByQueue = new Map<string, DeliverySlots>();

/**
 * Consumer of both webhook queues. A delivery runs beyond the batch and its message is acked at
 * once: whatever is lost from here on, the lease in the payment's object brings back. The handler
 * itself waits only when the isolate is full, which holds back further batches. Never throws.
 */
export async function consumeDeliveries(
  batch: MessageBatch<DeliveryMessage>,
  env: Env,
  ctx: ExecutionContext,
): Promise<void> {
  const slots = slotsOf(batch.queue);
  for (const message of batch.messages) {
    // By the clock: a promise that another invocation resolves would die with that invocation.
    while (slots.isFull(Date.now())) {
      await new Promise((resolve) => setTimeout(resolve, FULL_WAIT_MS));
    }
    const slot = slots.take(message.body.merchantId, Date.now());
    if (slot === null) {
      message.retry({ delaySeconds: Math.min(message.attempts, BUSY_RETRY_SECONDS_MAX) });
      continue;
    }
    ctx.waitUntil(deliver(env, message.body).finally(() => slots.release(slot)));
    message.ack();
  }
}

function slotsOf(queue: string): DeliverySlots {
  let slots = slotsByQueue.get(queue);
  if (slots === undefined) {
    slots = new DeliverySlots({
      slotsMax: DELIVERIES_MAX,
      merchantSlotsMax: DELIVERIES_PER_MERCHANT_MAX,
    });
    slotsByQueue.set(queue, slots);
  }
  return slots;
}

/** Claim, one try, report. A claim that is not reported on is healed by its lease. */
async function deliver(env: Env, message: DeliveryMessage): Promise<void> {
  const { objectId, sequence } = message;
  const owner = intentByObjectId(env, objectId);
  try {
    const claim = await owner.claimDelivery(sequence);
    if (claim.type === 'refused') {
      return;
    }
    const { claimId } = claim.delivery;
    const result = await tryDelivery(env, claim.delivery).catch((error: unknown) => {
      // Ours, not the merchant's; still a try that failed, and seen as one.
      logBroken(message, error);
      return unsent({ type: 'failed', retryAfterMs: null }, 'not sent: internal error', Date.now());
    });
    await owner.reportDelivery({ sequence, claimId, ...result });
  } catch (error) {
    logBroken(message, error);
  }
}

function logBroken({ objectId, sequence, merchantId }: DeliveryMessage, error: unknown): void {
  const fields = { objectId, sequence, merchantId, error: errorText(error) };
  log('error', 'webhook_delivery_broken', fields);
}

type TryResult = Pick<DeliveryReport, 'outcome' | 'log'>;

async function tryDelivery(env: Env, delivery: ClaimedDelivery): Promise<TryResult> {
  const atMs = Date.now();
  const config = configOf(env);
  const settings = await webhookSettings(env, delivery.tenant, atMs);
  const destination = delivery.callbackUrl ?? settings.url;
  if (destination === null) {
    return unsent({ type: 'no_destination' }, 'no callbackUrl and no webhook setting', atMs);
  }
  const verdict = guardCallbackUrl(destination, {
    httpsOnly: config.callbackHttpsOnly,
    allowLoopback: config.localCallbacks,
    ownHosts: hostsOf([delivery.ownOrigin, config.publicBaseUrl]),
  });
  if (!verdict.allowed) {
    return unsent({ type: 'failed', retryAfterMs: null }, `not sent: ${verdict.reason}`, atMs);
  }
  const { eventId, requestBody } = delivery;
  const { secrets } = settings;
  const timestampSeconds = Math.floor(atMs / 1000);
  const headers = await standardWebhookHeaders({ eventId, timestampSeconds, requestBody, secrets });
  const now = () => Date.now();
  const answer = await sendWebhook({ url: verdict.url, headers, requestBody, now });
  const { durationMs, httpStatus, error, answerExcerpt } = answer;
  return {
    outcome: outcomeOf(answer),
    log: { atMs, durationMs, httpStatus, error, answerExcerpt },
  };
}

/** Decision 18: any 2xx is accepted, 410 stops, everything else is tried again. */
function outcomeOf(answer: WebhookAnswer): DeliveryReport['outcome'] {
  const { httpStatus, retryAfterMs } = answer;
  if (httpStatus !== null && httpStatus >= 200 && httpStatus < 300) {
    return { type: 'delivered' };
  }
  return httpStatus === HTTP_GONE ? { type: 'gone' } : { type: 'failed', retryAfterMs };
}

/** A try that never left: seen by the merchant in the delivery log all the same. */
function unsent(outcome: DeliveryReport['outcome'], error: string, atMs: number): TryResult {
  return { outcome, log: { atMs, durationMs: 0, httpStatus: null, error, answerExcerpt: '' } };
}

function hostsOf(origins: readonly (string | null)[]): readonly string[] {
  return origins.flatMap((origin) => (origin === null ? [] : (URL.parse(origin)?.host ?? [])));
}
