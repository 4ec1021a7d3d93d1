/** Changes the tables of an existing payment to the next schema version. */
export type Migration = (sql: SqlStorage) => void;

/**
 * The migrations of existing payments: entry n migrates version n + 1 to version n + 2. A schema
 * change appends an entry and also changes CREATE_TABLES. Released entries never change. A
 * tombstone has only the table `intent`, and a payment without an event has no table `event`, so an
 * entry checks `tableExists` first.
 */
const MIGRATIONS: readonly Migration[] = [];

/** Stored in a column, because Durable Objects do not allow `PRAGMA user_version`. */
export const SCHEMA_VERSION = MIGRATIONS.length + 1;

/**
 * Only `create` creates tables: a lookup of an unknown id must not cost storage. One row holds the
 * payment, because each written row costs money. `state` is NULL when only the tombstone is left.
 * `history`: `HistoryEntry[]` in JSON, one for each version.
 */
const CREATE_TABLES = `
  CREATE TABLE intent (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    schema_version INTEGER NOT NULL,
    state TEXT,
    history TEXT NOT NULL,
    idempotency_key_digest TEXT,
    body_digest TEXT,
    answer TEXT,
    answer_due_at_ms INTEGER,
    projected_version INTEGER NOT NULL DEFAULT 0,
    projection_sends INTEGER NOT NULL DEFAULT 0,
    projection_due_at_ms INTEGER
  );`;

/**
 * Events. The first event creates the table, because many intents never have one and each written
 * row costs money. For the same reason an event's deliveries, one for each endpoint, are a column of
 * its row: `StoredDelivery[]` in JSON.
 */
const CREATE_EVENT_TABLE = `
  CREATE TABLE IF NOT EXISTS event (
    sequence INTEGER PRIMARY KEY,
    event_id TEXT NOT NULL,
    type TEXT NOT NULL,
    refund_id TEXT,
    body TEXT NOT NULL,
    signature TEXT,
    created_at_ms INTEGER NOT NULL,
    deliveries TEXT NOT NULL
  );`;

export function createTables(sql: SqlStorage): void {
  sql.exec(CREATE_TABLES);
}

export function createEventTable(sql: SqlStorage): void {
  sql.exec(CREATE_EVENT_TABLE);
}

export function tableExists(sql: SqlStorage, name: 'intent' | 'event'): boolean {
  const rows = sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", name);
  return rows.toArray().length > 0;
}

/** Migrates the tables from their version to the current one, in the caller's transaction. */
export function migrate(
  sql: SqlStorage,
  fromVersion: number,
  migrations: readonly Migration[] = MIGRATIONS,
): void {
  const pending = migrations.slice(fromVersion - 1);
  if (pending.length === 0) {
    return;
  }
  for (const apply of pending) {
    apply(sql);
  }
  sql.exec('UPDATE intent SET schema_version = ?', migrations.length + 1);
}
