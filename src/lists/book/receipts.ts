import { isReceiptSearchKey } from '../../engine/domain/search-key.ts';
import type { ProjectionMessage } from '../../engine/intent/book-message.ts';
import { errorText, log } from '../../kit/platform/log.ts';
import type { Tenant } from '../../kit/tenant.ts';
import { putReceipts, removeReceipts } from '../receipt-index/client.ts';
import type { IndexedReceipt } from '../receipt-index/open-index.ts';
import { hasTables, IDS_PER_MS, identityOf } from './schema.ts';

/** The pause after the index was out of reach. */
const AGAIN_MS = 60_000;
/** Payments of one try. */
const NOTED_MAX = 100;

interface Keyed {
  readonly uniqueId: string;
  readonly keys: readonly string[];
  /** When the payment was paid. A receipt of one that is not is of its end or its creation. */
  readonly atMs: number;
}

type Row = {
  readonly id: number;
  readonly uniqueId: string;
  readonly version: number;
  readonly searchKeys: string;
  readonly atMs: number;
};

/**
 * A book's part of the index of all merchants' receipts (docs/decisions.md#72). A receipt is put before
 * the row that has it is committed. If the process dies in between, the payment sends its message
 * again. While the index is out of reach, the commit notes the payment, and the alarm puts it later.
 */
export class BookReceipts {
  readonly #sql: SqlStorage;
  readonly #env: Env;
  /** When the alarm tries again. After an eviction, at once. */
  #againAtMs = 0;
  #lastTurn: Promise<unknown> = Promise.resolve();

  constructor({ sql }: Pick<DurableObjectStorage, 'sql'>, env: Env) {
    this.#sql = sql;
    this.#env = env;
  }

  /** Puts the receipts that the message brings. False: the index is out of reach. */
  putNew({ row, paidAtMs, intentVersion, searchKeys }: ProjectionMessage): Promise<boolean> {
    const { uniqueId, createdAtMs, endedAtMs } = row;
    const [known] = this.#paymentsIn(createdAtMs, uniqueId);
    // The row of an erased payment is newer than each of its messages.
    const isOld = known !== undefined && known.version > intentVersion;
    const keys = isOld ? [] : searchKeys.filter((key) => !known?.keys.includes(key));
    return this.#put(row, [{ uniqueId, keys, atMs: paidAtMs ?? endedAtMs ?? createdAtMs }]);
  }

  /** Notes that the index lacks a payment's receipts. Part of a transaction. */
  note(paymentId: number, nowMs: number): void {
    this.#sql.exec('INSERT OR IGNORE INTO index_later VALUES (?)', paymentId);
    this.#againAtMs = nowMs + AGAIN_MS;
  }

  /** When the alarm must put what is noted; null: nothing is. */
  wakeAtMs(): number | null {
    return this.#noted(1).length === 0 ? null : this.#againAtMs;
  }

  /** Puts what is noted, a bounded part of it. Never throws. */
  putNoted(nowMs: number): Promise<void> {
    return this.#inTurn(() => this.#putNoted(nowMs));
  }

  async #putNoted(nowMs: number): Promise<void> {
    const noted = nowMs < this.#againAtMs ? [] : this.#noted(NOTED_MAX);
    if (!(await this.#put(identityOf(this.#sql), noted))) {
      this.#againAtMs = nowMs + AGAIN_MS;
      return;
    }
    for (const { id, keys } of noted) {
      // A message that came in the meantime may have brought another receipt.
      const sql = `DELETE FROM index_later WHERE payment_id = ?1
        AND EXISTS (SELECT 1 FROM payment WHERE id = ?1 AND search_keys = ?2)`;
      this.#sql.exec(sql, id, JSON.stringify(keys));
    }
  }

  /** Puts the receipts of a page of `paymentsAfter`. False: the index is out of reach. */
  putPage(afterId: number, limit: number): Promise<boolean> {
    return this.#inTurn(() => {
      const page = this.#payments('payment WHERE id > ? ORDER BY id LIMIT ?', afterId, limit);
      return this.#put(identityOf(this.#sql), page);
    });
  }

  /**
   * Takes a payment's receipts out of the index, and then erases them here. False: the index is out of
   * reach, and nothing is erased.
   */
  remove(knownId: number, uniqueId: string, erase: () => Promise<void>): Promise<boolean> {
    return this.#inTurn(async () => {
      const payments = this.#paymentsIn(Math.floor(knownId / IDS_PER_MS), uniqueId);
      const isRemoved =
        payments.length === 0 ||
        (await this.#call(removeReceipts, identityOf(this.#sql), payments));
      if (isRemoved) {
        await erase();
      }
      return isRemoved;
    });
  }

  /**
   * Runs `work` after all that began before it, so that a put of rows that are read before an erasure
   * cannot end after its removal. An evicted object's put has reached the index, or is lost, before
   * the object starts again. `putNew` takes no turn: an erasure waits until the book has every message.
   */
  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#lastTurn.then(work);
    this.#lastTurn = turn.catch(() => undefined);
    return turn;
  }

  #put(tenant: Tenant, payments: readonly Keyed[]): Promise<boolean> {
    return this.#call(putReceipts, tenant, payments);
  }

  async #call(
    change: typeof putReceipts | typeof removeReceipts,
    tenant: Tenant,
    payments: readonly Keyed[],
  ): Promise<boolean> {
    const { environment, merchantId } = tenant;
    try {
      await change(this.#env, environment, receiptsOf(tenant, payments));
      return true;
    } catch (error) {
      log('warn', 'receipts_not_indexed', { environment, merchantId, error: errorText(error) });
      return false;
    }
  }

  /** The payment with this id, created at that time. A new book has no tables. */
  #paymentsIn(createdAtMs: number, uniqueId: string) {
    const firstId = createdAtMs * IDS_PER_MS;
    const source = 'payment WHERE id BETWEEN ? AND ? AND unique_id = ?';
    return hasTables(this.#sql)
      ? this.#payments(source, firstId, firstId + IDS_PER_MS - 1, uniqueId)
      : [];
  }

  #noted(limit: number) {
    const source = 'index_later CROSS JOIN payment ON payment.id = payment_id LIMIT ?';
    return this.#payments(source, limit);
  }

  #payments(source: string, ...params: readonly SqlStorageValue[]) {
    const sql = `SELECT payment.id, unique_id AS uniqueId, version, search_keys AS searchKeys,
        COALESCE(paid_at_ms, ended_at_ms, payment.id / ${IDS_PER_MS}) AS atMs
      FROM ${source}`;
    return this.#sql
      .exec<Row>(sql, ...params)
      .toArray()
      .map(({ searchKeys, ...row }) => ({ ...row, keys: JSON.parse(searchKeys) as string[] }));
  }
}

function receiptsOf(
  { merchantId }: Pick<Tenant, 'merchantId'>,
  payments: readonly Keyed[],
): readonly IndexedReceipt[] {
  return payments.flatMap(({ uniqueId, keys, atMs }) =>
    keys.filter(isReceiptSearchKey).map((key) => ({ key, merchantId, uniqueId, atMs })),
  );
}
