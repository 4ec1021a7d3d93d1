import { referencesFrom, referenceTimeMs } from '../domain/identifiers.ts';
import { DAY_MS } from '../domain/schedule.ts';

/** A reference begins with the second of its payment's creation, so the rows are in that order. */
export const REFERENCE_TABLE = `
  CREATE TABLE attempt_references (
    reference TEXT PRIMARY KEY,
    payment_unique_id TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;`;

/**
 * A payment lives a year at most, and its object keeps it for its retention after its end. A report
 * after both finds no attempt.
 */
const PAYMENT_LIFE_MS_MAX = 366 * DAY_MS;
/** Delays the alarm so that it deletes the references of a whole day together. */
const PURGE_WAIT_MS = DAY_MS;
/** References that one alarm deletes, because deleting a row costs as much as writing one. */
const PURGED_MAX = 5_000;

/**
 * Maps references to payments, for providers that report to one address for all merchants. The
 * methods run synchronously in the caller's transaction; the table must exist.
 */
export class References {
  readonly #sql: SqlStorage;
  readonly #keptMs: number;

  constructor(sql: SqlStorage, retentionMs: number) {
    this.#sql = sql;
    this.#keptMs = PAYMENT_LIFE_MS_MAX + retentionMs;
  }

  /** False when another payment has the reference. */
  hold(reference: string, paymentUniqueId: string): boolean {
    this.#sql.exec(
      `INSERT INTO attempt_references (reference, payment_unique_id) VALUES (?, ?)
       ON CONFLICT DO NOTHING`,
      ...[reference, paymentUniqueId],
    );
    return this.paymentOf(reference) === paymentUniqueId;
  }

  paymentOf(reference: string): string | null {
    const sql = `SELECT payment_unique_id AS uniqueId FROM attempt_references WHERE reference = ?`;
    const [row] = this.#sql.exec<{ uniqueId: string }>(sql, reference).toArray();
    return row?.uniqueId ?? null;
  }

  /** When references are to be deleted next; null without any. */
  purgeAtMs(): number | null {
    const sql = 'SELECT MIN(reference) AS oldest FROM attempt_references';
    const [row] = this.#sql.exec<{ oldest: string | null }>(sql).toArray();
    const createdAtMs = referenceTimeMs(row?.oldest ?? '');
    return createdAtMs === null ? null : createdAtMs + this.#keptMs + PURGE_WAIT_MS;
  }

  purge(nowMs: number): void {
    const end = referencesFrom(nowMs - this.#keptMs);
    this.#sql.exec(
      `DELETE FROM attempt_references WHERE reference IN
         (SELECT reference FROM attempt_references WHERE reference < ? ORDER BY reference LIMIT ?)`,
      ...[end, PURGED_MAX],
    );
  }
}
