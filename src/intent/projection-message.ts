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
  phoneSearchKey,
} from '../domain/search-key.ts';
import {
  paidAtMs,
  paymentDetails,
  phonesOf,
  projectedEvents,
  projectedRefunds,
  projectionRow,
  replacedReceiptsIn,
} from './projected-view.ts';
import { needsConfirmation, projectedVersion, receiptsIn, searchedIds } from './projection.ts';
import {
  detailsContext,
  type ProjectedEvent,
  type ProjectedRefund,
  type ProjectionMessage,
} from './protocol.ts';
import { receiptKeys } from './receipt-keys.ts';
import type { Snapshot } from './store.ts';

/** A payment's whole projection, as one message to the read model. */
export async function projectionMessage(
  env: Env,
  objectId: string,
  { intent, events }: Snapshot,
): Promise<ProjectionMessage> {
  const change: ProjectionMessage = {
    objectId,
    version: projectedVersion(intent, events),
    intentVersion: intent.version,
    bookVolume: intent.terms.bookVolume,
    needsConfirmation: needsConfirmation(intent, Date.now()),
    row: projectionRow(intent),
    paidAtMs: paidAtMs(intent),
    ...(await personalData(env, intent)),
    events: projectedEvents(events),
    refunds: projectedRefunds(intent),
  };
  return change.refunds.length === 0 ? change : withinLimit(change);
}

/** Queues take messages of 128,000 bytes. */
const MESSAGE_BYTES_MAX = 120_000;

/**
 * Leaves out some events and refunds if the message is too large: every refund of a payment has an
 * event, and every event has a delivery to each endpoint. Drops first what has not changed for
 * longest, because the read model has it from earlier messages: events that have arrived, then
 * other events, then refunds that have ended.
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
  const keysOf = (receipts: readonly string[]) =>
    Promise.all(receipts.map((receipt) => receiptKeys(env, intent.terms.environment, receipt)));
  const [searchKeys, receipts, replaced, details] = await Promise.all([
    searchKeysOf(env, intent),
    keysOf(receiptsIn(intent)),
    keysOf(replacedReceiptsIn(intent)),
    sealedDetails(env, intent),
  ]);
  return {
    // The keys include those of replaced receipts, because the purge finds rows only by the keys of
    // their payment.
    searchKeys: [...searchKeys, ...new Set([...receipts, ...replaced].map(([stored]) => stored))],
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
  const plain = [...ids.filter((id) => !isHashed(id)).map(idSearchKey)];
  return [...plain, ...(await Promise.all(hashed))];
}

/** The seal is the same each time, so sending the same details again gives the same row. */
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
