import { referencesFrom, referenceTimeMs } from '../domain/identifiers.ts';
import { DAY_MS, RETENTION_MS } from '../domain/schedule.ts';

/** A reference begins with the second of its payment's creation, so the rows lie in that order. */
export const REFERENCE_TABLE = `
  CREATE TABLE attempt_references (
    reference TEXT PRIMARY KEY,
    payment_unique_id TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;`;

/**
 * As long as the payment's object can know the attempt, so that no report comes too late: a payment
 * lives a year at most, and its object keeps it for `RETENTION_MS` after its end.
 */
export const REFERENCE_KEPT_MS = 366 * DAY_MS + RETENTION_MS;
/** So that the alarm deletes a day's references together. */
const PURGE_WAIT_MS = DAY_MS;
/** References that one alarm deletes: a deleted row costs what a written one does. */
const PURGED_MAX = 5_000;

/**
 * Which payment has a reference by which a provider reports to an address that all merchants share.
 * Synchronous, in the caller's transaction; the table must exist.
 */
export class References {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
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
    return createdAtMs === null ? null : createdAtMs + REFERENCE_KEPT_MS + PURGE_WAIT_MS;
  }

  purge(nowMs: number): void {
    const end = referencesFrom(nowMs - REFERENCE_KEPT_MS);
    this.#sql.exec(
      `DELETE FROM attempt_references WHERE reference IN
         (SELECT reference FROM attempt_references WHERE reference < ? ORDER BY reference LIMIT ?)`,
      ...[end, PURGED_MAX],
    );
  }
}
