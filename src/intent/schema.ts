/** Changes the records of an existing payment to the next schema version. */
export type Migration = (records: SyncKvStorage) => void;

/**
 * The migrations of existing payments: entry n migrates version n + 1 to version n + 2. A schema
 * change appends an entry. Released entries never change. A tombstone has only the record of the
 * payment, in which `intent` is null.
 */
const MIGRATIONS: readonly Migration[] = [];

export const SCHEMA_VERSION = MIGRATIONS.length + 1;

/** The key of the payment's record: one for all about it, because each written row costs money. */
export const PAYMENT_KEY = 'payment';

/** Migrates the records from their version to the current one, in the caller's transaction. */
export function migrate(
  records: SyncKvStorage,
  fromVersion: number,
  migrations: readonly Migration[] = MIGRATIONS,
): void {
  const pending = migrations.slice(fromVersion - 1);
  if (pending.length === 0) {
    return;
  }
  for (const apply of pending) {
    apply(records);
  }
  const payment = JSON.parse(records.get<string>(PAYMENT_KEY) ?? 'null');
  const schemaVersion = migrations.length + 1;
  records.put(PAYMENT_KEY, JSON.stringify({ ...payment, schemaVersion }));
}
