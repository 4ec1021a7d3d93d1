/**
 * The tables of one payment. `PRAGMA user_version` is refused inside an object, so the version is
 * a column. A newer version is a new entry at the end of MIGRATIONS, never a change of an old one.
 */
export const SCHEMA_VERSION = 2;

/**
 * Run only by `create`: an object that is merely asked about must not begin to cost storage.
 * - `intent`: the one row of truth; `state` is NULL once retention has left only the tombstone.
 * - `history`: one row for each version, for people. `detail`: what the command alone does not say.
 */
const CREATE_TABLES = `
  CREATE TABLE intent (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    schema_version INTEGER NOT NULL,
    state TEXT,
    idempotency_key_digest TEXT,
    body_digest TEXT,
    answer TEXT,
    answer_due_at_ms INTEGER,
    projected_version INTEGER NOT NULL DEFAULT 0,
    projection_sends INTEGER NOT NULL DEFAULT 0,
    projection_due_at_ms INTEGER
  );
  CREATE TABLE history (
    version INTEGER PRIMARY KEY,
    at_ms INTEGER NOT NULL,
    command TEXT NOT NULL,
    from_status TEXT,
    to_status TEXT NOT NULL,
    detail TEXT
  );`;

/**
 * Events with their delivery, made with the first event: most rows written are paid for by
 * intents that never get that far. `due_at_ms` is when the alarm must look at the row again: the
 * end of a lease, or the next try. `revision` grows with every change that the read model shows.
 */
const CREATE_EVENT_TABLE = `
  CREATE TABLE IF NOT EXISTS event (
    sequence INTEGER PRIMARY KEY,
    event_id TEXT NOT NULL,
    type TEXT NOT NULL,
    body TEXT NOT NULL,
    signature TEXT,
    created_at_ms INTEGER NOT NULL,
    delivery_status TEXT NOT NULL,
    claim_id TEXT,
    due_at_ms INTEGER,
    times_queued INTEGER NOT NULL DEFAULT 0,
    tries INTEGER NOT NULL DEFAULT 0,
    log TEXT NOT NULL DEFAULT '[]',
    revision INTEGER NOT NULL DEFAULT 0
  );`;

/** Step n brings version n + 1 to version n + 2. Run in one transaction with the version. */
const MIGRATIONS: readonly ((sql: SqlStorage) => void)[] = [
  (sql) => {
    // A tombstone has neither table, and a payment without an event no `event`.
    if (tableExists(sql, 'history')) {
      sql.exec('ALTER TABLE history ADD COLUMN detail TEXT');
    }
    if (tableExists(sql, 'event')) {
      addRevision(sql);
    }
  },
];

/**
 * Not only a step of the above: a release of before that is rolled back to makes its own `event` in
 * an object whose version is a newer one's.
 */
export function addRevision(sql: SqlStorage): void {
  sql.exec('ALTER TABLE event ADD COLUMN revision INTEGER NOT NULL DEFAULT 0');
}

export function createTables(sql: SqlStorage): void {
  sql.exec(CREATE_TABLES);
}

export function createEventTable(sql: SqlStorage): void {
  sql.exec(CREATE_EVENT_TABLE);
}

export function tableExists(sql: SqlStorage, name: 'intent' | 'history' | 'event'): boolean {
  const rows = sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", name);
  return rows.toArray().length > 0;
}

/** Brings stored tables to SCHEMA_VERSION. The caller holds the transaction. */
export function migrate(sql: SqlStorage, fromVersion: number): void {
  if (fromVersion >= SCHEMA_VERSION) {
    return;
  }
  for (const step of MIGRATIONS.slice(fromVersion - 1)) {
    step(sql);
  }
  sql.exec('UPDATE intent SET schema_version = ?', SCHEMA_VERSION);
}
