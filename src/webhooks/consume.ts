import { intentByObjectId } from '../intent/client.ts';
import type { ClaimedDelivery, DeliveryMessage, DeliveryReport } from '../intent/protocol.ts';
import { errorText, log } from '../log.ts';
import { endpointOrigin } from './endpoints.ts';
import { isAccepted, type SendResult, sendSigned, unsentTry } from './send.ts';
import { freshWebhookSettings, type WebhookSettings, webhookSettings } from './settings.ts';
import { DeliverySlots } from './slots.ts';
import { watchEndpoint } from './watch-endpoint.ts';

/** In flight per merchant, queue and isolate: one that hangs for 15 s each keeps its place only. */
export const DELIVERIES_PER_MERCHANT_MAX = 16;
/** In flight per queue and isolate: its 128 MB and its other work bear that many. */
export const DELIVERIES_MAX = 200;
/** How often a full isolate looks for a free slot. */
const FULL_WAIT_MS = 50;
/** A busy merchant's message comes back after 1 s, 2 s, … up to this. */
const BUSY_RETRY_SECONDS_MAX = 15;

const HTTP_GONE = 410;
/** Tries after the first, see wrangler.toml. */
const RETRY_QUEUE = 'kefel-webhook-retries';

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
    const isRetry = batch.queue === RETRY_QUEUE;
    ctx.waitUntil(deliver(env, message.body, isRetry).finally(() => slots.release(slot)));
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
async function deliver(env: Env, message: DeliveryMessage, isRetry: boolean): Promise<void> {
  const { objectId, sequence } = message;
  const owner = intentByObjectId(env, objectId);
  try {
    const claim = await owner.claimDelivery(sequence);
    if (claim.type === 'refused') {
      return;
    }
    const { claimId, tenant } = claim.delivery;
    const { origin, ...result } = await tryDelivery(env, claim.delivery).catch((error: unknown) => {
      // Ours, not the merchant's; still a try that failed, and seen as one.
      logBroken(message, error);
      return unsent({ type: 'failed', retryAfterMs: null }, 'not sent: internal error');
    });
    await owner.reportDelivery({ sequence, claimId, ...result });
    if (origin !== null) {
      await watchEndpoint(env, tenant, { origin, result: result.log, isRetry });
    }
  } catch (error) {
    logBroken(message, error);
  }
}

function logBroken({ objectId, sequence, merchantId }: DeliveryMessage, error: unknown): void {
  const fields = { objectId, sequence, merchantId, error: errorText(error) };
  log('error', 'webhook_delivery_broken', fields);
}

type TryResult = Pick<DeliveryReport, 'outcome' | 'log'> & {
  /** The endpoint that the try says something about, or null. */
  readonly origin: string | null;
};

async function tryDelivery(env: Env, delivery: ClaimedDelivery): Promise<TryResult> {
  const { tenant, callbackUrl, ...webhook } = delivery;
  const settings = await settingsToSend(env, delivery);
  const destination = callbackUrl ?? settings.url;
  if (destination === null) {
    return unsent({ type: 'no_destination' }, 'no callbackUrl and no webhook setting');
  }
  if (isPaused(settings, destination)) {
    return unsent({ type: 'paused' }, 'not sent: the endpoint is paused');
  }
  const sent = await sendSigned(env, { ...webhook, destination, secrets: settings.secrets });
  return { outcome: outcomeOf(sent), log: sent.log, origin: endpointOrigin(destination) };
}

/** What was remembered never pauses a delivery: somebody may have just resumed the endpoint. */
async function settingsToSend(
  env: Env,
  { tenant, callbackUrl }: ClaimedDelivery,
): Promise<WebhookSettings> {
  const known = await webhookSettings(env, tenant);
  const destination = callbackUrl ?? known.url;
  return destination !== null && isPaused(known, destination)
    ? freshWebhookSettings(env, tenant)
    : known;
}

function isPaused({ endpoints }: WebhookSettings, destination: string): boolean {
  const origin = endpointOrigin(destination);
  return origin !== null && endpoints.get(origin)?.pausedAtMs != null;
}

/** Any 2xx is accepted, 410 stops, everything else is retried (docs/decisions.md#18). */
function outcomeOf({ log: result, retryAfterMs }: SendResult): DeliveryReport['outcome'] {
  if (isAccepted(result)) {
    return { type: 'delivered' };
  }
  return result.httpStatus === HTTP_GONE ? { type: 'gone' } : { type: 'failed', retryAfterMs };
}

function unsent(outcome: DeliveryReport['outcome'], error: string): TryResult {
  return { outcome, log: unsentTry(error, Date.now()), origin: null };
}
