import type { Intent } from '../domain/intent.ts';
import { restored } from '../domain/restored.ts';
import { withEntry } from './history.ts';
import { projectedVersion } from './projection.ts';
import type { StoredRecord } from './protocol.ts';
import { PAYMENT_ID, SCHEMA_VERSION } from './schema.ts';
import type { StoredEvent, StoredIntent } from './store.ts';

/** A payment's rows as a backup has them. */
export interface Backup {
  /** Null: only the tombstone was left. */
  readonly intent: Intent | null;
  readonly order: number;
}

/** Null for rows without a payment, and for rows of a newer release. */
export function readBackup(records: readonly StoredRecord[]): Backup | null {
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
export function orderOf(intent: Intent | null, events: readonly StoredEvent[]): number {
  return intent === null ? Number.POSITIVE_INFINITY : projectedVersion(intent, events);
}

/**
 * The record that the object stores: marked if it was not finished at the backup. The alarm does what
 * is due, such as undelivered events; nothing else is announced.
 */
export function restoredRecord(
  backup: StoredIntent,
  backedUpAtMs: number,
  nowMs: number,
): StoredIntent {
  if (backup.intent === null) {
    return backup;
  }
  // The caller feeds the book.
  const fed = { ...backup, projectionSends: 0, projectionDueAtMs: null };
  const intent = restored(backup.intent, backedUpAtMs, nowMs);
  if (intent === backup.intent) {
    return fed;
  }
  const { version, status } = intent;
  const entry = { version, atMs: nowMs, fromStatus: status, toStatus: status } as const;
  const detail = { actor: 'operator', anomaly: 'restored' } as const;
  return {
    ...fed,
    intent,
    history: withEntry(backup.history, { ...entry, command: 'restore', detail }),
  };
}
