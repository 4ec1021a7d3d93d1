import { uuidV7 } from '../../kit/crypto/uuid-v7.ts';
import { IDS_PER_MS } from './schema.ts';

/**
 * How far a book's backup is: which payments it has passed, which have changed since, and the part
 * that is being written. Synchronous, in the caller's transaction.
 */

/**
 * Payments of one part. Each is a call of its object, an alarm may make thousands, and a part of
 * ordinary payments then has 2 MB before compression.
 */
export const PART_PAYMENTS_MAX = 500;

/** The payments of the part that is being written, in the order of their ids. */
export interface Claim {
  readonly ids: readonly number[];
  /** The backup has not passed them before. */
  readonly isNew: boolean;
  /** The part may have been written already: it keeps its payments and with them its name. */
  readonly isFixed: boolean;
}

export type BackupState = {
  readonly generation: string | null;
  readonly sequence: number;
  readonly keptFrom: number;
  readonly toId: number;
  readonly payments: number;
  readonly claim: string | null;
  readonly dueAtMs: number;
  readonly failures: number;
  readonly doneAtMs: number | null;
  readonly expiresAtMs: number | null;
  readonly renewed: string | null;
};

export type BookedId = { readonly id: number; readonly uniqueId: string };

export function stateOf(sql: SqlStorage): BackupState {
  return sql
    .exec<BackupState>(
      `SELECT generation, sequence, kept_from AS keptFrom, to_id AS toId, payments, claim,
        due_at_ms AS dueAtMs, failures, done_at_ms AS doneAtMs, expires_at_ms AS expiresAtMs, renewed
      FROM backup`,
    )
    .one();
}

/** Notes payments that changed, unless the backup still has to pass them. */
export function backUpLater(sql: SqlStorage, ids: readonly number[]): void {
  for (const id of ids) {
    sql.exec('INSERT OR IGNORE INTO backup_later SELECT ?1 FROM backup WHERE to_id >= ?1', id);
  }
}

/**
 * Notes the payments that an unreadable part may have in its newest copy: those between its ids, in
 * whole milliseconds, that did not change after it was written. A payment past its retention has no
 * line in the new part.
 */
export function backUpUnchanged(
  sql: SqlStorage,
  { fromId, toId }: { readonly fromId: number; readonly toId: number },
  writtenAtMs: number,
): void {
  const [from, to] = [fromId, toId + IDS_PER_MS].map((id) => Math.floor(id / IDS_PER_MS));
  sql.exec(
    `INSERT OR IGNORE INTO backup_later SELECT id FROM payment
      WHERE id >= ? AND id < ? AND updated_at_ms <= ? AND id <= (SELECT to_id FROM backup)`,
    ...[(from ?? 0) * IDS_PER_MS, (to ?? 0) * IDS_PER_MS, writtenAtMs],
  );
}

/** Whether a payment waits for the backup, young ones included. */
export function hasPending(sql: SqlStorage): boolean {
  const { pending } = sql
    .exec<{ pending: number }>(
      `SELECT claim IS NOT NULL OR EXISTS (SELECT 1 FROM payment WHERE id > to_id)
        OR EXISTS (SELECT 1 FROM backup_later) AS pending FROM backup`,
    )
    .one();
  return pending === 1;
}

/**
 * The part to write: the one in progress, else new payments that were created before `untilMs`, else
 * changed ones. Null when nothing is left. From now on `backUpLater` notes each change of the claimed
 * payments, so no change between reading a payment and writing its part is lost.
 */
export function claimPart(sql: SqlStorage, untilMs: number): Claim | null {
  const { claim: known, generation } = stateOf(sql);
  if (known !== null) {
    return JSON.parse(known);
  }
  if (generation === null) {
    beginGeneration(sql, Date.now());
  }
  const fresh = idsOf(
    sql,
    'SELECT id FROM payment WHERE id > (SELECT to_id FROM backup) AND id < ? ORDER BY id',
    untilMs * IDS_PER_MS,
  );
  const ids = fresh.length > 0 ? fresh : idsOf(sql, LATER);
  const last = ids.at(-1);
  if (last === undefined) {
    return null;
  }
  const claim = { ids, isNew: fresh.length > 0, isFixed: false };
  if (claim.isNew) {
    sql.exec('UPDATE backup SET claim = ?, to_id = ?', JSON.stringify(claim), last);
  } else {
    sql.exec('DELETE FROM backup_later WHERE payment_id <= ?', last);
    sql.exec('UPDATE backup SET claim = ?', JSON.stringify(claim));
  }
  return claim;
}

const LATER = 'SELECT payment_id AS id FROM backup_later ORDER BY payment_id';

function idsOf(sql: SqlStorage, query: string, ...params: number[]): number[] {
  const rows = sql.exec<{ id: number }>(`${query} LIMIT ${PART_PAYMENTS_MAX}`, ...params);
  return rows.toArray().map(({ id }) => id);
}

/** The unique ids of a claim's payments. */
export function claimedPayments(sql: SqlStorage, { ids }: Claim): readonly BookedId[] {
  const query = `SELECT id, unique_id AS uniqueId FROM payment
    WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id`;
  return sql.exec<BookedId>(query, JSON.stringify(ids)).toArray();
}

/**
 * Fixes the payments of the part before it is written: the first `read` of the claim. The others go
 * back to where the claim took them from, and `failed` ones are tried again later.
 */
export function fixPart(sql: SqlStorage, claim: Claim, read: number, failed: readonly number[]) {
  const ids = claim.ids.slice(0, read);
  const rest = claim.ids.slice(read);
  const fixed: Claim = { ids, isNew: claim.isNew, isFixed: true };
  if (claim.isNew && rest.length > 0) {
    sql.exec('UPDATE backup SET to_id = ?', ids.at(-1) ?? 0);
  }
  backUpLater(sql, claim.isNew ? failed : [...failed, ...rest]);
  sql.exec('UPDATE backup SET claim = ?', JSON.stringify(fixed));
  return fixed;
}

/** After the part was written, or not because it has no lines and its sequence was never used. */
export function endPart(sql: SqlStorage, claim: Claim, lines: number, isWritten: boolean): void {
  sql.exec(
    'UPDATE backup SET claim = NULL, sequence = sequence + ?, payments = payments + ?',
    Number(isWritten),
    claim.isNew ? lines : 0,
  );
}

/** Starts over with all payments of the book. */
export function beginGeneration(sql: SqlStorage, nowMs: number): void {
  sql.exec('DELETE FROM backup_later');
  sql.exec(
    `UPDATE backup SET generation = ?, sequence = 0, kept_from = 1, to_id = 0, payments = 0,
      claim = NULL`,
    uuidV7(nowMs),
  );
}

/** Everything is backed up, so the next look is in `waitMs`. */
export function endRound(sql: SqlStorage, nowMs: number, waitMs: number): void {
  sql.exec(
    'UPDATE backup SET due_at_ms = ?, done_at_ms = ?, failures = 0',
    ...[nowMs + waitMs, nowMs],
  );
}

export function postpone(sql: SqlStorage, dueAtMs: number): void {
  sql.exec('UPDATE backup SET due_at_ms = ?, failures = failures + 1', dueAtMs);
}
