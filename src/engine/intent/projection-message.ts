import { type DigestKind, keyedDigest } from '../../kit/crypto/keyed-digest.ts';
import { sealRepeatably } from '../../kit/crypto/sealed.ts';
import { configOf } from '../config.ts';
import { type Intent, paidAtMs, reportedAttempt } from '../domain/intent.ts';
import { phoneEnd, phoneFrom } from '../domain/phone.ts';
import {
  claimSearchKey,
  digestOwner,
  digestSearchKey,
  emailFrom,
  idSearchKey,
  isFoundByDigest,
  isFoundByTime,
  metadataText,
  nameWords,
  tillSearchKey,
} from '../domain/search-key.ts';
import {
  beneficiaryContext,
  detailsContext,
  type PaymentDetails,
  type ProjectedEvent,
  type ProjectedShare,
  type ProjectionMessage,
  shownDelivery,
} from './book-message.ts';
import { phonesOf, projectedRefunds, projectionRow, replacedReceiptsIn } from './projected-view.ts';
import { claimedIn, receiptsIn, searchedIds } from './projection.ts';
import { receiptKeys } from './receipt-keys.ts';
import type { Snapshot, StoredEvent } from './store.ts';

/** A payment's whole projection, as one message to its book. */
export async function projectionMessage(
  env: Env,
  { intent, events, hold }: Snapshot,
): Promise<ProjectionMessage> {
  const shares = await projectedShares(env, intent);
  return {
    intentVersion: intent.version,
    bookVolume: intent.terms.bookVolume,
    row: projectionRow(intent),
    paidAtMs: paidAtMs(intent),
    ...(await personalData(env, intent)),
    events: projectedEvents(events),
    refunds: projectedRefunds(intent),
    ...(shares.length > 0 && { shares }),
    ...(hold && { hold: { untilMs: hold.untilMs, changedAtMs: hold.changedAtMs } }),
  };
}

/** What finds the payment, and its sealed details. */
async function personalData(
  env: Env,
  intent: Intent,
): Promise<Pick<ProjectionMessage, 'searchKeys' | 'receiptKeys' | 'sealedDetails'>> {
  const keysOf = (receipts: readonly string[]) =>
    Promise.all(receipts.map((receipt) => receiptKeys(env, intent.terms.environment, receipt)));
  const [searchKeys, receipts, replaced, claimed, details] = await Promise.all([
    searchKeysOf(env, intent),
    keysOf(receiptsIn(intent)),
    keysOf(replacedReceiptsIn(intent)),
    keysOf(claimedIn(intent)),
    sealedDetails(env, intent),
  ]);
  return {
    // The keys include those of replaced receipts, so that a rebuilt book finds the payment by them
    // too.
    searchKeys: [
      ...searchKeys,
      ...new Set([...receipts, ...replaced].map(([stored]) => stored)),
      ...claimed.map(([stored]) => claimSearchKey(stored)),
    ],
    receiptKeys: receipts.flat(),
    sealedDetails: details,
  };
}

/**
 * Personal data, and ids that may contain a phone number, leave the object only as keyed digests.
 */
async function searchKeysOf(env: Env, intent: Intent): Promise<string[]> {
  const { customer, metadata, createdAtMs, paymentLinkUniqueId, tillId } = intent.terms;
  const ids = searchedIds(intent);
  // The digits of an attempt's reference are its time and random.
  const isHashed = (id: string) =>
    isFoundByDigest(id) && !isFoundByTime(idSearchKey(id), createdAtMs);
  const email = emailFrom(customer?.email ?? '');
  const digests = (kind: DigestKind, texts: readonly string[]) => {
    const [key] = configOf(env).dataEncryptionKeys;
    const owner = digestOwner(intent.terms);
    return texts.map(async (text) =>
      digestSearchKey(kind, await keyedDigest(key, owner, kind, text)),
    );
  };
  const phones = phonesOf(intent);
  const hashed = [
    ...digests('id', ids.filter(isHashed)),
    ...digests('phone', phones),
    ...digests('phoneEnd', [...new Set(phones.map(phoneEnd))]),
    ...digests('email', email === null ? [] : [email]),
    ...digests('name', nameWords(customer?.name ?? '')),
    ...digests('link', paymentLinkUniqueId === null ? [] : [paymentLinkUniqueId]),
    ...digests(
      'metadata',
      Object.entries(metadata).map(([key, value]) => metadataText(key, value)),
    ),
  ];
  const plain = [
    ...ids.filter((id) => !isHashed(id)).map(idSearchKey),
    ...(tillId === undefined ? [] : [tillSearchKey(tillId), tillSearchKey(null)]),
  ];
  return [...plain, ...(await Promise.all(hashed))];
}

function projectedShares(env: Env, intent: Intent): Promise<ProjectedShare[]> {
  const { terms, paidAttemptId } = intent;
  const splits = paidAttemptId === null ? [] : terms.splits;
  return Promise.all(
    splits.map(async ({ bank, creditAccount, shareMinor }) => ({
      beneficiary: await sealRepeatably(
        configOf(env).dataEncryptionKeys,
        JSON.stringify([bank, creditAccount]),
        beneficiaryContext(terms),
      ),
      shareMinor,
    })),
  );
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

/** What an export of payments shows besides the row. Null when there is nothing. */
export function paymentDetails(intent: Intent): PaymentDetails | null {
  const { customer, description, metadata } = intent.terms;
  const attempt = reportedAttempt(intent);
  const phone = attempt?.phone ?? customer?.phone ?? null;
  const details = {
    providerReference: attempt?.railReference,
    receipt: attempt?.receipt,
    phone: phone === null ? null : phoneFrom(phone),
    customerName: customer?.name,
    customerEmail: customer?.email,
    description,
    metadata: Object.keys(metadata).length === 0 ? null : metadata,
  };
  const known = Object.entries(details).filter(([, value]) => value != null);
  return known.length === 0 ? null : Object.fromEntries(known);
}

export function projectedEvents(events: readonly StoredEvent[]): ProjectedEvent[] {
  return events.flatMap(({ eventId, sequence, type, createdAtMs, deliveries }) =>
    deliveries.map((delivery, position) => ({
      eventId,
      sequence,
      position,
      type,
      revision: delivery.revision,
      createdAtMs,
      endpointId: delivery.endpointId,
      destinationOrigin: delivery.origin,
      ...shownDelivery(delivery),
    })),
  );
}
