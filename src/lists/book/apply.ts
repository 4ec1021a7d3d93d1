import type {
  Applied,
  ProjectedEvent,
  ProjectedRefund,
  ProjectionMessage,
} from '../../engine/intent/book-message.ts';
import { backUpLater } from './backup-state.ts';
import { moveTotals, partsOfPayment, partsOfRefund, sharesOf } from './day-totals.ts';
import { endedAttempts } from './ended-attempts.ts';
import { STREAM_PLACES_PER_MS } from './queries/stream.ts';
import { pairSameOrder } from './same-order.ts';
import { IDS_PER_MS } from './schema.ts';
import { quotedTerm, termsOf } from './search-terms.ts';

/**
 * Writes one payment's message as rows, within the caller's transaction. A payment's row and refunds
 * are ordered by the intent's version, each delivery by a revision of its own, so that the report of
 * a delivery does not write the payment's row. An older or repeated message writes nothing. A message
 * of the same version that differs is written, so that sending a payment again repairs its rows.
 */

/** The first try of most events takes about a second, and its report would write the row again. */
const UNTRIED_SHOWN_AFTER_MS = 10_000;

/** Bounds the conflicts of one receipt, because an operator must look at each. */
const OTHERS_WITH_RECEIPT_MAX = 10;

type Value = SqlStorageValue;
type Row = Readonly<Record<string, Value>>;

/** The values of the earlier row that the new row keeps. */
type Kept = {
  readonly version: number;
  readonly search_keys: string;
  readonly event_times: string;
  readonly sealed_details: string | null;
};

type StoredPayment = ReturnType<typeof rowOf> & { readonly id: number };

type StoredRefund = ReturnType<typeof refundOf> & { readonly version: number };

type StoredDelivery = {
  readonly revision: number;
  readonly endpoint_id: string | null;
  readonly destination_origin: string | null;
};

/** `changedPaymentId` is null when the message changed nothing. */
export function applyMessage(
  sql: SqlStorage,
  message: ProjectionMessage,
  retentionMs: number,
  nowMs: number,
): Applied & {
  readonly changedPaymentId: number | null;
  readonly ended: ReturnType<typeof endedAttempts>;
} {
  const { id, isChanged, transactionId, before } = applyPayment(sql, message, nowMs - retentionMs);
  const refunds = message.refunds.map((refund) =>
    applyRefund(sql, message, refund, { id, transactionId }),
  );
  const events = message.events.map((event) => applyEvent(sql, message, event, id, nowMs));
  const changes = [
    isChanged,
    applyHold(sql, message, id),
    ...refunds,
    ...events.map((result) => result === 'written'),
  ];
  const changedPaymentId = changes.includes(true) ? id : null;
  if (changedPaymentId !== null) {
    backUpLater(sql, [changedPaymentId]);
  }
  return {
    changedPaymentId,
    ended: isChanged ? endedAttempts(before, message, nowMs) : [],
    confirmed: !events.includes('left_out'),
    othersWithReceipt: othersWithReceipt(sql, message, id),
  };
}

/** True when the hold has changed. */
function applyHold(sql: SqlStorage, { hold }: ProjectionMessage, id: number): boolean {
  if (hold === undefined) {
    return false;
  }
  const upsert = `INSERT INTO payment_hold VALUES (?, ?, ?) ON CONFLICT DO UPDATE
    SET until_ms = excluded.until_ms, changed_at_ms = excluded.changed_at_ms
    WHERE excluded.changed_at_ms > changed_at_ms`;
  return sql.exec(upsert, id, hold.untilMs, hold.changedAtMs).rowsWritten > 0;
}

/** The payments of a millisecond, which are few. */
function createdAt(sql: SqlStorage, createdAtMs: number): readonly StoredPayment[] {
  const firstId = createdAtMs * IDS_PER_MS;
  const query = 'SELECT * FROM payment WHERE id BETWEEN ? AND ?';
  return sql.exec<StoredPayment>(query, firstId, firstId + IDS_PER_MS - 1).toArray();
}

function applyPayment(sql: SqlStorage, message: ProjectionMessage, keptFromMs: number) {
  const { uuid, createdAtMs } = message.row;
  const neighbors = createdAt(sql, createdAtMs);
  const before = neighbors.find((neighbor) => neighbor.uuid === uuid) ?? null;
  if (before !== null && message.intentVersion < before.version) {
    return { id: before.id, isChanged: false, transactionId: before.transaction_id, before };
  }
  const id = before?.id ?? freeId(neighbors, uuid, createdAtMs);
  const after = rowOf(message, before);
  const isChanged = write(sql, 'payment', { id }, before, after);
  if (isChanged) {
    moveTotals(sql, partsOfPayment(before), partsOfPayment(after));
    const [known, entry] = [entryOf(createdAtMs, before), entryOf(createdAtMs, after)];
    moveTerms(sql, id, known, entry);
    if (entry !== known) {
      pairSameOrder(sql, id, after);
    }
  }
  const mayBePassed = createdAtMs < keptFromMs;
  if (mayBePassed && hasPersonalData(after) && !hasPersonalData(before)) {
    // The purge has passed this time already if the book was rebuilt, or if a delivery that is still
    // pending keeps the payment's object alive.
    sql.exec(
      'INSERT OR IGNORE INTO purge_later SELECT 0, ?1 FROM book WHERE purged_to_id >= ?1',
      id,
    );
  }
  return { id, isChanged, transactionId: after.transaction_id, before };
}

/** The first free id from the uuid's random bits on, within its millisecond. */
function freeId(neighbors: readonly StoredPayment[], uuid: string, createdAtMs: number): number {
  const firstId = createdAtMs * IDS_PER_MS;
  const taken = new Set(neighbors.map(({ id }) => id));
  // The 12 random bits after the version's digit, without the last two.
  const random = Number.parseInt(uuid.slice(15, 18), 16) >> 2;
  for (let step = 0; step < IDS_PER_MS; step += 1) {
    const id = firstId + ((random + step) % IDS_PER_MS);
    if (!taken.has(id)) {
      return id;
    }
  }
  throw new Error('a millisecond has too many payments');
}

/**
 * The columns of a payment. Search keys and event times only grow, because the purge deletes what
 * they found. A provider may name its reference without a new version, so of two messages with one
 * version, the one with more details is newer.
 */
function rowOf(message: ProjectionMessage, known: Kept | null) {
  const { row, sealedDetails } = message;
  const keepsDetails =
    known?.version === message.intentVersion &&
    sealedSize(known.sealed_details) > sealedSize(sealedDetails);
  const times = message.events.map(({ createdAtMs }) => createdAtMs);
  return {
    uuid: row.uuid,
    number: row.number,
    unique_id: row.uniqueId,
    version: message.intentVersion,
    kind: row.kind,
    status: row.status,
    failure_reason: row.failureReason,
    late: Number(row.late),
    amount_minor: row.amountMinor,
    commission_minor: row.commissionMinor,
    commission_paid_by_customer: Number(row.commissionPaidByCustomer),
    currency: row.currency,
    method: row.method,
    unresolved_attempts: row.unresolvedAttempts,
    anomalies: row.anomalies,
    proposed_attempts: row.proposedAttempts,
    concerned_attempts: JSON.stringify(row.concernedAttempts),
    unresolved_until_ms: latest(row.concernedAttempts.map((one) => one.unresolvedFromMs)),
    updated_at_ms: row.updatedAtMs,
    ended_at_ms: row.endedAtMs,
    paid_at_ms: message.paidAtMs,
    transaction_id: row.transactionId,
    refunded_minor: row.refundedMinor,
    open_refunds: row.openRefunds,
    attempts: JSON.stringify(row.attempts),
    search_keys: merged<string>(known?.search_keys, message.searchKeys, (one, other) =>
      one < other ? -1 : 1,
    ),
    sealed_details: keepsDetails ? known.sealed_details : sealedDetails,
    shares: sharesOf(message),
    event_times: merged<number>(known?.event_times, times, (one, other) => one - other),
  };
}

function latest(times: readonly (number | null)[]): number | null {
  return times.reduce((last, atMs) => (last === null ? atMs : Math.max(last, atMs ?? 0)), null);
}

/** Sorted, so that the order of messages makes no difference. */
function merged<Item>(
  known: string | undefined,
  added: readonly Item[],
  compare: (one: Item, other: Item) => number,
): string {
  const items: readonly Item[] = JSON.parse(known ?? '[]');
  return JSON.stringify([...new Set([...items, ...added])].sort(compare));
}

/** The length of a sealed text, which does not depend on its key. */
function sealedSize(sealed: string | null): number {
  return sealed === null ? 0 : sealed.length - sealed.indexOf('.');
}

/** What the purge deletes. */
interface PersonalData extends Pick<Kept, 'search_keys' | 'sealed_details'> {
  readonly shares: string | null;
}

export function hasPersonalData(row: PersonalData | null): boolean {
  return (
    row !== null && (row.sealed_details !== null || row.shares !== null || row.search_keys !== '[]')
  );
}

interface SearchedRow {
  readonly unique_id: string;
  readonly number: number;
  readonly search_keys: string;
  readonly ended_at_ms: number | null;
  readonly paid_at_ms: number | null;
}

/** The text of a payment's entry in the full-text index, which has payments that ended. */
export function entryOf(createdAtMs: number, row: SearchedRow | null): string {
  if (row === null || row.ended_at_ms === null) {
    return '';
  }
  const { unique_id: uniqueId, number, ended_at_ms: endedAtMs, paid_at_ms: paidAtMs } = row;
  const searchKeys = JSON.parse(row.search_keys);
  return termsOf({ uniqueId, number, createdAtMs, endedAtMs, paidAtMs, searchKeys });
}

/** The index stores no text, so a deletion must name the terms that were inserted. */
export function moveTerms(sql: SqlStorage, id: number, before: string, after: string): void {
  if (before === after) {
    return;
  }
  if (before !== '') {
    sql.exec(
      "INSERT INTO payment_search (payment_search, rowid, terms) VALUES ('delete', ?, ?)",
      id,
      before,
    );
  }
  if (after !== '') {
    sql.exec('INSERT INTO payment_search (rowid, terms) VALUES (?, ?)', id, after);
  }
}

/** True when the row has changed. */
function applyRefund(
  sql: SqlStorage,
  { row: { currency }, intentVersion }: ProjectionMessage,
  refund: ProjectedRefund,
  payment: { readonly id: number; readonly transactionId: string | null },
): boolean {
  const key = { created_at_ms: refund.createdAtMs, reference: refund.reference };
  const before = sql
    .exec<StoredRefund>(
      'SELECT * FROM refund WHERE created_at_ms = ? AND reference = ?',
      ...values(key),
    )
    .toArray()[0];
  if (before !== undefined && before.version > intentVersion) {
    return false;
  }
  const after = refundOf(refund, currency, payment.id, before?.rail_reference ?? null);
  // The row keeps the version of its last change, because each change has a later time.
  if (before !== undefined && changesOf(before, after).length === 0) {
    return false;
  }
  write(sql, 'refund', key, before ?? null, { ...after, version: intentVersion });
  const { transactionId } = payment;
  const known = partsOfRefund(before ?? null, transactionId);
  moveTotals(sql, known, partsOfRefund(after, transactionId));
  return true;
}

function refundOf(
  refund: ProjectedRefund,
  currency: string,
  paymentId: number,
  railReference: string | null,
) {
  return {
    payment_id: paymentId,
    refund_id: refund.id,
    status: refund.status as string,
    amount_minor: refund.amountMinor,
    commission_returned_minor: refund.commissionReturnedMinor,
    returned_minor: refund.returnedMinor,
    currency,
    method: refund.method as string,
    transaction_id: refund.transactionId,
    rail_reference: refund.railReference ?? railReference,
    failure_reason: refund.failureReason,
    action_reason: refund.actionReason,
    late: Number(refund.late),
    updated_at_ms: refund.updatedAtMs,
  };
}

function applyEvent(
  sql: SqlStorage,
  { row: { environment } }: ProjectionMessage,
  event: ProjectedEvent,
  paymentId: number,
  nowMs: number,
): 'written' | 'unchanged' | 'left_out' {
  const { createdAtMs, revision } = event;
  const key = { created_at_ms: createdAtMs, delivery_id: `${event.eventId}.${event.position}` };
  const before = sql
    .exec<StoredDelivery>(
      'SELECT * FROM delivery WHERE created_at_ms = ? AND delivery_id = ?',
      ...values(key),
    )
    .toArray()[0];
  const isUntried = event.deliveryStatus === 'queued' && event.tries === 0;
  if (before === undefined && isUntried && nowMs - createdAtMs < UNTRIED_SHOWN_AFTER_MS) {
    return 'left_out';
  }
  if (before !== undefined && before.revision > revision) {
    return 'unchanged';
  }
  const after = {
    payment_id: paymentId,
    sequence: event.sequence,
    type: event.type,
    delivery_status: event.deliveryStatus,
    revision,
    due_at_ms: event.dueAtMs,
    tries: event.tries,
    last_try_at_ms: event.lastTryAtMs,
    last_http_status: event.lastHttpStatus,
    last_error: event.lastError,
    last_duration_ms: event.lastDurationMs,
    // The choice of an endpoint has no revision, and no later state removes it.
    endpoint_id: event.endpointId ?? before?.endpoint_id ?? null,
    destination_origin: event.destinationOrigin ?? before?.destination_origin ?? null,
  };
  const isStreamed = before === undefined && environment === 'sandbox' && event.position === 0;
  const place = isStreamed ? { stream_place: nextStreamPlace(sql, nowMs) } : {};
  const isWritten = write(sql, 'delivery', key, before ?? null, { ...after, ...place });
  return isWritten ? 'written' : 'unchanged';
}

/** After the last place and not before now, so that places of two volumes are comparable. */
function nextStreamPlace(sql: SqlStorage, nowMs: number): number {
  const { place } = sql
    .exec<{ place: number }>(
      `SELECT MAX(COALESCE(MAX(stream_place), 0) + 1, ?) AS place
        FROM delivery INDEXED BY delivery_of_stream WHERE stream_place IS NOT NULL`,
      nowMs * STREAM_PLACES_PER_MS,
    )
    .one();
  return place;
}

function othersWithReceipt(
  sql: SqlStorage,
  { receiptKeys }: ProjectionMessage,
  id: number,
): readonly string[] {
  if (receiptKeys.length === 0) {
    return [];
  }
  const found = sql.exec<{ uniqueId: string; searchKeys: string }>(
    `SELECT unique_id AS uniqueId, search_keys AS searchKeys
      FROM payment_search CROSS JOIN payment ON payment.id = payment_search.rowid
      WHERE payment_search MATCH ? AND payment.id <> ?
      ORDER BY payment_search.rowid DESC LIMIT ${OTHERS_WITH_RECEIPT_MAX}`,
    receiptKeys.map(quotedTerm).join(' OR '),
    id,
  );
  return found
    .toArray()
    .filter(({ searchKeys }) =>
      (JSON.parse(searchKeys) as string[]).some((key) => receiptKeys.includes(key)),
    )
    .map(({ uniqueId }) => uniqueId);
}

function values(row: Row): readonly Value[] {
  return Object.values(row);
}

function changesOf(before: Row, after: Row) {
  return Object.entries(after).filter(([column, value]) => before[column] !== value);
}

/**
 * Inserts a row, or sets only the changed columns, because SQLite rewrites the index entries of
 * every column that a statement names. False when nothing changes.
 */
function write(sql: SqlStorage, table: string, key: Row, before: Row | null, after: Row): boolean {
  if (before === null) {
    const row = { ...key, ...after };
    const columns = Object.keys(row);
    sql.exec(
      `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
      ...values(row),
    );
    return true;
  }
  const changes = changesOf(before, after);
  if (changes.length === 0) {
    return false;
  }
  const assignments = changes.map(([column]) => `${column} = ?`).join(', ');
  const conditions = Object.keys(key).map((column) => `${column} = ?`);
  sql.exec(
    `UPDATE ${table} SET ${assignments} WHERE ${conditions.join(' AND ')}`,
    ...changes.map(([, value]) => value),
    ...values(key),
  );
  return true;
}
