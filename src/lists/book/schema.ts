import type { Tenant } from '../../kit/tenant.ts';

/**
 * The tables of a book: the rebuildable copy of one merchant's payments, refunds and events in one
 * environment. Every written row and index entry costs money, so a table or index exists only for a
 * list, search or total that needs it. Times are milliseconds since 1970 in UTC, amounts are in minor
 * units.
 */

/**
 * A payment's `id` is the millisecond of its creation times this number, plus 10 random bits of its
 * uuid or the next free number. So the table is in the order of time, and a uuid leads to its row
 * without an index. JavaScript represents these ids exactly until the year 2248.
 */
export const IDS_PER_MS = 1_024;

/** Characters of search terms that are neither letters nor digits: see search-terms.ts. */
const TERM_SIGNS = ':_-$';

/** Payments that need a person, or were paid late. */
export const NEEDS_PERSON =
  'unresolved_attempts > 0 OR anomalies > 0 OR proposed_attempts > 0 OR late = 1';

/** Merchants see an unresolved refund as one in process. */
export const SHOWN_STATUS = "iif(status = 'unresolved', 'processing', status)";
/** The same beside a table that has a status, too. */
export const SHOWN_REFUND_STATUS = "iif(refund.status = 'unresolved', 'processing', refund.status)";

const TABLES = [
  // One row with the book's identity and the purge's place.
  `CREATE TABLE book (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    environment TEXT NOT NULL,
    merchant_id TEXT NOT NULL,
    volume INTEGER NOT NULL,
    purged_to_id INTEGER NOT NULL
  ) STRICT`,

  // `shares` are what beneficiaries get (day-totals.ts), NULL for none. `concerned_attempts` are those to look up at the provider, in JSON. From `unresolved_until_ms` on,
  // the last of its unresolved attempts needs a person.
  `CREATE TABLE payment (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL,
    number INTEGER NOT NULL,
    unique_id TEXT NOT NULL,
    version INTEGER NOT NULL,
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    failure_reason TEXT,
    late INTEGER NOT NULL,
    amount_minor INTEGER NOT NULL,
    commission_minor INTEGER NOT NULL,
    commission_paid_by_customer INTEGER NOT NULL,
    currency TEXT NOT NULL,
    method TEXT,
    unresolved_attempts INTEGER NOT NULL,
    anomalies INTEGER NOT NULL,
    proposed_attempts INTEGER NOT NULL,
    concerned_attempts TEXT NOT NULL,
    unresolved_until_ms INTEGER,
    updated_at_ms INTEGER NOT NULL,
    ended_at_ms INTEGER,
    paid_at_ms INTEGER,
    transaction_id TEXT,
    refunded_minor INTEGER NOT NULL,
    open_refunds INTEGER NOT NULL,
    attempts TEXT NOT NULL,
    search_keys TEXT NOT NULL,
    sealed_details TEXT,
    shares TEXT,
    event_times TEXT NOT NULL
  ) STRICT`,
  // A list by status, by method or by both merges parts of this index, and applies filters by
  // amount and currency inside it. It also finds open payments.
  'CREATE INDEX payment_by_state ON payment (status, method, id, amount_minor, currency)',
  // The few payments with refunds.
  `CREATE INDEX payment_with_refunds ON payment (id) WHERE refunded_minor > 0 OR open_refunds > 0`,
  // They are few.
  `CREATE INDEX payment_needing_attention ON payment (id) WHERE ${NEEDS_PERSON}`,
  // Those with an attempt that is unresolved.
  `CREATE INDEX payment_unresolved ON payment (unresolved_until_ms)
    WHERE unresolved_until_ms IS NOT NULL`,
  // Full-text index over the ids, search keys and ends of ended payments, one entry each, written
  // at the end. Queries scan open payments. The index stores no text, positions or sizes.
  `CREATE VIRTUAL TABLE payment_search USING fts5(terms, content = '', columnsize = 0,
    detail = none, tokenize = "ascii tokenchars '${TERM_SIGNS}'")`,
  // Deleted terms leave the index at once. Without it, they would stay until old parts are merged.
  "INSERT INTO payment_search (payment_search, rank) VALUES ('secure-delete', 1)",
  'CREATE VIRTUAL TABLE payment_search_term USING fts5vocab(payment_search, row)',
  // Lists the payments of each term, in the order of the terms.
  'CREATE VIRTUAL TABLE payment_search_entry USING fts5vocab(payment_search, instance)',

  // Totals, kept by the transaction that writes the payment. A paid payment counts on the day on which
  // it was paid, another on the day on which it ended, and a refund of the attempt that paid on the day
  // on which the money was returned, in the row of its method with the status 'succeeded'. The commission
  // that merchants bear, and what refunds return of it, are sums of their own. Days are counted from 1970
  // in Addis Ababa (src/kit/ethiopian-time.ts). '' stands for none. Sums of many days read the rows in
  // the order of the key, because sorting them would take most of the time.
  `CREATE TABLE payment_day (
    day INTEGER NOT NULL,
    method TEXT NOT NULL,
    currency TEXT NOT NULL,
    status TEXT NOT NULL,
    payments INTEGER NOT NULL,
    amount_minor INTEGER NOT NULL,
    commission_minor INTEGER NOT NULL,
    borne_commission_minor INTEGER NOT NULL,
    refunded_minor INTEGER NOT NULL,
    returned_commission_minor INTEGER NOT NULL,
    PRIMARY KEY (method, currency, status, day)
  ) STRICT, WITHOUT ROWID`,
  // Why payments failed, on the payment's day above. A year's totals need not read these rows.
  `CREATE TABLE failure_day (
    day INTEGER NOT NULL,
    method TEXT NOT NULL,
    failure_reason TEXT NOT NULL,
    payments INTEGER NOT NULL,
    PRIMARY KEY (day, method, failure_reason)
  ) STRICT, WITHOUT ROWID`,
  // Ended attempts of ended payments, on the payment's day above. The attempt that paid is its
  // payment's succeeded row.
  `CREATE TABLE attempt_day (
    day INTEGER NOT NULL,
    method TEXT NOT NULL,
    currency TEXT NOT NULL,
    ended INTEGER NOT NULL,
    succeeded INTEGER NOT NULL,
    PRIMARY KEY (day, method, currency)
  ) STRICT, WITHOUT ROWID`,

  // What the beneficiaries of splits get: their shares on the day of the payment, less what refunds
  // took of them on their own days. A beneficiary is sealed, and deleted at the age of personal data.
  `CREATE TABLE share_day (
    day INTEGER NOT NULL,
    currency TEXT NOT NULL,
    beneficiary TEXT NOT NULL,
    share_minor INTEGER NOT NULL,
    PRIMARY KEY (day, currency, beneficiary)
  ) STRICT, WITHOUT ROWID`,

  // Deliveries of events. `delivery_id` is `event_id.position`; an event's id carries its time.
  `CREATE TABLE delivery (
    created_at_ms INTEGER NOT NULL,
    delivery_id TEXT NOT NULL,
    payment_id INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    type TEXT NOT NULL,
    delivery_status TEXT NOT NULL,
    revision INTEGER NOT NULL,
    due_at_ms INTEGER,
    tries INTEGER NOT NULL,
    last_try_at_ms INTEGER,
    last_http_status INTEGER,
    last_error TEXT,
    last_duration_ms INTEGER,
    endpoint_id TEXT,
    destination_origin TEXT,
    stream_place INTEGER,
    PRIMARY KEY (created_at_ms, delivery_id)
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX delivery_by_endpoint ON delivery (endpoint_id, created_at_ms, delivery_id)
    WHERE endpoint_id IS NOT NULL`,
  `CREATE INDEX delivery_by_status ON delivery (delivery_status, created_at_ms, delivery_id, type)
    WHERE delivery_status <> 'delivered'`,
  // Sandbox only: the order in which events became rows, for the stream to a developer's machine.
  `CREATE UNIQUE INDEX delivery_of_stream ON delivery (stream_place) WHERE stream_place IS NOT NULL`,

  // Refunds, with their status as the object has it.
  `CREATE TABLE refund (
    created_at_ms INTEGER NOT NULL,
    reference TEXT NOT NULL,
    payment_id INTEGER NOT NULL,
    refund_id TEXT NOT NULL,
    version INTEGER NOT NULL,
    status TEXT NOT NULL,
    amount_minor INTEGER NOT NULL,
    commission_returned_minor INTEGER NOT NULL,
    returned_minor INTEGER NOT NULL,
    currency TEXT NOT NULL,
    method TEXT NOT NULL,
    transaction_id TEXT NOT NULL,
    rail_reference TEXT,
    failure_reason TEXT,
    action_reason TEXT,
    late INTEGER NOT NULL,
    updated_at_ms INTEGER NOT NULL,
    PRIMARY KEY (created_at_ms, reference)
  ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX refund_by_payment ON refund (payment_id, created_at_ms, reference)',
  `CREATE INDEX refund_by_status ON refund (${SHOWN_STATUS}, created_at_ms, reference)`,

  // Paid payments that may be one order (same-order.ts), a row for each of both. They are few.
  `CREATE TABLE same_order (
    payment_id INTEGER NOT NULL,
    other_id INTEGER NOT NULL,
    PRIMARY KEY (payment_id, other_id)
  ) STRICT, WITHOUT ROWID`,

  // Payments that were too young when the purge passed them, and when it returns. They are few.
  `CREATE TABLE purge_later (
    due_at_ms INTEGER NOT NULL,
    payment_id INTEGER NOT NULL,
    PRIMARY KEY (due_at_ms, payment_id)
  ) STRICT, WITHOUT ROWID`,

  // Payments that an operator has held: not purged before `until_ms`, NULL for never. A released hold
  // stays, because a delayed older message must not bring it back. They are few.
  `CREATE TABLE payment_hold (
    payment_id INTEGER PRIMARY KEY,
    until_ms INTEGER,
    changed_at_ms INTEGER NOT NULL
  ) STRICT`,
  // One row: how far the backup is (backup-state.ts). `generation` is NULL before the first part,
  // `sequence` is the last part, `kept_from` the oldest that is not deleted. The backup has passed or
  // claimed the payments up to `to_id`. `claim` is the part that is being written, as JSON. The backup
  // looks again at `due_at_ms`, and has failed `failures` times since nothing was left, which was at
  // `done_at_ms`. At `expires_at_ms` the oldest part may be deleted; `renewed` is the part whose living
  // payments are written again.
  `CREATE TABLE backup (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    generation TEXT,
    sequence INTEGER NOT NULL,
    kept_from INTEGER NOT NULL,
    to_id INTEGER NOT NULL,
    payments INTEGER NOT NULL,
    claim TEXT,
    due_at_ms INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    done_at_ms INTEGER,
    expires_at_ms INTEGER,
    renewed TEXT
  ) STRICT`,
  // Payments that changed after the backup had passed them. They are few.
  'CREATE TABLE backup_later (payment_id INTEGER PRIMARY KEY) STRICT',
  // Payments whose receipts the index of receipts lacks, because it was out of reach. They are few.
  'CREATE TABLE index_later (payment_id INTEGER PRIMARY KEY) STRICT',

  // The operator's items of a payment (attention.ts) as D1 lists them or, when due, must list them.
  `CREATE TABLE attention (
    payment_id INTEGER PRIMARY KEY,
    items TEXT NOT NULL,
    revision INTEGER NOT NULL,
    due_at_ms INTEGER
  ) STRICT`,
  'CREATE INDEX attention_unsent ON attention (due_at_ms) WHERE due_at_ms IS NOT NULL',
  // What the operator's alerts have of this book (alerts.ts); no row before the first of them.
  // `standings` is '' while it is unknown whether a report has arrived. `reviewed` are the reviewed
  // payments of D1's list, for when D1 fails.
  `CREATE TABLE alerts_told (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    standings TEXT NOT NULL,
    reviewed TEXT NOT NULL
  ) STRICT`,
] as const;

/** Runs in the first payment's transaction: a question to an unknown book stores nothing. */
export function createTables(sql: SqlStorage, owner: Tenant, volume: number): void {
  for (const statement of TABLES) {
    sql.exec(statement);
  }
  const { environment, merchantId } = owner;
  sql.exec('INSERT INTO book VALUES (1, ?, ?, ?, 0)', environment, merchantId, volume);
  sql.exec('INSERT INTO backup VALUES (1, NULL, 0, 1, 0, 0, NULL, 0, 0, NULL, NULL, NULL)');
}

/** Environments and merchant ids contain no slash, so two tenants never share a name. */
export function bookName({ environment, merchantId }: Tenant, volume: number): string {
  return `${environment}/${merchantId}/${volume}`;
}

/** Whose book this is. */
export interface BookIdentity extends Tenant {
  readonly volume: number;
}

export function identityOf(sql: SqlStorage): BookIdentity {
  const query = 'SELECT environment, merchant_id AS merchantId, volume FROM book';
  return sql.exec(query).one() as unknown as BookIdentity;
}

export function hasTables(sql: SqlStorage): boolean {
  const rows = sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'book'");
  return rows.toArray().length > 0;
}
