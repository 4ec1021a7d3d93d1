import type { Intent } from '../../engine/domain/intent.ts';
import { restored } from '../../engine/domain/restored.ts';
import { withEntry } from '../../engine/intent/history.ts';
import { projectedVersion } from '../../engine/intent/projection.ts';
import type { BackupPlace, RestoreResult, StoredRecord } from '../../engine/intent/protocol.ts';
import type { PaymentRecord } from '../../engine/intent/record.ts';
import { FIND_TABLE, PAYMENT_ID, SCHEMA_VERSION } from '../../engine/intent/schema.ts';
import type { StoredEvent, StoredIntent } from '../../engine/intent/store.ts';

/** A payment's rows as a backup has them. */
interface Backup {
  /** Null: only the tombstone was left. */
  readonly intent: Intent | null;
  readonly order: number;
}

/** Null for rows without a payment, and for rows of a newer release. */
function readBackup(records: readonly StoredRecord[]): Backup | null {
  const rows = new Map(records.map(({ id, content }) => [id, JSON.parse(content)]));
  const stored: StoredIntent | undefined = rows.get(PAYMENT_ID);
  if (stored === undefined || !(stored.schemaVersion <= SCHEMA_VERSION)) {
    return null;
  }
  const { intent, firstEvent } = stored;
  rows.delete(PAYMENT_ID);
  const later: StoredEvent[] = [...rows.values()];
  const events = firstEvent === null ? [] : [firstEvent, ...later];
  return { intent, order: orderOf(intent, events) };
}

/** Orders the states of one payment. Nothing follows a tombstone. */
function orderOf(intent: Intent | null, events: readonly StoredEvent[]): number {
  return intent === null ? Number.POSITIVE_INFINITY : projectedVersion(intent, events);
}

/**
 * The record that the object stores: marked if it was not finished at the backup. The alarm does
 * what is due, such as undelivered events. The merchant gets no other event.
 */
function restoredRecord(
  backup: StoredIntent,
  { part, backedUpAtMs }: BackupPlace,
  nowMs: number,
): StoredIntent {
  if (backup.intent === null) {
    return backup;
  }
  const intent = restored(backup.intent, backedUpAtMs, nowMs);
  const isMarked = intent.anomalies !== backup.intent.anomalies;
  const { version, status } = intent;
  const entry = { version, atMs: nowMs, fromStatus: status, toStatus: status } as const;
  const detail = {
    actor: 'operator',
    ...(isMarked && ({ anomaly: 'restored' } as const)),
  } as const;
  return {
    ...backup,
    // The caller feeds the book.
    ...{ projectionSends: 0, projectionDueAtMs: null },
    intent,
    restoredFrom: part,
    history: withEntry(backup.history, { ...entry, command: 'restore', detail }),
  };
}

/** The rows as they are: empty when there was never a payment, null when only its tombstone is left. */
export function storedRecords(sql: SqlStorage): readonly StoredRecord[] | null {
  if (sql.exec(FIND_TABLE).toArray().length === 0) {
    return [];
  }
  const query = `SELECT id, content FROM record WHERE (SELECT json_type(content, '$.intent')
    FROM record WHERE id = ${PAYMENT_ID}) = 'object' ORDER BY id`;
  const rows = sql.exec<{ id: number; content: string }>(query).toArray();
  return rows.length === 0 ? null : rows;
}

/**
 * Stores a backup's rows, unless the object has the same or a newer state, or another payment. A
 * repeated call answers the same.
 */
export function restoreRecords(
  record: PaymentRecord,
  records: readonly StoredRecord[],
  from: BackupPlace,
): RestoreResult {
  const backup = readBackup(records);
  if (backup === null) {
    return 'unreadable';
  }
  const stored = record.stored();
  const known = stored?.intent ?? null;
  if (known !== null && known.terms.uuid !== backup.intent?.terms.uuid) {
    return 'conflict';
  }
  if (stored !== null && orderOf(stored.intent, record.events()) >= backup.order) {
    return stored.restoredFrom === from.part ? 'restored' : 'kept';
  }
  const nowMs = Date.now();
  record.commit(() => record.replace(records, (rows) => restoredRecord(rows, from, nowMs)));
  return 'restored';
}
