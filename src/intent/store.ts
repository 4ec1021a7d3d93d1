import type { EventType, Intent } from '../domain/intent.ts';
import type { DeliveryStatus, DeliveryTry } from './protocol.ts';
import { migrate, PAYMENT_KEY, SCHEMA_VERSION } from './schema.ts';

/** The payment's record, cached in memory between commands. */
export interface StoredIntent {
  readonly schemaVersion: number;
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

/** What is left of a purged payment, and the defaults of a new one. */
const TOMBSTONE: StoredIntent = {
  schemaVersion: SCHEMA_VERSION,
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

/** The record of a payment that is about to be created. */
export function newRecord(changes: Partial<StoredIntent> & { readonly intent: Intent }) {
  return { ...TOMBSTONE, ...changes };
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

/** The keys of events begin like this, and are in the order of their sequences. */
const EVENT_PREFIX = 'event/';
/** Enough digits for any event of a payment: it ends only a few times and has at most 50 refunds. */
const SEQUENCE_DIGITS = 6;

/**
 * Reads and writes records, synchronously and without decisions, in the caller's transaction.
 * Records are JSON under keys: a table of our own would cost two more rows for each payment.
 */
export class Store {
  readonly #storage: Pick<DurableObjectStorage, 'kv' | 'transactionSync'>;

  constructor(storage: Pick<DurableObjectStorage, 'kv' | 'transactionSync'>) {
    this.#storage = storage;
  }

  /**
   * The payment, after migrating its records to the current schema; null when it was never created.
   * Only reads then, so that unknown ids do not cost storage.
   */
  load(): StoredIntent | null {
    const stored = this.#payment();
    if (stored !== null && stored.schemaVersion < SCHEMA_VERSION) {
      this.#storage.transactionSync(() => migrate(this.#storage.kv, stored.schemaVersion));
      return validated(this.#payment());
    }
    return validated(stored);
  }

  #payment(): StoredIntent | null {
    const text = this.#storage.kv.get<string>(PAYMENT_KEY);
    return text === undefined ? null : JSON.parse(text);
  }

  save(stored: StoredIntent): void {
    this.#put(PAYMENT_KEY, stored);
  }

  /** After its creation, only what delivery changes. The announced event itself never changes. */
  saveEvent(event: StoredEvent): void {
    this.#put(eventKey(event.sequence), event);
  }

  /** All events, oldest first. */
  events(): StoredEvent[] {
    const entries = this.#storage.kv.list<string>({ prefix: EVENT_PREFIX });
    return Array.from(entries, ([, text]) => JSON.parse(text));
  }

  /** Deletes all data but the record that keeps the id taken (docs/decisions.md#24). */
  purge(): void {
    for (const { sequence } of this.events()) {
      this.#storage.kv.delete(eventKey(sequence));
    }
    this.save(TOMBSTONE);
  }

  #put(key: string, content: StoredIntent | StoredEvent): void {
    this.#storage.kv.put(key, JSON.stringify(content));
  }
}

function eventKey(sequence: number): string {
  return EVENT_PREFIX + String(sequence).padStart(SEQUENCE_DIGITS, '0');
}

/** Throws on a malformed record, because a wrong answer would be worse than none. */
function validated(stored: StoredIntent | null): StoredIntent | null {
  const intent = stored?.intent ?? null;
  const isMalformed =
    intent !== null &&
    !(Number.isSafeInteger(intent.version) && Number.isSafeInteger(intent.terms.amountMinor));
  if (isMalformed) {
    throw new Error('stored intent is malformed');
  }
  return stored;
}
