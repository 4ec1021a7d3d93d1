import { earliest } from '../../engine/domain/earliest.ts';
import type { ProjectionMessage } from '../../engine/intent/book-message.ts';
import { batch, type SqlStatement } from '../../kit/platform/database.ts';
import { errorText, log } from '../../kit/platform/log.ts';
import type { Tenant } from '../../kit/tenant.ts';
import {
  type BookItem,
  FILL_PAYMENTS,
  itemsOf,
  mayNeedOperator,
  nextOverdueAtMs,
  nextUnresolvedAtMs,
  reasonsOfItem,
  unlistedPayments,
} from './attention-items.ts';
import { PAYMENT_REASONS } from './attention-reasons.ts';
import { identityOf } from './schema.ts';

/**
 * D1 lists what the operator must look at, over all merchants. The transaction that changes a
 * payment's items stores them here as unsent. The book sends them after the commit, until D1 has
 * them. A payment without a problem writes no row, here or in D1.
 */

/**
 * The number of payments of a merchant and environment on D1's list whose money needs the operator,
 * and the number whose events did not arrive. Without this limit, a failing provider or server
 * would fill the list. The book lists more when places become free.
 */
export const LISTED_PAYMENTS_MAX = 500;

/** Payments that one D1 batch writes, in three statements each. */
const BATCH_PAYMENTS = 25;
const FILL_NEXT_MS = 1_000;
/** How long the book waits before it looks for a free place again. */
const FILL_AGAIN_MS = 60 * 60 * 1_000;
/** How long the book waits after a failure of D1. */
const RETRY_MS = 60_000;

const NO_ITEMS = '[]';

type Kind = 'money' | 'deliveries';

interface Unsent extends Record<string, SqlStorageValue> {
  readonly paymentId: number;
  readonly uuid: string;
  readonly items: string;
  readonly revision: number;
}

export class BookAttention {
  readonly #storage: DurableObjectStorage;
  readonly #db: D1Database;
  /** D1's list has no free place for these, so new items are not sent until `#fillAtMs`. */
  readonly #full = new Set<Kind>();
  /** When to look for payments that need a place; null: none is known to. */
  #fillAtMs: number | null = null;
  /** When the alarm must look or send because of changes since `takeWakeAtMs`. */
  #newWakeAtMs: number | null = null;
  /** When the book last looked; 0 after an eviction. */
  #lookedAtMs = 0;
  /** Most books have no item, and then no message needs a look at the table. */
  #isEmpty = false;
  #revision = 0;
  #sending: Promise<void> | null = null;

  constructor(storage: DurableObjectStorage, db: D1Database) {
    this.#storage = storage;
    this.#db = db;
  }

  /** A message has changed its payment. Part of the transaction that changed it. */
  noteChange(paymentId: number, message: ProjectionMessage, nowMs: number): void {
    const isListed = !this.#isEmpty && this.#itemsOf(paymentId) !== undefined;
    if (isListed || mayNeedOperator(message)) {
      this.note(paymentId, nowMs);
      // An attempt whose customer left.
      this.#newWakeAtMs = earliest(this.#newWakeAtMs, nextUnresolvedAtMs(message, nowMs));
    }
  }

  /** When changes since the last call need the alarm; null: never. Part of their transaction. */
  takeWakeAtMs(): number | null {
    const atMs = this.#newWakeAtMs;
    this.#newWakeAtMs = null;
    return atMs;
  }

  /** Grows with each change of the items; starts again with the process. */
  revision(): number {
    return this.#revision;
  }

  #itemsOf(paymentId: number): string | undefined {
    const rows = this.#storage.sql.exec<{ items: string }>(
      'SELECT items FROM attention WHERE payment_id = ?',
      paymentId,
    );
    return rows.toArray()[0]?.items;
  }

  /** Stores the items of a payment if they have changed. */
  note(paymentId: number, nowMs: number): void {
    const { sql } = this.#storage;
    const known = this.#itemsOf(paymentId);
    const items = itemsOf(sql, paymentId, known ?? NO_ITEMS, nowMs);
    const text = JSON.stringify(items);
    const isLeftOut = known === undefined && this.#full.has(kindOf(items));
    if (text === (known ?? NO_ITEMS) || isLeftOut) {
      return;
    }
    // The alarm sends if the process dies before.
    this.#newWakeAtMs = earliest(this.#newWakeAtMs, nowMs + RETRY_MS);
    this.#isEmpty = false;
    // The clock makes the items of an evicted or rebuilt object newer than the earlier ones.
    this.#revision = Math.max(nowMs, this.#revision + 1);
    sql.exec(
      `INSERT INTO attention (payment_id, items, revision, due_at_ms) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT DO UPDATE SET items = ?2, revision = max(?3, revision + 1), due_at_ms = ?4`,
      paymentId,
      text,
      this.#revision,
      nowMs,
    );
  }

  /** Notes what has become overdue, and payments for which D1's list had no place. */
  look(nowMs: number): void {
    const { sql } = this.#storage;
    this.#full.clear();
    const changing = sql.exec<{ paymentId: number }>(
      `SELECT payment_id AS paymentId FROM attention CROSS JOIN payment ON payment.id = payment_id
        WHERE open_refunds > 0 OR unresolved_until_ms > ?`,
      this.#lookedAtMs,
    );
    this.#lookedAtMs = nowMs;
    const looked = changing.toArray().map(({ paymentId }) => paymentId);
    const unlisted = unlistedPayments(sql, nowMs);
    this.#fillAtMs = unlisted.size < FILL_PAYMENTS ? null : nowMs + FILL_NEXT_MS;
    for (const id of new Set([...looked, ...unlisted])) {
      this.note(id, nowMs);
    }
  }

  /** When the alarm must look or send; null: nothing waits. */
  wakeAtMs(): number | null {
    // Not from now on: what became overdue since the last look needs one, too.
    const overdueAtMs = nextOverdueAtMs(this.#storage.sql, this.#lookedAtMs);
    return earliest(this.#nextSendAtMs(), overdueAtMs, this.#fillAtMs);
  }

  /** Sends what is due. Never throws: what D1 does not take is sent again. */
  async send(): Promise<void> {
    if (!this.#isEmpty) {
      this.#sending ??= this.#sendAll().finally(() => {
        this.#sending = null;
      });
      await this.#sending;
    }
  }

  /** One batch after the other, so that D1 gets the items of a payment in their order. */
  async #sendAll(): Promise<void> {
    for (let due = this.#due(); due.length > 0; due = this.#due()) {
      await this.#sendBatch(due);
    }
    this.#isEmpty = [...this.#storage.sql.exec('SELECT 1 FROM attention LIMIT 1')].length === 0;
  }

  #nextSendAtMs(): number | null {
    const sql = `SELECT MIN(due_at_ms) AS dueAtMs FROM attention INDEXED BY attention_unsent
      WHERE due_at_ms IS NOT NULL`;
    return this.#storage.sql.exec<{ dueAtMs: number | null }>(sql).one().dueAtMs;
  }

  #due(): readonly Unsent[] {
    const unsent = this.#storage.sql.exec<Unsent>(
      `SELECT payment_id AS paymentId, uuid, items, revision
        FROM attention INDEXED BY attention_unsent CROSS JOIN payment ON payment.id = payment_id
        WHERE due_at_ms IS NOT NULL AND due_at_ms <= ? ORDER BY due_at_ms LIMIT ${BATCH_PAYMENTS}`,
      Date.now(),
    );
    return unsent.toArray();
  }

  async #sendBatch(unsent: readonly Unsent[]): Promise<void> {
    const { sql } = this.#storage;
    try {
      const book = identityOf(sql);
      const writes = unsent.map((payment) => attentionStatements(book, payment));
      const results = await batch(this.#db, writes.flat());
      this.#storage.transactionSync(() => {
        for (const [index, payment] of unsent.entries()) {
          const inserted = results[3 * index + 1]?.meta.changes ?? 0;
          this.#confirm(payment, inserted > 0);
        }
      });
    } catch (error) {
      log('warn', 'attention_not_sent', { payments: unsent.length, error: errorText(error) });
      sql.exec(
        `UPDATE attention SET due_at_ms = ?1 + ${RETRY_MS}
          WHERE due_at_ms IS NOT NULL AND due_at_ms <= ?1`,
        Date.now(),
      );
    }
  }

  /** Marks items as sent, unless they have changed since. */
  #confirm({ paymentId, items: text, revision }: Unsent, isWritten: boolean): void {
    const { sql } = this.#storage;
    const items: readonly BookItem[] = JSON.parse(text);
    if (isWritten && items.length > 0) {
      sql.exec(
        'UPDATE attention SET due_at_ms = NULL WHERE payment_id = ? AND revision = ?',
        paymentId,
        revision,
      );
      return;
    }
    sql.exec('DELETE FROM attention WHERE payment_id = ? AND revision = ?', paymentId, revision);
    if (items.length > 0) {
      this.#full.add(kindOf(items));
      this.#fillAtMs = Date.now() + FILL_AGAIN_MS;
    } else if (this.#full.size > 0) {
      // This payment may have freed a place.
      this.#full.clear();
      this.#fillAtMs = Date.now();
    }
  }
}

function kindOf(items: readonly BookItem[]): Kind {
  return items.some(({ type }) => type !== 'delivery') ? 'money' : 'deliveries';
}

/** The part of an item that orders its section of the list. */
function placed(item: BookItem) {
  switch (item.type) {
    case 'payment':
      return { atMs: item.payment.createdAtMs, id: item.payment.uuid };
    case 'refund':
      return { atMs: item.refund.createdAtMs, id: item.refund.reference };
    case 'delivery':
      return { atMs: item.event.createdAtMs, id: item.event.deliveryId };
  }
}

/**
 * Whether a payment was reviewed when it had as much to review as the item says. A proposal stays
 * listed until a second operator decides.
 */
export const IS_REVIEWED = `(item ->> '$.type' = 'payment'
  AND item ->> '$.payment.proposedAttempts' = 0
  AND EXISTS (SELECT 1 FROM payment_reviews AS review WHERE review.uuid = item ->> '$.payment.uuid'
    AND review.anomalies >= item ->> '$.payment.anomalies'
    AND review.unresolved_attempts >= item ->> '$.payment.unresolvedAttempts'
    AND review.late >= item ->> '$.payment.late'))`;

/** The sections of payments, as a list of SQL. */
export const PAYMENT_SECTIONS = PAYMENT_REASONS.map((reason) => `'${reason}'`).join();

/** A write must not overwrite a newer revision of the payment. */
const IS_NEWEST = `NOT EXISTS (SELECT 1 FROM attention_item
  WHERE payment_uuid = ?1 AND revision > ?2)`;

/**
 * The statements that replace a payment's items in D1. The second changes no row when the list is
 * full. A payment without items leaves a row that is not listed, so that a delayed older write
 * cannot bring its items back; the daily purge deletes it.
 */
export function attentionStatements(
  { environment, merchantId }: Tenant,
  { uuid, items: text, revision }: Pick<Unsent, 'uuid' | 'items' | 'revision'>,
): readonly [SqlStatement, SqlStatement, SqlStatement] {
  const items: readonly BookItem[] = JSON.parse(text);
  const rows =
    items.length === 0
      ? [{ section: 'resolved', atMs: revision, id: uuid, item: null }]
      : items.map((item) => ({ section: reasonsOfItem(item)[0], ...placed(item), item }));
  const about = items.find(({ type }) => type === 'payment');
  const unresolved = about?.type === 'payment' ? about.payment.unresolvedAttempts : 0;
  const kind = kindOf(items);
  return [
    {
      sql: 'DELETE FROM attention_item WHERE payment_uuid = ?1 AND revision <= ?2',
      params: [uuid, revision],
    },
    {
      sql: `INSERT INTO attention_item (environment, section, created_at_ms, id, merchant_id,
          payment_uuid, kind, revision, item)
        SELECT ?3, iif(${IS_REVIEWED}, 'reviewed', reason), at_ms, id, ?4, ?1, ?5, ?2, item
        FROM (SELECT value ->> 'section' AS reason, value ->> 'atMs' AS at_ms, value ->> 'id' AS id,
          value -> 'item' AS item FROM json_each(?6))
        WHERE ${IS_NEWEST} AND (reason = 'resolved' OR (SELECT COUNT(DISTINCT listed.payment_uuid)
          FROM attention_item AS listed INDEXED BY attention_item_by_merchant
          WHERE listed.merchant_id = ?4 AND listed.environment = ?3 AND listed.kind = ?5
            AND listed.section NOT IN ('reviewed', 'resolved')) < ${LISTED_PAYMENTS_MAX})`,
      params: [uuid, revision, environment, merchantId, kind, JSON.stringify(rows)],
    },
    {
      // A review covers the attempts that were unresolved then: after one has got its outcome,
      // another attempt that stays unresolved is new.
      sql: `UPDATE payment_reviews SET unresolved_attempts = ?3
        WHERE uuid = ?1 AND unresolved_attempts > ?3 AND ${IS_NEWEST}`,
      params: [uuid, revision, unresolved],
    },
  ];
}
