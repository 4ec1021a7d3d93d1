import { configOf } from '../config.ts';
import { utf8 } from '../crypto/encoding.ts';
import { type DigestKind, keyedDigest } from '../crypto/keyed-digest.ts';
import { sealRepeatably } from '../crypto/sealed.ts';
import type { Intent } from '../domain/intent.ts';
import { hasRefundEnded } from '../domain/refund.ts';
import {
  digestOwner,
  emailFrom,
  emailSearchKey,
  hashedIdSearchKey,
  idSearchKey,
  isFoundByDigest,
  isFoundByTime,
  metadataSearchKey,
  metadataText,
  nameSearchKey,
  nameWords,
  orderSearchKey,
  phoneSearchKey,
} from '../domain/search-key.ts';
import { errorText, log } from '../log.ts';
import {
  needsConfirmation,
  paymentDetails,
  phonesOf,
  projectedEvents,
  projectedRefunds,
  projectedVersion,
  projectionRow,
  receiptsIn,
  searchedIds,
  sharedAddressReferences,
} from './projection.ts';
import {
  type DeliveryId,
  type DeliveryMessage,
  detailsContext,
  type ProjectedEvent,
  type ProjectedRefund,
  type ProjectionMessage,
} from './protocol.ts';
import { receiptKeys } from './receipt-keys.ts';
import type { StoredEvent } from './store.ts';

/** A message that a commit sends. A stored record holds its lease, after which it is sent again. */
export type Message =
  | ({ readonly queue: 'webhooks' | 'retries' } & DeliveryId)
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
    const queue = message.queue === 'webhooks' ? env.WEBHOOKS : env.WEBHOOK_RETRIES;
    return queue.send(deliveryMessage(objectId, snapshot, message));
  });
  for (const result of await Promise.allSettled(sends)) {
    if (result.status === 'rejected') {
      log('warn', 'queue_send_failed', { objectId, error: errorText(result.reason) });
    }
  }
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

/** Sends a payment's whole projection to the read model. Throws when the queue rejects it. */
export async function sendProjection(
  env: Env,
  objectId: string,
  { intent, events }: Snapshot,
): Promise<void> {
  const change: ProjectionMessage = {
    objectId,
    version: projectedVersion(intent, events),
    needsConfirmation: needsConfirmation(intent, Date.now()),
    row: projectionRow(intent),
    ...(await personalData(env, intent)),
    events: projectedEvents(events),
    refunds: projectedRefunds(intent),
  };
  await env.PROJECTIONS.send(change.refunds.length === 0 ? change : withinLimit(change));
}

/** Queues take messages of 128,000 bytes. */
const MESSAGE_BYTES_MAX = 120_000;

/**
 * Without some events and refunds, if the message is too large: every refund of a payment has an
 * event, and every event a delivery to each endpoint. Those go that have not changed for longest,
 * because the read model has them from earlier messages; first events that have arrived, which do
 * not change any more, and last refunds that have ended.
 */
function withinLimit(change: ProjectionMessage): ProjectionMessage {
  const { events, refunds } = change;
  const arrived = events.filter(({ deliveryStatus }) => deliveryStatus === 'delivered');
  const ended = refunds.filter(hasRefundEnded);
  const dropped = new Set<ProjectedEvent | ProjectedRefund>();
  let excess = sizeOf(change) - MESSAGE_BYTES_MAX;
  for (const part of [
    ...arrived.sort(byLastTry),
    ...events.toSorted(byLastTry),
    ...ended.sort((one, other) => one.updatedAtMs - other.updatedAtMs),
  ]) {
    if (excess > 0 && !dropped.has(part)) {
      dropped.add(part);
      excess -= sizeOf(part);
    }
  }
  return {
    ...change,
    events: events.filter((event) => !dropped.has(event)),
    refunds: refunds.filter((refund) => !dropped.has(refund)),
  };
}

function byLastTry(one: ProjectedEvent, other: ProjectedEvent): number {
  return (one.lastTryAtMs ?? one.createdAtMs) - (other.lastTryAtMs ?? other.createdAtMs);
}

function sizeOf(value: object): number {
  return utf8(JSON.stringify(value)).byteLength;
}

/** What finds the payment, and its sealed details. */
async function personalData(
  env: Env,
  intent: Intent,
): Promise<Pick<ProjectionMessage, 'searchKeys' | 'receiptKeys' | 'sealedDetails'>> {
  const { environment } = intent.terms;
  const [searchKeys, receipts, details] = await Promise.all([
    searchKeysOf(env, intent),
    Promise.all(receiptsIn(intent).map((receipt) => receiptKeys(env, environment, receipt))),
    sealedDetails(env, intent),
  ]);
  return {
    searchKeys: [...searchKeys, ...new Set(receipts.map(([stored]) => stored))],
    receiptKeys: receipts.flat(),
    sealedDetails: details,
  };
}

/**
 * Personal data, and ids that may contain a phone number, leave the object only as keyed digests.
 */
async function searchKeysOf(env: Env, intent: Intent): Promise<string[]> {
  const { customer, metadata, createdAtMs } = intent.terms;
  const ids = searchedIds(intent);
  // The digits of an attempt's reference are its time and random.
  const isHashed = (id: string) =>
    isFoundByDigest(id) && !isFoundByTime(idSearchKey(id), createdAtMs);
  const email = emailFrom(customer?.email ?? '');
  const digests = (
    kind: DigestKind,
    texts: readonly string[],
    searchKey: (digest: string) => string,
  ) => {
    const [key] = configOf(env).dataEncryptionKeys;
    const owner = digestOwner(intent.terms);
    return texts.map(async (text) => searchKey(await keyedDigest(key, owner, kind, text)));
  };
  const hashed = [
    ...digests('id', ids.filter(isHashed), hashedIdSearchKey),
    ...digests('phone', phonesOf(intent), phoneSearchKey),
    ...digests('email', email === null ? [] : [email], emailSearchKey),
    ...digests('name', nameWords(customer?.name ?? ''), nameSearchKey),
    ...digests(
      'metadata',
      Object.entries(metadata).map(([key, value]) => metadataText(key, value)),
      metadataSearchKey,
    ),
  ];
  const plain = [
    ...ids.filter((id) => !isHashed(id)).map(idSearchKey),
    ...sharedAddressReferences(intent).map(orderSearchKey),
  ];
  return [...plain, ...(await Promise.all(hashed))];
}

/** Sealed so that sending the same details again gives the same row. */
async function sealedDetails(env: Env, intent: Intent): Promise<string | null> {
  const details = paymentDetails(intent);
  const { terms } = intent;
  return details === null
    ? null
    : sealRepeatably(
        configOf(env).dataEncryptionKeys,
        JSON.stringify(details),
        detailsContext(terms, terms.uuid),
      );
}
