import { intentByObjectId } from '../intent/client.ts';
import type { ClaimedDelivery, DeliveryMessage, DeliveryReport } from '../intent/protocol.ts';
import { errorText, log } from '../log.ts';
import { claimProbe, endpointOrigin } from './endpoints.ts';
import { isAccepted, type SendResult, sendSigned, unsentTry } from './send.ts';
import { freshWebhookSettings, type WebhookSettings, webhookSettings } from './settings.ts';
import { DeliverySlots } from './slots.ts';
import { type Observation, watchEndpoint } from './watch-endpoint.ts';

/** Per tenant, queue and isolate: endpoints that hang for 15 s occupy at most these slots. */
export const DELIVERIES_PER_TENANT_MAX = 16;
/** Per queue and isolate: fits into its 128 MB beside its other work. */
export const DELIVERIES_MAX = 200;
/**
 * From this many on, each tenant gets few slots, so that hanging endpoints cannot take them all.
 */
export const CROWDED_FROM = 120;
export const CROWDED_DELIVERIES_PER_TENANT_MAX = 2;
/** A busy tenant's message is retried after 1 s, 2 s, … this many times. */
const BOUNCES_MAX = 8;
/** How often a full isolate checks for a free slot. */
export const FULL_WAIT_MS = 50;

const HTTP_GONE = 410;
/** Carries all tries but the first, see wrangler.toml. */
const RETRY_QUEUE = 'kefel-webhook-retries';

/** Separate for each queue: retries to dead endpoints must not take the slots of first tries. */
const slotsByQueue = new Map<string, DeliverySlots>();

/**
 * Consumer of both webhook queues. It acks each message at once, and the delivery continues after
 * the batch: if it is lost, the payment's object sends the event again when the lease expires. The
 * handler waits only while the isolate is full, which holds back further batches. Never throws.
 */
export async function consumeDeliveries(
  batch: MessageBatch<DeliveryMessage>,
  env: Env,
  ctx: ExecutionContext,
): Promise<void> {
  const slots = slotsOf(batch.queue);
  for (const message of batch.messages) {
    // Polls, because a promise that another invocation resolves never settles once that one ends.
    while (slots.isFull(Date.now())) {
      await new Promise((resolve) => setTimeout(resolve, FULL_WAIT_MS));
    }
    const { environment, merchantId } = message.body.tenant;
    const slot = slots.take(`${environment}/${merchantId}`, Date.now());
    if (slot === null) {
      bounce(message);
      continue;
    }
    const isRetry = batch.queue === RETRY_QUEUE;
    ctx.waitUntil(deliver(env, message.body, isRetry).finally(() => slots.release(slot)));
    message.ack();
  }
}

/**
 * Retries a message later, and drops it after BOUNCES_MAX tries: the object sends the event again
 * when its lease expires. A dead letter would only distract from those that need the operator.
 */
function bounce(message: Message<DeliveryMessage>): void {
  if (message.attempts >= BOUNCES_MAX) {
    message.ack();
  } else {
    message.retry({ delaySeconds: message.attempts });
  }
}

function slotsOf(queue: string): DeliverySlots {
  let slots = slotsByQueue.get(queue);
  if (slots === undefined) {
    slots = new DeliverySlots({
      slotsMax: DELIVERIES_MAX,
      ownerSlotsMax: DELIVERIES_PER_TENANT_MAX,
      crowdedFrom: CROWDED_FROM,
      crowdedOwnerSlotsMax: CROWDED_DELIVERIES_PER_TENANT_MAX,
    });
    slotsByQueue.set(queue, slots);
  }
  return slots;
}

/**
 * Claims a delivery, tries it once and reports the result. A lost report leaves it to the lease.
 */
async function deliver(env: Env, message: DeliveryMessage, isRetry: boolean): Promise<void> {
  const { objectId, sequence } = message;
  const owner = intentByObjectId(env, objectId);
  try {
    const claim = await owner.claimDelivery(sequence);
    if (claim.type === 'refused') {
      return;
    }
    const { claimId, tenant } = claim.delivery;
    const { observed, ...result } = await tryDelivery(env, claim.delivery).catch(
      (error: unknown) => {
        // A failure of ours must not use up a try of the merchant's schedule.
        logBroken(message, error);
        return unsent({ type: 'not_sent' }, null);
      },
    );
    await owner.reportDelivery({ sequence, claimId, ...result });
    if (observed !== null) {
      await watchEndpoint(env, tenant, { ...observed, isRetry });
    }
  } catch (error) {
    logBroken(message, error);
  }
}

function logBroken({ objectId, sequence, tenant }: DeliveryMessage, error: unknown): void {
  const fields = { objectId, sequence, ...tenant, error: errorText(error) };
  log('error', 'webhook_delivery_broken', fields);
}

type TryResult = Pick<DeliveryReport, 'outcome' | 'log'> & {
  /** The result for the endpoint's failure count; null when it must not count. */
  readonly observed: Omit<Observation, 'isRetry'> | null;
};

async function tryDelivery(env: Env, delivery: ClaimedDelivery): Promise<TryResult> {
  const { tenant, callbackUrl, isScheduleUsedUp, ...webhook } = delivery;
  const settings = await settingsToSend(env, delivery);
  const destination = callbackUrl ?? settings.url;
  if (destination === null) {
    return unsent({ type: 'no_destination' }, 'no callbackUrl and no webhook setting');
  }
  const origin = endpointOrigin(destination);
  const isEndpointPaused = isPaused(settings, destination);
  // An event runs through its own schedule even when others have failed. After that, one event a
  // day probes a paused endpoint on behalf of all waiting events.
  const mayProbe =
    origin === null ||
    !(isEndpointPaused && isScheduleUsedUp) ||
    (await claimProbe(env.DB, tenant, { origin, atMs: Date.now() }));
  if (!mayProbe) {
    return unsent({ type: 'paused' }, null);
  }
  const sent = await sendSigned(env, { ...webhook, destination, secrets: settings.secrets });
  const outcome = outcomeOf(sent, isEndpointPaused);
  return {
    outcome,
    log: sent.log,
    observed: origin === null ? null : { origin, result: sent.log },
  };
}

/** Reads a cached pause again from D1: a member may have just resumed the endpoint. */
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

/** Any 2xx accepts the event, 410 stops it, anything else retries it (docs/decisions.md#18). */
function outcomeOf(
  { log: result, retryAfterMs }: SendResult,
  isEndpointPaused: boolean,
): DeliveryReport['outcome'] {
  if (isAccepted(result)) {
    return { type: 'delivered' };
  }
  return result.httpStatus === HTTP_GONE
    ? { type: 'gone' }
    : { type: 'failed', retryAfterMs, isEndpointPaused };
}

function unsent(outcome: DeliveryReport['outcome'], error: string | null): TryResult {
  const log = error === null ? null : unsentTry(error, Date.now());
  return { outcome, log, observed: null };
}
