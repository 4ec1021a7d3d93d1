import type { EventType, Intent } from '../domain/intent.ts';
import type { LegalHold } from '../domain/retention.ts';
import type { DeliveryStatus, DeliveryTry, StoredRecord } from './protocol.ts';
import { CREATE_TABLE, FIND_TABLE, migrate, PAYMENT_ID, SCHEMA_VERSION } from './schema.ts';

/** The payment's record, cached in memory between commands. */
export interface StoredIntent {
  readonly schemaVersion: number;
  /** Null says that only the tombstone is left. */
  readonly intent: Intent | null;
  /** `HistoryEntry[]` in JSON, oldest first. Text, because commits only append to it. */
  readonly history: string;
  readonly idempotencyKeyDigest: string | null;
  readonly bodyDigest: string | null;
  readonly answer: string | null;
  readonly answerDueAtMs: number | null;
  /** How often the current version was sent again to the book. */
  readonly projectionSends: number;
  /** When the alarm sends the version again; null when the book is up to date. */
  readonly projectionDueAtMs: number | null;
  /** The only event of most payments, here because each written row costs money. */
  readonly firstEvent: StoredEvent | null;
  /** Absent on nearly every payment: no operator ever held it. */
  readonly hold?: LegalHold;
  /** The part of the backup that it came from, if a restore has brought it back. */
  readonly restoredFrom?: string;
  /** How new the copy in that part was: a newer one may turn up while the restore is open. */
  readonly restoredOrder?: number;
}

/** What is left of a purged payment, and the defaults of a new one. */
const TOMBSTONE: StoredIntent = {
  schemaVersion: SCHEMA_VERSION,
  intent: null,
  history: '[]',
  idempotencyKeyDigest: null,
  bodyDigest: null,
  answer: null,
  answerDueAtMs: null,
  projectionSends: 0,
  projectionDueAtMs: null,
  firstEvent: null,
};

/** The record of a payment that is about to be created. */
export function newRecord(changes: Partial<StoredIntent> & { readonly intent: Intent }) {
  return { ...TOMBSTONE, ...changes };
}

/** The stored state after a commit, which its messages describe. */
export interface Snapshot {
  readonly intent: Intent;
  readonly events: readonly StoredEvent[];
  readonly hold?: LegalHold;
}

export interface StoredEvent {
  readonly sequence: number;
  readonly eventId: string;
  readonly type: EventType;
  /** The refund that it is about; null: the payment itself. */
  readonly refundId: string | null;
  readonly body: string;
  readonly signature: string | null;
  readonly createdAtMs: number;
  /**
   * At least one delivery. Each keeps its position, and Kefel never removes one. The first is for
   * the payment's callbackUrl, or waits for the endpoints to be chosen and becomes that of the
   * first one.
   */
  readonly deliveries: readonly StoredDelivery[];
}

/** An event's delivery to one address. */
export interface StoredDelivery {
  /** Null stands for the payment's callbackUrl, or says that no endpoint is chosen yet. */
  readonly endpointId: string | null;
  /** Scheme, host and port of the address when it was chosen; null while it is not. */
  readonly origin: string | null;
  readonly deliveryStatus: DeliveryStatus;
  readonly claimId: string | null;
  /** When the alarm must handle it: the end of a lease, or the next try. */
  readonly dueAtMs: number | null;
  readonly timesQueued: number;
  readonly tries: number;
  readonly log: readonly DeliveryTry[];
  /** Grows with every change that the book shows; orders the states of this delivery. */
  readonly revision: number;
}

/** Reads and writes records, synchronously and without decisions, in the caller's transaction. */
export class Store {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Whether the payment was created. Only reads, so that unknown ids do not cost storage. */
  exists(): boolean {
    return this.#sql.exec(FIND_TABLE).toArray().length > 0;
  }

  /** The payment, after migrating its records to the current schema. Only if `exists`. */
  load(): StoredIntent {
    const stored = this.#payment();
    if (stored.schemaVersion < SCHEMA_VERSION) {
      migrate(this.#sql, stored.schemaVersion);
      return validated(this.#payment());
    }
    return validated(stored);
  }

  #payment(): StoredIntent {
    const sql = `SELECT content FROM record WHERE id = ${PAYMENT_ID}`;
    return JSON.parse(this.#sql.exec<RecordRow>(sql).one().content);
  }

  insert(stored: StoredIntent): void {
    this.#sql.exec(CREATE_TABLE);
    this.#insert(PAYMENT_ID, stored);
  }

  update(stored: StoredIntent): void {
    this.#update(PAYMENT_ID, stored);
  }

  /** Puts the rows of a backup in the place of what is there, and migrates them. */
  replace(records: readonly StoredRecord[]): StoredIntent {
    if (this.exists()) {
      this.#sql.exec('DELETE FROM record');
    } else {
      this.#sql.exec(CREATE_TABLE);
    }
    for (const { id, content } of records) {
      this.#sql.exec('INSERT INTO record (id, content) VALUES (?, ?)', id, content);
    }
    return this.load();
  }

  insertLaterEvent(event: StoredEvent): void {
    this.#insert(event.sequence, event);
  }

  /** Stores what delivery changes. The announced event itself never changes. */
  updateLaterEvent(event: StoredEvent): void {
    this.#update(event.sequence, event);
  }

  /**
   * The oldest event is first. There are few, because a payment ends only a few times and has at
   * most 50 refunds.
   */
  events({ firstEvent }: StoredIntent): StoredEvent[] {
    if (firstEvent === null) {
      return [];
    }
    const rows = this.#sql.exec<RecordRow>(
      `SELECT content FROM record WHERE id > ${PAYMENT_ID} ORDER BY id`,
    );
    return [firstEvent, ...rows.toArray().map(({ content }) => JSON.parse(content))];
  }

  /** Deletes all data but the record that keeps the id taken (docs/decisions.md#24). */
  purge(): void {
    this.#sql.exec(`DELETE FROM record WHERE id > ${PAYMENT_ID}`);
    this.update(TOMBSTONE);
  }

  #insert(id: number, content: StoredIntent | StoredEvent): void {
    const text = JSON.stringify(content);
    this.#sql.exec('INSERT INTO record (id, content) VALUES (?, ?)', id, text);
  }

  #update(id: number, content: StoredIntent | StoredEvent): void {
    this.#sql.exec('UPDATE record SET content = ? WHERE id = ?', JSON.stringify(content), id);
  }
}

/** Throws on a malformed record, because a wrong answer would be worse than none. */
function validated(stored: StoredIntent): StoredIntent {
  const { intent } = stored;
  const isMalformed =
    intent !== null &&
    !(Number.isSafeInteger(intent.version) && Number.isSafeInteger(intent.terms.amountMinor));
  if (isMalformed) {
    throw new Error('stored intent is malformed');
  }
  return stored;
}

type RecordRow = { content: string };
