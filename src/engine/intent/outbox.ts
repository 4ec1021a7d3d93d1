import { objectNameOf } from '../../kit/crypto/object-name.ts';
import { errorText, log } from '../../kit/platform/log.ts';
import type { Command } from '../domain/command.ts';
import type { Ports } from './ports.ts';
import type { DeliveryId, DeliveryMessage } from './protocol.ts';
import type { Snapshot } from './store.ts';

/** A message that a commit sends. A stored record holds its lease, after which it is sent again. */
export type Message =
  | ({ readonly queue: 'webhooks' | 'retries' } & DeliveryId)
  | { readonly queue: 'book' };

/** What became of the payment's message to its book. */
export type Fed = 'confirmed' | 'not_confirmed' | 'lost';

/**
 * Puts the messages of one commit into their queues, and feeds the book. Never throws: the alarm
 * sends a lost message again when its lease expires. Null when no message is for the book.
 */
export async function sendMessages(
  env: Env,
  snapshot: Snapshot,
  messages: readonly Message[],
  { book, alerts }: Pick<Ports, 'book' | 'alerts'>,
  execute: (command: Command) => unknown,
): Promise<Fed | null> {
  const { terms } = snapshot.intent;
  const objectName = await objectNameOf(terms);
  let fed: Fed | null = null;
  const sends = messages.map(async (message) => {
    if (message.queue === 'book') {
      fed = 'lost';
      fed = (await sendProjection(env, snapshot, book, execute)) ? 'confirmed' : 'not_confirmed';
      return;
    }
    const [queue, name] =
      message.queue === 'webhooks'
        ? [env.WEBHOOKS, 'kefel-webhooks']
        : [env.WEBHOOK_RETRIES, 'kefel-webhook-retries'];
    try {
      await queue.send(deliveryMessage(objectName, snapshot, message));
    } catch (error) {
      // Not awaited: the alert must not hold up the answer of the book.
      void alerts.queueFails(env, name);
      throw error;
    }
  });
  for (const result of await Promise.allSettled(sends)) {
    if (result.status === 'rejected') {
      log('warn', 'message_send_failed', { objectName, error: errorText(result.reason) });
    }
  }
  return fed;
}

function deliveryMessage(
  objectName: string,
  { intent, events }: Snapshot,
  { sequence, position }: DeliveryId,
): DeliveryMessage {
  const { environment, merchantId, paymentLinkUniqueId, tillId } = intent.terms;
  const event = events.find((candidate) => candidate.sequence === sequence);
  const delivery = event?.deliveries[position];
  if (event === undefined || delivery === undefined) {
    throw new Error('no such delivery');
  }
  return {
    objectName,
    sequence,
    position,
    tenant: { environment, merchantId },
    endpointId: delivery.endpointId,
    mustChoose: delivery.origin === null,
    eventType: event.type,
    paymentLinkUniqueId,
    ...(tillId !== undefined && { tillId }),
  };
}

/**
 * Sends a payment's refunds, and what became of its place at a link, to the merchant's register, then
 * its whole projection to the merchant's book. True when the book has stored all of it. Throws when
 * one of them is out of reach. No request waits for it, so an isolate loads it after its first commit.
 */
export async function sendProjection(
  env: Env,
  snapshot: Snapshot,
  book: Ports['book'],
  execute: (command: Command) => unknown,
): Promise<boolean> {
  if (snapshot.intent.refunds.length > 0) {
    const { recordRefunds } = await import('../register/record-refunds.ts');
    await recordRefunds(env, snapshot.intent);
  }
  const { countedLink } = snapshot.intent.terms;
  if (countedLink !== undefined) {
    const { reportPlace } = await import('./report-place.ts');
    await reportPlace(env, snapshot.intent, countedLink, execute);
  }
  const { projectionMessage } = await import('./projection-message.ts');
  return book.apply(env, await projectionMessage(env, snapshot));
}
