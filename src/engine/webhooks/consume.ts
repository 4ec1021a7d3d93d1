import { errorText, log } from '../../kit/platform/log.ts';
import { plainQueueName } from '../../kit/platform/queue-name.ts';
import { retryLater } from '../../kit/platform/retry-later.ts';
import type { Tenant } from '../../kit/tenant.ts';
import { SELF_CHECK_MERCHANT_ID } from '../domain/merchant.ts';
import { type IntentClient, intentByName } from '../intent/client.ts';
import type {
  ChosenEndpoint,
  ClaimedDelivery,
  DeliveryMessage,
  DeliveryReport,
} from '../intent/protocol.ts';
import { endpointOrigin, takesEvent, type WebhookEndpoint } from './endpoints.ts';
import {
  isAccepted,
  type OutgoingWebhook,
  type SendResult,
  sendSigned,
  unsentTry,
} from './send.ts';
import {
  cachedWebhookSettings,
  freshWebhookSettings,
  type WebhookSettings,
  webhookSettings,
} from './settings.ts';
import { DeliverySlots, type Slot, type SlotOwner } from './slots.ts';
import type { Observation } from './watch-endpoint.ts';

/** A busy endpoint's message is retried after 1 s, 2 s, … this many times. */
const BOUNCES_MAX = 8;
/** How often a full isolate checks for a free slot. */
export const FULL_WAIT_MS = 50;
/** This stands for the endpoint of deliveries whose endpoints are not chosen yet. */
const NOT_CHOSEN = 'not-chosen';

const HTTP_GONE = 410;
/** This queue carries all tries but the first (wrangler.toml). */
const RETRY_QUEUE = 'kefel-webhook-retries';

/**
 * Each queue has slots of its own: retries to dead endpoints must not take those of first tries.
 */
const slotsByQueue = new Map<string, DeliverySlots>();

/** Resets the slots for tests, which share an isolate. */
export function forgetDeliverySlots(): void {
  slotsByQueue.clear();
}

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
    if (!isReadable(message.body)) {
      log('error', 'webhook_message_unreadable', { queue: batch.queue, id: message.id });
      retryLater(message);
      continue;
    }
    // Polls, because a promise that another invocation resolves never settles once that one ends.
    while (slots.isFull(Date.now())) {
      await new Promise((resolve) => setTimeout(resolve, FULL_WAIT_MS));
    }
    const slot = slots.take(ownerOf(message.body), Date.now());
    if (slot === null) {
      bounce(message);
      continue;
    }
    const isRetry = plainQueueName(batch.queue) === RETRY_QUEUE;
    const delivering = deliver({ env, slots, slot, isRetry }, message.body);
    ctx.waitUntil(delivering.finally(() => slots.release(slot)));
    message.ack();
  }
}

/**
 * A message that cannot be read becomes a dead letter after its tries. An exception would return the
 * other messages of its batch to the queue as well.
 */
function isReadable(body: Partial<DeliveryMessage> | null): boolean {
  return typeof body?.objectName === 'string' && body.tenant?.merchantId !== undefined;
}

/**
 * If a tenant's only endpoint is cached, it is known before it is chosen: its messages then bounce
 * as they are.
 */
function ownerOf(message: DeliveryMessage): SlotOwner {
  const { tenant, endpointId, mustChoose } = message;
  const key = `${tenant.environment}/${tenant.merchantId}`;
  if (!mustChoose) {
    return { tenant: key, endpoint: endpointId };
  }
  const known = cachedWebhookSettings(tenant, Date.now());
  const [first, ...others] = known === undefined ? [] : taking(known, message);
  const isOnly = first !== undefined && others.length === 0;
  return { tenant: key, endpoint: isOnly ? first.endpointId : NOT_CHOSEN };
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
    slots = new DeliverySlots();
    slotsByQueue.set(queue, slots);
  }
  return slots;
}

interface Delivering {
  readonly env: Env;
  readonly slots: DeliverySlots;
  readonly slot: Slot;
  readonly isRetry: boolean;
}

/**
 * Claims a delivery, tries it once and reports the result. A lost report leaves it to the lease.
 */
async function deliver(delivering: Delivering, message: DeliveryMessage): Promise<void> {
  const { env, isRetry } = delivering;
  const { objectName, sequence, position } = message;
  const owner = intentByName(env, objectName);
  try {
    const claim = await claimFrom(owner, delivering, message);
    if (claim === null) {
      return;
    }
    const { claimId, tenant, fault } = claim;
    const { observed, ...result } = await tryDelivery(env, claim, message).catch(
      (error: unknown) => {
        // A failure of the gateway must not use up a try of the merchant's schedule.
        logBroken(message, error);
        return unsent({ type: 'not_sent' }, null);
      },
    );
    await owner.reportDelivery({ sequence, position, claimId, ...result });
    if (fault !== null && result.outcome.type === 'delivered') {
      const { afterFault } = await import('./fault.ts');
      await afterFault(owner, fault, message);
    }
    if (observed !== null) {
      // An isolate loads this after the first delivery, which does not wait for it.
      const { watchEndpoint } = await import('./watch-endpoint.ts');
      await watchEndpoint(env, tenant, { ...observed, isRetry });
    }
  } catch (error) {
    logBroken(message, error);
  }
}

/**
 * The claim, or null. The first message of an event also chooses its endpoints, in the commit of the
 * claim, so a single endpoint costs nothing more. A payment with a callbackUrl has those of people.
 */
async function claimFrom(
  owner: IntentClient,
  { env, slots, slot, isRetry }: Delivering,
  message: DeliveryMessage,
): Promise<ClaimedDelivery | null> {
  const { mustChoose, endpointId } = message;
  const mayChoose = mustChoose || (endpointId === null && !isRetry);
  const endpoints = mayChoose ? await endpointsTaking(env, message) : [];
  const [first] = endpoints;
  if (mustChoose && first !== undefined) {
    const { tenant } = slot.owner;
    if (!slots.move(slot, { tenant, endpoint: first.endpointId })) {
      await owner.chooseEndpoints(message, endpoints);
      return null;
    }
  }
  const claim = await owner.claimDelivery(message, endpoints);
  return claim.type === 'refused' ? null : claim.delivery;
}

/**
 * Without settings it passes none: `tryDelivery` then fails in the same way, and uses up no try.
 */
async function endpointsTaking(
  env: Env,
  message: DeliveryMessage,
): Promise<readonly ChosenEndpoint[]> {
  try {
    return taking(await webhookSettings(env, message.tenant), message);
  } catch (error) {
    if (message.mustChoose) {
      logBroken(message, error);
    }
    return [];
  }
}

function taking(
  { endpoints }: WebhookSettings,
  { eventType, paymentLinkUniqueId = null, tillId = null, mustChoose }: DeliveryMessage,
): readonly ChosenEndpoint[] {
  return [...endpoints.values()].flatMap((endpoint) => {
    const origin = endpointOrigin(endpoint.url);
    const mayTake = mustChoose || endpoint.language;
    return origin && mayTake && takesEvent(endpoint, eventType, paymentLinkUniqueId, tillId)
      ? [{ endpointId: endpoint.endpointId, origin }]
      : [];
  });
}

function logBroken(message: DeliveryMessage, error: unknown): void {
  const { objectName, sequence, position, tenant } = message;
  const fields = { objectName, sequence, position, ...tenant, error: errorText(error) };
  log('error', 'webhook_delivery_broken', fields);
}

type TryResult = Pick<DeliveryReport, 'outcome' | 'log'> & {
  /** The result for the endpoint's failure count; null when it must not count. */
  readonly observed: Omit<Observation, 'isRetry'> | null;
};

/** An isolate loads this with the first paused endpoint: few merchants have one. */
async function mayProbePaused(env: Env, tenant: Tenant, endpoint: string): Promise<boolean> {
  const { claimProbe } = await import('./failing-endpoints.ts');
  return claimProbe(env.DB, tenant, { endpoint, atMs: Date.now() });
}

async function tryDelivery(
  env: Env,
  delivery: ClaimedDelivery,
  message: DeliveryMessage,
): Promise<TryResult> {
  const { tenant, isScheduleUsedUp, fault, eventId, ownOrigin, requestBody } = delivery;
  const settings = await settingsToSend(env, delivery);
  const address = addressOf(settings, delivery);
  if (address === null) {
    return withoutAddress(settings, delivery, message);
  }
  const { endpoint, person, ...signing } = address;
  const isEndpointPaused = isPaused(settings, endpoint);
  // An event runs through its own schedule even when others have failed. After that, one event a
  // day probes a paused endpoint on behalf of all waiting events. A person who has left is asked by
  // none before.
  const mayProbe =
    endpoint === null ||
    !(isEndpointPaused && (isScheduleUsedUp || person !== null)) ||
    (await mayProbePaused(env, tenant, endpoint));
  if (!mayProbe) {
    return unsent({ type: 'paused' }, null);
  }
  const webhook = { eventId, ownOrigin, requestBody, ...signing };
  if (fault !== null && person === null) {
    const { tryWithFault } = await import('./fault.ts');
    const faulty = await tryWithFault(env, fault, webhook);
    if (faulty !== null) {
      return { ...faulty, observed: null };
    }
  }
  const sent =
    person === null
      ? await sendSigned(env, webhook)
      : await (await import('./people/tell-person.ts')).tellPerson(
          env,
          person,
          delivery,
          message.objectName,
        );
  const outcome = outcomeOf(sent, isEndpointPaused);
  return {
    outcome,
    log: sent.log,
    observed: endpoint === null ? null : { endpoint, result: sent.log, hasLeft: sent.hasLeft },
  };
}

interface Address extends Pick<OutgoingWebhook, 'destination' | 'secrets' | 'signatureHeader'> {
  /** The key of its failures: an endpoint's id, or an origin. */
  readonly endpoint: string | null;
  /** The person's endpoint; null: it is a server. */
  readonly person: WebhookEndpoint | null;
}

/** The payment's callbackUrl, or its endpoint as it is now. Null: none, deleted or disabled. */
function addressOf(
  { secrets, signatureHeader, endpoints }: WebhookSettings,
  { callbackUrl, endpointId }: ClaimedDelivery,
): Address | null {
  if (callbackUrl !== null && endpointId === null) {
    const endpoint = endpointOrigin(callbackUrl);
    return { destination: callbackUrl, secrets, signatureHeader, endpoint, person: null };
  }
  const known = endpointId === null ? undefined : endpoints.get(endpointId);
  return known?.isEnabled
    ? {
        destination: known.url,
        secrets: known.secrets,
        signatureHeader: known.signatureHeader,
        endpoint: known.endpointId,
        person: known.language && known,
      }
    : null;
}

function withoutAddress(
  settings: WebhookSettings,
  { tenant, endpointId, mayHaveNoReceiver }: ClaimedDelivery,
  message: DeliveryMessage,
): TryResult {
  if (endpointId !== null) {
    const state = settings.endpoints.has(endpointId) ? 'disabled' : 'deleted';
    return unsent({ type: 'no_destination' }, `not sent: the endpoint is ${state}`);
  }
  const mayEndQuietly = mayHaveNoReceiver || tenant.merchantId === SELF_CHECK_MERCHANT_ID;
  if (mayEndQuietly && settings.endpoints.size === 0) {
    return unsent({ type: 'not_subscribed' }, null);
  }
  if (![...settings.endpoints.values()].some(({ isEnabled }) => isEnabled)) {
    return unsent({ type: 'no_destination' }, 'no callbackUrl takes it and no endpoint is enabled');
  }
  // An endpoint that takes the event was read after the claim: the next claim chooses it.
  const isTaken = taking(settings, message).length > 0;
  return unsent({ type: isTaken ? 'not_sent' : 'not_subscribed' }, null);
}

/**
 * Reads the settings again from D1 before a delivery ends for want of an address, or waits for a
 * pause: while D1 fails, the cached ones may be an hour old.
 */
async function settingsToSend(env: Env, delivery: ClaimedDelivery): Promise<WebhookSettings> {
  const known = await webhookSettings(env, delivery.tenant);
  const address = addressOf(known, delivery);
  const mayBeStale = address === null || isPaused(known, address.endpoint);
  return mayBeStale ? freshWebhookSettings(env, delivery.tenant) : known;
}

function isPaused({ failing }: WebhookSettings, endpoint: string | null): boolean {
  return endpoint !== null && failing.get(endpoint)?.pausedAtMs != null;
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
