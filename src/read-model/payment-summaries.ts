import { configOf, type NamedKey } from '../config.ts';
import { type DigestKind, keyedDigest } from '../crypto/keyed-digest.ts';
import type { Metadata, Tenant } from '../domain/intent.ts';
import { idWithoutPhone } from '../domain/phone.ts';
import {
  digestOwner,
  metadataSearchKey,
  metadataText,
  phoneSearchKey,
} from '../domain/search-key.ts';
import { readInTime } from '../platform/database.ts';
import {
  type Condition,
  type Cursor,
  cursorText,
  type List,
  type Place,
  readPage,
  tenantIs,
  when,
} from '../platform/paging.ts';
import {
  PAYMENTS_BY_TIME,
  type PaymentRow,
  paymentList,
  paymentRow,
  type StoredPayment,
  samePayment,
} from './payment-row.ts';
import {
  detailsIn,
  type PaymentFilter,
  paymentsInOrder,
  type SealedDetails,
  stateIs,
  withDetails,
} from './payments-list.ts';

/** The lists of payments that merchants read by the API. */

/** An absent member does not restrict. */
export interface SummaryFilter
  extends Pick<PaymentFilter, 'status' | 'method' | 'createdFromMs' | 'createdToMs'> {
  /** Inclusive. With either of these two, the payments that ended last come first. */
  readonly endedFromMs?: number | undefined;
  /** Exclusive. */
  readonly endedToMs?: number | undefined;
  /** `251XXXXXXXXX`: of the customer or of an attempt. */
  readonly phone?: string | undefined;
  /** All of these entries. */
  readonly metadata?: Metadata | undefined;
}

export interface PaymentSummary extends PaymentRow {
  readonly receipt: string | null;
  /** Null also if it contains the customer's phone number. */
  readonly providerReference: string | null;
  readonly metadata: Metadata;
}

export interface SummaryPage {
  readonly rows: readonly PaymentSummary[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

/**
 * A phone or an entry of metadata as the search keys that it may have: one by each key of the ring,
 * because a payment keeps the digests of the key that was first when it was written.
 */
export type KeyChoices = readonly string[];

/** One page, newest first. Throws DatabaseUnavailable. */
export async function readSummaries(
  env: Env,
  tenant: Tenant,
  filter: SummaryFilter,
  cursor: Cursor | null,
  limit: number,
): Promise<SummaryPage> {
  const lists = summaryLists(tenant, filter, await searchKeysOf(env, tenant, filter));
  const pages = await readInTime(() =>
    Promise.all(lists.map((list) => readPage(env.DB, withDetails(list), cursor, limit))),
  );
  const found = lists.flatMap(({ placeOf }, index) =>
    (pages[index]?.rows ?? []).map((row) => ({ row, place: placeOf(row) })),
  );
  const distinct = [...new Map(found.map((entry) => [entry.row.uuid, entry])).values()];
  const kept = distinct.sort(newestFirst).slice(0, limit);
  const last = kept.at(-1);
  const isLast = distinct.length <= limit && pages.every(({ nextCursor }) => nextCursor === null);
  return {
    rows: await Promise.all(kept.map(({ row }) => summaryOf(env, row))),
    nextCursor:
      isLast || last === undefined ? null : cursorText({ direction: 'older', ...last.place }),
  };
}

interface Placed {
  readonly place: Place;
}

function newestFirst({ place: one }: Placed, { place: other }: Placed): number {
  return other.atMs - one.atMs || (other.id > one.id ? 1 : -1);
}

async function summaryOf(env: Env, row: StoredPayment & SealedDetails): Promise<PaymentSummary> {
  const { sealedDetails, ...stored } = row;
  const { receipt, providerReference, phone, metadata = {} } = await detailsIn(env, row);
  return {
    ...paymentRow(stored),
    receipt: receipt ?? null,
    providerReference: idWithoutPhone(providerReference ?? null, phone ?? null),
    metadata,
  };
}

/**
 * The lists whose union matches the filter. More than one only while data keys rotate: each key of
 * the ring finds other payments by a phone or metadata.
 */
export function summaryLists(
  tenant: Tenant,
  filter: SummaryFilter,
  searchKeys: readonly KeyChoices[],
): readonly List<StoredPayment>[] {
  const [first, ...others] = searchKeys;
  if (filter.endedFromMs !== undefined || filter.endedToMs !== undefined) {
    return [endedPayments(tenant, filter, searchKeys)];
  }
  return first === undefined
    ? [paymentsInOrder(tenant, filter)]
    : first.map((key) => foundPayments(tenant, filter, key, others));
}

/** The index has the payments that the purge has left and the others, each in the order of the end. */
const PARTS_BY_END = [0, 1].map((isPurgeable) => ({
  index: 'payment_by_end',
  conditions: [{ sql: 'payment.is_purgeable = ?', params: [isPurgeable] }],
}));

/** In the order of the end, which an index has. */
function endedPayments(
  tenant: Tenant,
  filter: SummaryFilter,
  searchKeys: readonly KeyChoices[],
): List<StoredPayment> {
  const { fromMs, toMs } = createdIn(filter);
  const conditions = [
    tenantIs(tenant),
    // The condition of the partial index.
    { sql: 'ended_at_ms IS NOT NULL', params: [] },
    ...stateIs(filter, 'payment'),
    ...when('created_at_ms >= ?', fromMs),
    ...when('created_at_ms < ?', toMs),
    ...searchKeys.map(hasKey),
  ];
  return {
    ...paymentList({ parts: PARTS_BY_END, timeName: 'endedAtMs', idName: 'uuid' }, conditions, {
      fromMs: filter.endedFromMs,
      toMs: filter.endedToMs,
    }),
    timeColumn: 'ended_at_ms',
    placeOf: ({ endedAtMs, uuid }) => ({ atMs: endedAtMs ?? 0, id: uuid }),
  };
}

/** Reads the payments of one search key in the order of their creation. */
function foundPayments(
  tenant: Tenant,
  filter: SummaryFilter,
  key: string,
  others: readonly KeyChoices[],
): List<StoredPayment> {
  const { merchantId, environment } = tenant;
  const conditions = [
    {
      sql: 'found.merchant_id = ? AND found.environment = ? AND found.key = ?',
      params: [merchantId, environment, key],
    },
    ...stateIs(filter, 'payment'),
    ...others.map(hasKey),
  ];
  return {
    ...paymentList(PAYMENTS_BY_TIME, conditions, createdIn(filter)),
    // CROSS JOIN makes SQLite read the key first. Its table is its own index.
    table: 'payment_search_key AS found NOT INDEXED CROSS JOIN payment',
    join: `ON ${samePayment('found')}`,
    timeColumn: 'found.created_at_ms',
    idColumn: 'found.uuid',
  };
}

function createdIn({ createdFromMs, createdToMs }: SummaryFilter) {
  return { fromMs: createdFromMs, toMs: createdToMs };
}

/**
 * Looks a payment up among those of a phone or of an entry of metadata. One parameter, however many
 * keys the ring has: D1 takes 100 in a statement.
 */
function hasKey(choices: KeyChoices): Condition {
  return {
    sql: `EXISTS (SELECT 1 FROM json_each(?) CROSS JOIN payment_search_key AS other NOT INDEXED
      WHERE other.merchant_id = payment.merchant_id AND other.environment = payment.environment
        AND other.key = json_each.value
        AND other.created_at_ms = payment.created_at_ms AND other.uuid = payment.uuid)`,
    params: [JSON.stringify(choices)],
  };
}

/** The phone first: it has the fewest payments. */
async function searchKeysOf(
  env: Env,
  tenant: Tenant,
  { phone, metadata = {} }: SummaryFilter,
): Promise<readonly KeyChoices[]> {
  const { dataEncryptionKeys } = configOf(env);
  const owner = digestOwner(tenant);
  const choices = (kind: DigestKind, text: string, searchKey: (digest: string) => string) =>
    Promise.all(
      dataEncryptionKeys.map(async (key: NamedKey) =>
        searchKey(await keyedDigest(key, owner, kind, text)),
      ),
    );
  return Promise.all([
    ...(phone === undefined ? [] : [choices('phone', phone, phoneSearchKey)]),
    ...Object.entries(metadata).map(([key, value]) =>
      choices('metadata', metadataText(key, value), metadataSearchKey),
    ),
  ]);
}
