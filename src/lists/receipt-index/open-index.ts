import { paymentRetentionMs } from '../../engine/config.ts';
import { earliest } from '../../engine/domain/earliest.ts';
import type { OtherPayment } from '../../engine/domain/intent.ts';
import { ObjectAlarm } from '../../kit/platform/object-alarm.ts';

/**
 * The rows lie in a table for each month in which payments were paid, so that the end of their
 * retention drops a table: deleting a row costs as much as writing one.
 */

/** A payment that has a receipt, by a key of the receipt. */
export interface ReceiptHolder extends OtherPayment {
  readonly key: string;
}

export interface IndexedReceipt extends ReceiptHolder {
  /** When the payment was paid: the index forgets it when that month has passed its retention. */
  readonly atMs: number;
}

/** A provider that gives many payments one receipt must not fill an answer. */
const HOLDERS_MAX = 50;

const PREFIX = 'paid_';

/** The code of a shard's object, which `ReceiptIndex` loads. */
export class OpenIndex {
  readonly #sql: SqlStorage;
  readonly #alarm: ObjectAlarm;
  readonly #retentionMs: number;

  constructor(ctx: Pick<DurableObjectState, 'id' | 'storage' | 'waitUntil'>, env: Env) {
    this.#sql = ctx.storage.sql;
    this.#retentionMs = paymentRetentionMs(env);
    this.#alarm = new ObjectAlarm(ctx, {
      wakeAtMs: () => earliest(...this.#tables().map((table) => this.#droppedAtMs(table))),
      work: async () => this.#alarm.commit(() => this.#drop(Date.now())),
    });
  }

  /** What is there already writes nothing. */
  async put(receipts: readonly IndexedReceipt[]): Promise<void> {
    this.#alarm.runIfOverdue(await this.#alarm.learn());
    const nowMs = Date.now();
    this.#alarm.commit(() => {
      for (const { key, merchantId, uniqueId, atMs } of receipts) {
        const table = tableOf(atMs);
        const droppedAtMs = this.#droppedAtMs(table);
        // The book keeps a payment longer that is held, or was refunded late.
        if (droppedAtMs > nowMs) {
          this.#sql.exec(`CREATE TABLE IF NOT EXISTS ${table} (
              key TEXT NOT NULL,
              merchant_id TEXT NOT NULL,
              unique_id TEXT NOT NULL,
              PRIMARY KEY (key, merchant_id, unique_id)
            ) STRICT, WITHOUT ROWID`);
          const insert = `INSERT OR IGNORE INTO ${table} VALUES (?, ?, ?)`;
          this.#sql.exec(insert, key, merchantId, uniqueId);
          this.#alarm.setBy(droppedAtMs);
        }
      }
    });
  }

  /** The payments with each of these keys, HOLDERS_MAX at most for one key and month. */
  find(keys: readonly string[]): readonly ReceiptHolder[] {
    const found: ReceiptHolder[] = [];
    for (const table of this.#tables()) {
      const counts = new Map<string, number>();
      const rows = this.#sql.exec<{ key: string; merchantId: string; uniqueId: string }>(
        `SELECT key, merchant_id AS merchantId, unique_id AS uniqueId FROM ${table}
          WHERE key IN (SELECT value FROM json_each(?))`,
        JSON.stringify(keys),
      );
      for (const row of rows) {
        const count = counts.get(row.key) ?? 0;
        counts.set(row.key, count + 1);
        if (count < HOLDERS_MAX) {
          found.push(row);
        }
      }
    }
    return found;
  }

  remove(holders: readonly ReceiptHolder[]): void {
    this.#alarm.commit(() => {
      for (const table of this.#tables()) {
        const sql = `DELETE FROM ${table} WHERE key = ? AND merchant_id = ? AND unique_id = ?`;
        for (const { key, merchantId, uniqueId } of holders) {
          this.#sql.exec(sql, key, merchantId, uniqueId);
        }
      }
    });
  }

  alarm(): Promise<void> {
    return this.#alarm.run();
  }

  #tables(): readonly string[] {
    const sql = `SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB '${PREFIX}*'`;
    return this.#sql
      .exec<{ name: string }>(sql)
      .toArray()
      .map(({ name }) => name);
  }

  #drop(nowMs: number): void {
    for (const table of this.#tables()) {
      if (this.#droppedAtMs(table) <= nowMs) {
        this.#sql.exec(`DROP TABLE ${table}`);
      }
    }
  }

  /** A retention after the end of the table's month. */
  #droppedAtMs(table: string): number {
    const [year, month] = table.slice(PREFIX.length).split('_').map(Number);
    return Date.UTC(year ?? 0, month ?? 0) + this.#retentionMs;
  }
}

/** `paid_2026_11` */
function tableOf(atMs: number): string {
  return PREFIX + new Date(atMs).toISOString().slice(0, 7).replace('-', '_');
}
