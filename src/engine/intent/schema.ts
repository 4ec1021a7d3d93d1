/** Changes the records of an existing payment to the next schema version. */
export type Migration = (sql: SqlStorage) => void;

/**
 * The migrations of existing payments: entry n migrates version n + 1 to version n + 2. A schema
 * change appends an entry. Released entries never change. A tombstone has only the record of the
 * payment, in which `intent` is null.
 */
const MIGRATIONS: readonly Migration[] = [];

export const SCHEMA_VERSION = MIGRATIONS.length + 1;

/**
 * The id of the payment's record, which has the first event too. The record of a later event has its
 * sequence as id, which is above 0.
 */
export const PAYMENT_ID = 0;

/**
 * One table, and one record for all about the payment: each written row costs money, and so do the
 * two rows that a table is. `content` is JSON: a `StoredIntent` or a
 * `StoredEvent`. Only `create` creates the table: a lookup of an unknown id must not cost storage.
 */
export const CREATE_TABLE = 'CREATE TABLE record (id INTEGER PRIMARY KEY, content TEXT NOT NULL)';

export const FIND_TABLE = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'record'";

/** Migrates the records from their version to the current one, in the caller's transaction. */
export function migrate(
  sql: SqlStorage,
  fromVersion: number,
  migrations: readonly Migration[] = MIGRATIONS,
): void {
  for (const apply of migrations.slice(fromVersion - 1)) {
    apply(sql);
  }
  sql.exec(
    `UPDATE record SET content = json_set(content, '$.schemaVersion', CAST(? AS INTEGER)) WHERE id = ${PAYMENT_ID}`,
    migrations.length + 1,
  );
}
