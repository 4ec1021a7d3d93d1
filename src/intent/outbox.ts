import { recordRefunds } from '../account/record-refunds.ts';
import { errorText, log } from '../platform/log.ts';
import type { BookPort } from './ports.ts';
import type { DeliveryId, DeliveryMessage } from './protocol.ts';
import type { Snapshot } from './store.ts';

/** A message that a commit sends. A stored record holds its lease, after which it is sent again. */
export type Message =
  | ({ readonly queue: 'webhooks' | 'retries' } & DeliveryId)
  | { readonly queue: 'projections' };

/**
 * Puts the messages of one commit into their queues. Never throws: the alarm sends a lost message
 * again when its lease expires. False when the projection was lost.
 */
export async function sendMessages(
  env: Env,
  objectId: string,
  snapshot: Snapshot,
  messages: readonly Message[],
  book: BookPort,
): Promise<boolean> {
  const sends = messages.map((message) => {
    if (message.queue === 'projections') {
      return sendProjection(env, objectId, snapshot, book);
    }
    const queue = message.queue === 'webhooks' ? env.WEBHOOKS : env.WEBHOOK_RETRIES;
    return queue.send(deliveryMessage(objectId, snapshot, message));
  });
  const results = await Promise.allSettled(sends);
  for (const result of results) {
    if (result.status === 'rejected') {
      log('warn', 'queue_send_failed', { objectId, error: errorText(result.reason) });
    }
  }
  return results.every(
    ({ status }, index) => status === 'fulfilled' || messages[index]?.queue !== 'projections',
  );
}

function deliveryMessage(
  objectId: string,
  { intent, events }: Snapshot,
  { sequence, position }: DeliveryId,
): DeliveryMessage {
  const { environment, merchantId } = intent.terms;
  const event = events.find((candidate) => candidate.sequence === sequence);
  const delivery = event?.deliveries[position];
  if (event === undefined || delivery === undefined) {
    throw new Error('no such delivery');
  }
  return {
    objectId,
    sequence,
    position,
    tenant: { environment, merchantId },
    endpointId: delivery.endpointId,
    mustChoose: delivery.origin === null,
    eventType: event.type,
  };
}

/**
 * Sends a payment's refunds to the merchant's account, then its whole projection to the merchant's
 * book and to the read model. Throws when one of them rejects it. No request waits for it, so an
 * isolate loads it after its first commit.
 */
export async function sendProjection(
  env: Env,
  objectId: string,
  snapshot: Snapshot,
  book: BookPort,
): Promise<void> {
  await recordRefunds(env, snapshot.intent);
  const { projectionMessage } = await import('./projection-message.ts');
  const message = await projectionMessage(env, objectId, snapshot);
  await Promise.all([env.PROJECTIONS.send(message), book.apply(env, message)]);
}
