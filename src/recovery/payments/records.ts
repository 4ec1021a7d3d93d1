import type { Intent } from '../../engine/domain/intent.ts';
import { restored } from '../../engine/domain/restored.ts';
import { withEntry } from '../../engine/intent/history.ts';
import { projectedVersion } from '../../engine/intent/projection.ts';
import type { BackupPlace, RestoreResult, StoredRecord } from '../../engine/intent/protocol.ts';
import type { PaymentRecord } from '../../engine/intent/record.ts';
import { FIND_TABLE, PAYMENT_ID, SCHEMA_VERSION } from '../../engine/intent/schema.ts';
import type { StoredEvent, StoredIntent } from '../../engine/intent/store.ts';
import { hasAllOf, proofsIn } from './newer-copy.ts';

/** A payment's rows as a backup has them. */
interface Backup {
  readonly stored: StoredIntent;
  readonly events: readonly StoredEvent[];
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
  return { stored, events, order: orderOf(intent, events) };
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
  { order }: Backup,
  { part, backedUpAtMs }: BackupPlace,
  { nowMs, versionMin, hold }: Replaced & { readonly nowMs: number },
): StoredIntent {
  if (backup.intent === null) {
    return backup;
  }
  const marked = restored(backup.intent, backedUpAtMs, nowMs);
  const intent = { ...marked, version: Math.max(marked.version, versionMin) };
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
    ...(hold && { hold }),
    restoredFrom: part,
    restoredOrder: order,
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

/** What stays of a payment whose older copy a newer one replaces. */
interface Replaced {
  /** The next version: the book and merchants know all before it. */
  readonly versionMin: number;
  readonly hold: StoredIntent['hold'];
  /** What was announced since the older copy came back. */
  readonly events: readonly StoredEvent[];
}

const NOTHING: Replaced = { versionMin: 0, hold: undefined, events: [] };

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
  const newer = backup.stored.intent;
  if (known !== null && known.terms.uuid !== newer?.terms.uuid) {
    return 'conflict';
  }
  if (stored !== null && comparedOrder(stored, record, backup) >= backup.order) {
    return stored.restoredFrom === from.part ? 'restored' : 'kept';
  }
  const nowMs = Date.now();
  const replaced = known === null ? NOTHING : replacedBy(backup, record);
  if (known !== null && newer !== null && !mayReplace(backup.stored, newer, known, replaced)) {
    record.commit(() => record.apply(proofsIn(newer, known), nowMs));
    return 'overtaken';
  }
  const later = replaced.events.map((event) => ({
    id: event.sequence,
    content: JSON.stringify(event),
  }));
  record.commit(() =>
    record.replace([...records, ...later], (rows) =>
      restoredRecord(rows, backup, from, { ...replaced, nowMs }),
    ),
  );
  return 'restored';
}

/**
 * How new the object's state is, compared with a copy. The version of a restored payment has grown by
 * more than the lost gateway can have added, so it says nothing about copies from before that: those
 * are compared with the copy that came back.
 */
function comparedOrder(stored: StoredIntent, record: PaymentRecord, backup: Backup): number {
  const { intent, restoredFrom, restoredOrder } = stored;
  const isCopiedSince =
    backup.stored.restoredFrom === restoredFrom && backup.stored.restoredOrder === restoredOrder;
  return intent === null || restoredOrder === undefined || isCopiedSince
    ? orderOf(intent, record.events())
    : restoredOrder;
}

function replacedBy({ stored, events }: Backup, record: PaymentRecord): Replaced {
  const known = new Set(events.map(({ eventId }) => eventId));
  return {
    versionMin: (record.projectedVersion() ?? 0) + 1,
    hold: laterHold(record.stored()?.hold, stored.hold),
    events: record.events().filter(({ eventId }) => !known.has(eventId)),
  };
}

function laterHold(one: StoredIntent['hold'], other: StoredIntent['hold']) {
  return (one?.changedAtMs ?? 0) > (other?.changedAtMs ?? 0) ? one : other;
}

/** Nothing that was announced may be forgotten. */
function mayReplace(
  { firstEvent }: StoredIntent,
  newer: Intent,
  known: Intent,
  { events }: Replaced,
): boolean {
  return hasAllOf(newer, known) && (events.length === 0 || firstEvent !== null);
}
