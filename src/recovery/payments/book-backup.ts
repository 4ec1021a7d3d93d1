import { paymentRetentionMs } from '../../engine/config.ts';
import { DAY_MS } from '../../engine/domain/schedule.ts';
import { intentByUniqueId } from '../../engine/intent/client.ts';
import type { StoredRecord } from '../../engine/intent/protocol.ts';
import { concurrently } from '../../kit/platform/concurrently.ts';
import { errorText, log } from '../../kit/platform/log.ts';
import {
  type BookedId,
  backUpLater,
  backUpUnchanged,
  beginGeneration,
  type Claim,
  claimedPayments,
  claimPart,
  endPart,
  endRound,
  fixPart,
  hasPending,
  postpone,
  stateOf,
} from '../../lists/book/backup-state.ts';
import type { BookCopies } from '../../lists/book/open-book.ts';
import { IDS_PER_MS, identityOf } from '../../lists/book/schema.ts';
import {
  asking,
  BACKUP_KEPT_MS,
  BackupUnavailable,
  bucketOf,
  hasBucket,
  namesAfter,
  readIfWhole,
  writePart,
  writtenAtMsOf,
} from '../backup/bucket.ts';
import type { PaymentLine } from '../backup/manifest.ts';
import {
  parsePaymentsPart,
  paymentsPartName,
  paymentsPrefix,
  sequencePrefix,
} from '../backup/names.ts';
import { isRestoring } from '../incomplete.ts';

/**
 * Copies the objects of a book's payments to the bucket, daily, by the book's alarm: new payments, and
 * those that changed after they were copied. A part is written first and then committed, so a crash in
 * between writes the same name again. Payments never wait for it.
 */

/** A day is the most that a total loss may take. */
const ROUND_MS = DAY_MS;
/**
 * Most payments have ended by then and their webhooks have arrived, so each is copied once. A younger
 * payment waits for the next round.
 */
const PAYMENT_AGE_MS_MIN = 60 * 60 * 1_000;
/** The text of a part: with its compressed and sealed copies far below the 128 MB of an isolate. */
const PART_CHARACTERS_MAX = 8_000_000;
/** Payments that are read before their size counts. */
const READ_AT_ONCE = 30;
/** Parts of one alarm, which then starts again: the book answers other calls in between. */
const PARTS_PER_ALARM = 4;
/** The waits after failures double from a minute to an hour. */
const AGAIN_MS = 60_000;
const AGAIN_MS_MAX = 60 * 60 * 1_000;
/** One failure may be an object that restarts. */
const REPORTED_FAILURES = 3;

export class BookBackup implements BookCopies {
  readonly #storage: DurableObjectStorage;
  readonly #env: Env;
  /** The work in progress: an operator's call and the alarm must not write the same part. */
  #working: Promise<unknown> = Promise.resolve();

  constructor(storage: DurableObjectStorage, env: Env) {
    this.#storage = storage;
    this.#env = env;
  }

  async work(nowMs: number): Promise<boolean> {
    if (nowMs < stateOf(this.#sql).dueAtMs) {
      return false;
    }
    if (!hasBucket(this.#env)) {
      this.#storage.transactionSync(() => postpone(this.#sql, nowMs + ROUND_MS));
      return false;
    }
    const { generation: before } = stateOf(this.#sql);
    const isBegun = () => stateOf(this.#sql).generation !== before;
    try {
      const isDone = await this.#alone(() => this.#round(nowMs, nowMs - PAYMENT_AGE_MS_MIN));
      return isDone || isBegun();
    } catch (error) {
      const { failures } = stateOf(this.#sql);
      const { environment, merchantId, volume } = identityOf(this.#sql);
      log('warn', 'backup_failed', { environment, merchantId, volume, error: errorText(error) });
      const waitMs = Math.min(AGAIN_MS * 2 ** Math.min(failures, 10), AGAIN_MS_MAX);
      this.#storage.transactionSync(() => postpone(this.#sql, nowMs + waitMs));
      return failures + 1 === REPORTED_FAILURES || isBegun();
    }
  }

  async backUpNow(nowMs: number): Promise<boolean> {
    return this.#alone(() => this.#round(nowMs, nowMs + 1));
  }

  async settle(nowMs: number): Promise<void> {
    await this.#alone(async () => {
      if (stateOf(this.#sql).claim !== null) {
        await this.#writeNext(nowMs, 0);
      }
    });
  }

  get #sql(): SqlStorage {
    return this.#storage.sql;
  }

  /** Runs `work` after the work in progress. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#working.then(work, work);
    this.#working = result.catch(() => undefined);
    return result;
  }

  wakeAtMs(): number | null {
    const { dueAtMs, expiresAtMs } = stateOf(this.#sql);
    const fromMs = hasPending(this.#sql) ? dueAtMs : expiresAtMs;
    // Due at 0 before the first round has ended, and no alarm can be set to that.
    return fromMs === null ? null : Math.max(dueAtMs, fromMs, 1);
  }

  /** True when nothing is left. */
  async #round(nowMs: number, untilMs: number): Promise<boolean> {
    for (let parts = 0; parts < PARTS_PER_ALARM; parts += 1) {
      if (await this.#writeNext(nowMs, untilMs)) {
        continue;
      }
      if (!(await this.#deleteOldest(nowMs))) {
        this.#storage.transactionSync(() => endRound(this.#sql, nowMs, ROUND_MS));
        return true;
      }
    }
    return false;
  }

  /** Writes one part. False when nothing is left to write. */
  async #writeNext(nowMs: number, untilMs: number): Promise<boolean> {
    const claim = this.#storage.transactionSync(() => claimPart(this.#sql, untilMs));
    if (claim === null) {
      return false;
    }
    const { lines, read, failed } = await this.#read(claim);
    const fixed = this.#storage.transactionSync(() => fixPart(this.#sql, claim, read, failed));
    // The sequence of a fixed part may have been used already, so that part is written in any case.
    const isWritten = lines.length > 0 || claim.isFixed;
    if (isWritten && !(await this.#write(fixed, lines, nowMs, claim.isFixed))) {
      return true;
    }
    this.#storage.transactionSync(() => endPart(this.#sql, fixed, lines.length, isWritten));
    if (failed.length > 0) {
      throw new BackupUnavailable(`${failed.length} payments could not be read`);
    }
    return true;
  }

  /** The lines of the claim's payments, up to the size of a part. */
  async #read(claim: Claim) {
    const payments = claimedPayments(this.#sql, claim);
    const lines: PaymentLine[] = [];
    const failed: number[] = [];
    let read = 0;
    let characters = 0;
    while (read < payments.length && (claim.isFixed || characters < PART_CHARACTERS_MAX)) {
      const some = payments.slice(read, read + READ_AT_ONCE);
      read += some.length;
      for (const { payment, records } of await concurrently(some, (one) => this.#records(one))) {
        if (records === 'failed') {
          failed.push(payment.id);
        } else if (records !== null && records.length > 0) {
          lines.push({ ...payment, records });
          characters += records.reduce((sum, { content }) => sum + content.length, 0);
        }
      }
    }
    lines.sort((one, other) => one.id - other.id);
    return { lines, read, failed };
  }

  async #records(payment: BookedId) {
    const { environment, merchantId } = identityOf(this.#sql);
    const client = await intentByUniqueId(this.#env, { environment, merchantId }, payment.uniqueId);
    // One object out of reach must not keep the others from the backup.
    const records = await client.exportRecords().catch((error: unknown) => {
      log('warn', 'backup_of_payment_failed', {
        objectName: client.objectName,
        error: errorText(error),
      });
      return 'failed' as const;
    });
    return { payment, records: records as readonly StoredRecord[] | null | 'failed' };
  }

  /**
   * False after a new generation has begun: another part has the sequence, because the book was set
   * back to an earlier time, so this generation no longer tells what the bucket has.
   */
  async #write(claim: Claim, lines: readonly PaymentLine[], nowMs: number, isRepeated: boolean) {
    const { generation, sequence } = stateOf(this.#sql);
    const part = {
      ...identityOf(this.#sql),
      generation: generation ?? '',
      sequence: sequence + 1,
      fromId: claim.ids[0] ?? 0,
      toId: claim.ids.at(-1) ?? 0,
    };
    const name = paymentsPartName(part);
    const known = await namesAfter(this.#env, sequencePrefix(part));
    if (known.some(({ key }) => key !== name || !isRepeated)) {
      log('warn', 'backup_starts_over', { name });
      this.#storage.transactionSync(() => beginGeneration(this.#sql, nowMs));
      return false;
    }
    await writePart(this.#env, name, lines, nowMs);
    return true;
  }

  /**
   * Deletes the oldest part, once its payments are past their retention. Those whose objects still
   * have their data are written again before. False when no part is that old, and during a restore,
   * which may need the part.
   */
  async #deleteOldest(nowMs: number): Promise<boolean> {
    const { expiresAtMs, renewed, sequence } = stateOf(this.#sql);
    if (sequence === 0 || nowMs < (expiresAtMs ?? 0)) {
      return false;
    }
    const [oldest] = await namesAfter(this.#env, paymentsPrefix(identityOf(this.#sql)));
    const writtenAtMs = oldest === undefined ? null : writtenAtMsOf(oldest);
    // A payment that changed just before the part was written is kept until its retention ends.
    const keptMs = paymentRetentionMs(this.#env) + BACKUP_KEPT_MS;
    const atMs = writtenAtMs === null ? null : writtenAtMs + keptMs;
    if (oldest === undefined || atMs === null || nowMs < atMs) {
      this.#sql.exec('UPDATE backup SET expires_at_ms = ?', atMs);
      return false;
    }
    if (await isRestoring(this.#env.DB)) {
      this.#sql.exec('UPDATE backup SET expires_at_ms = ?', nowMs + ROUND_MS);
      return false;
    }
    const { key } = oldest;
    const part = parsePaymentsPart(key);
    if (renewed !== key) {
      const living = await this.#livingPayments(key);
      this.#storage.transactionSync(() => {
        if (living !== 'unreadable') {
          backUpLater(this.#sql, living);
        } else if (part !== null) {
          backUpUnchanged(this.#sql, part, writtenAtMs ?? 0);
        }
        this.#sql.exec('UPDATE backup SET renewed = ?', key);
      });
      return true;
    }
    await asking(bucketOf(this.#env).delete(key));
    if (part !== null && part.generation === stateOf(this.#sql).generation) {
      this.#sql.exec('UPDATE backup SET kept_from = ?', part.sequence + 1);
    }
    return true;
  }

  /**
   * The book's ids of a part's payments whose objects still have their data. `unreadable`: no key of
   * BACKUP_KEYS will ever open the part, so it must not stop the expiry of those after it.
   */
  async #livingPayments(name: string): Promise<readonly number[] | 'unreadable'> {
    const { part, differences } = await readIfWhole<PaymentLine>(this.#env, name);
    if (part === null) {
      log('warn', 'backup_part_unreadable', { name, error: differences.join() });
      return 'unreadable';
    }
    const living: number[] = [];
    await concurrently(part.lines, async (line) => {
      const { records } = await this.#records(line);
      // Without rows or a tombstone the object is lost, and the part may have the only copy.
      if (records === 'failed' || records?.length === 0) {
        throw new BackupUnavailable('a payment could not be read');
      }
      // After a restore, another payment may have the id. This one can never return to its object.
      if (records !== null && uuidIn(records) === uuidIn(line.records)) {
        living.push(this.#idOf(line));
      }
    });
    return living;
  }

  /** A rebuilt book may have given the payment another place within its millisecond. */
  #idOf({ id, uniqueId }: BookedId): number {
    const firstId = Math.floor(id / IDS_PER_MS) * IDS_PER_MS;
    const query = 'SELECT id FROM payment WHERE id BETWEEN ? AND ? AND unique_id = ?';
    const rows = this.#sql.exec<{ id: number }>(query, firstId, firstId + IDS_PER_MS - 1, uniqueId);
    const [row] = rows.toArray();
    if (row === undefined) {
      throw new Error(`the book does not have the payment ${id}`);
    }
    return row.id;
  }
}

function uuidIn([payment]: readonly StoredRecord[]): string | undefined {
  return JSON.parse(payment?.content ?? '{}').intent?.terms.uuid;
}
