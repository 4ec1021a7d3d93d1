import { configOf } from '../config.ts';
import { idDigest, phoneDigest } from '../crypto/phone-digest.ts';
import type { Intent } from '../domain/intent.ts';
import {
  hashedIdSearchKey,
  idSearchKey,
  mayContainPhone,
  orderSearchKey,
  phoneOwner,
  phoneSearchKey,
} from '../domain/search-key.ts';
import { errorText, log } from '../log.ts';
import {
  phonesOf,
  projectedEvents,
  projectedVersion,
  projectionRow,
  searchedIds,
  sharedAddressReferences,
} from './projection.ts';
import type { DeliveryMessage, ProjectionMessage } from './protocol.ts';
import type { StoredEvent } from './store.ts';

/** A message that a commit sends. A stored row holds its lease, after which it is sent again. */
export type Message =
  | { readonly queue: 'webhooks' | 'retries'; readonly sequence: number }
  | { readonly queue: 'projections' };

/** The stored state after a commit, which its messages describe. */
export interface Snapshot {
  readonly intent: Intent;
  readonly events: readonly StoredEvent[];
}

/**
 * Puts the messages of one commit into their queues. Never throws: the alarm sends a lost message
 * again when its lease expires.
 */
export async function sendMessages(
  env: Env,
  objectId: string,
  snapshot: Snapshot,
  messages: readonly Message[],
): Promise<void> {
  const sends = messages.map((message) => {
    if (message.queue === 'projections') {
      return sendProjection(env, objectId, snapshot);
    }
    const { environment, merchantId } = snapshot.intent.terms;
    const tenant = { environment, merchantId };
    const delivery: DeliveryMessage = { objectId, sequence: message.sequence, tenant };
    const queue = message.queue === 'webhooks' ? env.WEBHOOKS : env.WEBHOOK_RETRIES;
    return queue.send(delivery);
  });
  for (const result of await Promise.allSettled(sends)) {
    if (result.status === 'rejected') {
      log('warn', 'queue_send_failed', { objectId, error: errorText(result.reason) });
    }
  }
}

/** Sends a payment's whole projection to the read model. Throws when the queue rejects it. */
export async function sendProjection(
  env: Env,
  objectId: string,
  { intent, events }: Snapshot,
): Promise<void> {
  const ids = searchedIds(intent);
  const hashedIds = ids.filter(mayContainPhone);
  const phones = phonesOf(intent);
  // Most payments have neither, and are sent without an await.
  const hasNone = phones.length + hashedIds.length === 0;
  const hashedKeys = hasNone ? [] : await hashedSearchKeys(env, intent, phones, hashedIds);
  const plainIds = ids.filter((id) => !mayContainPhone(id));
  const change: ProjectionMessage = {
    objectId,
    version: projectedVersion(intent, events),
    row: projectionRow(intent),
    searchKeys: [
      ...plainIds.map(idSearchKey),
      ...sharedAddressReferences(intent).map(orderSearchKey),
      ...hashedKeys,
    ],
    events: projectedEvents(intent, events),
  };
  await env.PROJECTIONS.send(change);
}

/** Phone numbers, and ids that may contain one, leave the object only as keyed digests. */
function hashedSearchKeys(
  env: Env,
  intent: Intent,
  phones: readonly string[],
  ids: readonly string[],
): Promise<string[]> {
  const [key] = configOf(env).dataEncryptionKeys;
  const owner = phoneOwner(intent.terms);
  return Promise.all([
    ...ids.map(async (id) => hashedIdSearchKey(await idDigest(key, owner, id))),
    ...phones.map(async (phone) => phoneSearchKey(await phoneDigest(key, owner, phone))),
  ]);
}
