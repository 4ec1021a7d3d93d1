import type { EventType, Intent } from '../domain/intent.ts';
import type { DeliveryStatus, DeliveryTry } from './protocol.ts';
import { createEventTable, createTables, migrate, SCHEMA_VERSION, tableExists } from './schema.ts';

/** The intent's row, cached in memory between commands. */
export interface StoredIntent {
  /** Null once only the tombstone is left. */
  readonly intent: Intent | null;
  /** `HistoryEntry[]` in JSON, oldest first. Text, because commits only append to it. */
  readonly history: string;
  readonly idempotencyKeyDigest: string | null;
  readonly bodyDigest: string | null;
  readonly answer: string | null;
  readonly answerDueAtMs: number | null;
  /** The highest version that the read model has confirmed. */
  readonly projectedVersion: number;
  /** How often the current version was sent again to the read model. */
  readonly projectionSends: number;
  /** When the alarm sends the version again; null when the read model is up to date. */
  readonly projectionDueAtMs: number | null;
}

/** The defaults of a new payment's row. */
const NEW_STORED: StoredIntent = {
  intent: null,
  history: '[]',
  idempotencyKeyDigest: null,
  bodyDigest: null,
  answer: null,
  answerDueAtMs: null,
  projectedVersion: 0,
  projectionSends: 0,
  projectionDueAtMs: null,
};

/** The row of a payment that is about to be created. */
export function newRow(changes: Partial<StoredIntent> & { readonly intent: Intent }) {
  return { ...NEW_STORED, ...changes };
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
   * Never empty. A delivery keeps its position, and none is ever removed. The first one is for the
   * payment's callbackUrl, or waits for the endpoints to be chosen and becomes that of the first.
   */
  readonly deliveries: readonly StoredDelivery[];
}

/** An event's delivery to one address. */
export interface StoredDelivery {
  /** Null: to the payment's callbackUrl, or no endpoint is chosen yet. */
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
  /** Grows with every change that the read model shows; orders the states of this delivery. */
  readonly revision: number;
}

/** Reads and writes rows, synchronously and without decisions, in the caller's transaction. */
export class Store {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Whether the payment was created. Only reads, so that unknown ids do not cost storage. */
  exists(): boolean {
    return tableExists(this.#sql, 'intent');
  }

  /** The row, after migrating it to the current schema. Only if `exists`. */
  load(): StoredIntent {
    const row = this.#sql.exec<IntentRow>('SELECT * FROM intent').one();
    migrate(this.#sql, row.schema_version);
    const intent = row.state === null ? null : parseIntent(row.state);
    return {
      intent,
      history: row.history,
      idempotencyKeyDigest: row.idempotency_key_digest,
      bodyDigest: row.body_digest,
      answer: row.answer,
      answerDueAtMs: row.answer_due_at_ms,
      projectedVersion: row.projected_version,
      projectionSends: row.projection_sends,
      projectionDueAtMs: row.projection_due_at_ms,
    };
  }

  insert(stored: StoredIntent): void {
    createTables(this.#sql);
    this.#sql.exec(
      `INSERT INTO intent (id, schema_version, state, history, idempotency_key_digest, body_digest,
         answer, answer_due_at_ms, projected_version, projection_sends, projection_due_at_ms)
       VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      SCHEMA_VERSION,
      stored.intent === null ? null : JSON.stringify(stored.intent),
      stored.history,
      stored.idempotencyKeyDigest,
      stored.bodyDigest,
      stored.answer,
      stored.answerDueAtMs,
      stored.projectedVersion,
      stored.projectionSends,
      stored.projectionDueAtMs,
    );
  }

  update(stored: StoredIntent): void {
    this.#sql.exec(
      `UPDATE intent SET state = ?, history = ?, answer = ?, projected_version = ?,
         projection_sends = ?, projection_due_at_ms = ?`,
      stored.intent === null ? null : JSON.stringify(stored.intent),
      stored.history,
      stored.answer,
      stored.projectedVersion,
      stored.projectionSends,
      stored.projectionDueAtMs,
    );
  }

  insertEvent(event: StoredEvent): void {
    createEventTable(this.#sql);
    this.#sql.exec(
      `INSERT INTO event (sequence, event_id, type, refund_id, body, signature, created_at_ms,
         deliveries)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      event.sequence,
      event.eventId,
      event.type,
      event.refundId,
      event.body,
      event.signature,
      event.createdAtMs,
      JSON.stringify(event.deliveries),
    );
  }

  /** Stores the columns that delivery changes. The announced event itself never changes. */
  updateEvent(event: StoredEvent): void {
    this.#sql.exec(
      'UPDATE event SET signature = ?, deliveries = ? WHERE sequence = ?',
      event.signature,
      JSON.stringify(event.deliveries),
      event.sequence,
    );
  }

  /** All events, oldest first: few, because a payment ends only a few times and has at most 50 refunds. */
  events(): StoredEvent[] {
    if (!tableExists(this.#sql, 'event')) {
      return [];
    }
    const rows = this.#sql.exec<EventRow>('SELECT * FROM event ORDER BY sequence');
    return rows.toArray().map((row) => ({
      sequence: row.sequence,
      eventId: row.event_id,
      type: row.type as EventType,
      refundId: row.refund_id,
      body: row.body,
      signature: row.signature,
      createdAtMs: row.created_at_ms,
      deliveries: JSON.parse(row.deliveries),
    }));
  }

  /** Deletes all data but the row that keeps the id taken (docs/decisions.md#24). */
  purge(): void {
    this.#sql.exec(`
      DROP TABLE IF EXISTS event;
      UPDATE intent SET state = NULL, history = '[]', idempotency_key_digest = NULL, body_digest = NULL,
        answer = NULL, answer_due_at_ms = NULL, projection_due_at_ms = NULL;`);
  }
}

/** Throws on a malformed row, because a wrong answer would be worse than none. */
function parseIntent(state: string): Intent {
  const intent: Intent = JSON.parse(state);
  if (!Number.isSafeInteger(intent.version) || !Number.isSafeInteger(intent.terms.amountMinor)) {
    throw new Error('stored intent is malformed');
  }
  return intent;
}

type IntentRow = {
  schema_version: number;
  state: string | null;
  history: string;
  idempotency_key_digest: string | null;
  body_digest: string | null;
  answer: string | null;
  answer_due_at_ms: number | null;
  projected_version: number;
  projection_sends: number;
  projection_due_at_ms: number | null;
};

type EventRow = {
  sequence: number;
  event_id: string;
  type: string;
  refund_id: string | null;
  body: string;
  signature: string | null;
  created_at_ms: number;
  deliveries: string;
};
