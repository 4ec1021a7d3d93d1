import { paymentRetentionMs } from '../../engine/config.ts';
import { earliest } from '../../engine/domain/earliest.ts';
import type { Applied, ProjectionMessage } from '../../engine/intent/book-message.ts';
import { bookmarkOf } from '../../kit/platform/bookmark.ts';
import { batch } from '../../kit/platform/database.ts';
import { errorText, log } from '../../kit/platform/log.ts';
import { ObjectAlarm } from '../../kit/platform/object-alarm.ts';
import { BookAlerts } from './alerts.ts';
import { applyMessage } from './apply.ts';
import { BookAttention } from './attention.ts';
import { DIGEST_AGAIN_MS, digestOf, digestStatement } from './digest.ts';
import { Listeners, type News } from './listeners.ts';
import { openNextVolume } from './next-volume.ts';
import { erasePayment, purgeBatch } from './purge.ts';
import { streamedAfter } from './queries/stream.ts';
import { type Answer, answer, type QuestionArguments, type QuestionName } from './questions.ts';
import { BookReceipts } from './receipts.ts';
import { type RefusedRequest, readRefused, recordRefused } from './refused-requests.ts';
import { bookName, createTables, hasTables, identityOf } from './schema.ts';

/** After an eviction, the alarm may be that of a digest. So the first one writes it. */
const DUE_IF_CHANGED_BEFORE = 0;

/** The copies of a book's payments in the bucket. */
export interface BookCopies {
  /**
   * Does what is due, a bounded part of it. Never throws. True when D1 should know: it has begun a
   * generation or ended a round, or fails again and again.
   */
  work(nowMs: number): Promise<boolean>;
  /** Copies all payments now, even young ones, a bounded number. False when more is left. */
  backUpNow(nowMs: number): Promise<boolean>;
  /** Ends a part in progress, whose payments may have been read before the call. */
  settle(nowMs: number): Promise<void>;
  /** When the alarm must work again; null: not before a change. */
  wakeAtMs(): number | null;
}

/** What the book needs of the floors above: `src/connected-objects.ts` passes it in. */
export interface BookPorts {
  backup(storage: DurableObjectStorage, env: Env): Promise<BookCopies>;
}

type BookState = Pick<DurableObjectState, 'id' | 'storage' | 'waitUntil'>;

/** The code of a book's object, which `MerchantBook` loads. */
export class OpenBook {
  readonly #ctx: BookState;
  readonly #env: Env;
  readonly #alarm: ObjectAlarm;
  readonly #attention: BookAttention;
  readonly #alerts: BookAlerts;
  readonly #backup: BookCopies;
  readonly #receipts: BookReceipts;
  readonly #listeners = new Listeners();
  /** Known after the first committed message, so that the next ones need not read it. */
  #name: string | null = null;
  /** When the next digest is due; null: nothing has changed since the last one. */
  #digestDueAtMs: number | null = DUE_IF_CHANGED_BEFORE;
  /** When the next payment must be purged, as the last alarm found; null: none. */
  #purgeAtMs: number | null = null;
  /** The revision of the items that the alerts were last told; null: of none in this process. */
  #reportedRevision: number | null = null;

  constructor(ctx: BookState, env: Env, backup: BookCopies) {
    this.#ctx = ctx;
    this.#env = env;
    this.#attention = new BookAttention(ctx.storage, env.DB);
    this.#alerts = new BookAlerts(ctx.storage, env);
    this.#backup = backup;
    this.#receipts = new BookReceipts(ctx.storage, env);
    this.#alarm = new ObjectAlarm(ctx, {
      wakeAtMs: () => this.#wakeAtMs(),
      work: () => this.#work(),
    });
  }

  /** Stores a payment's message. A repeated or late message changes nothing. */
  async apply(message: ProjectionMessage): Promise<Applied> {
    const isIndexed = await this.#receipts.putNew(message);
    this.#alarm.runIfOverdue(await this.#alarm.learn());
    const { sql } = this.#ctx.storage;
    const nowMs = Date.now();
    const retentionMs = paymentRetentionMs(this.#env);
    const {
      changedPaymentId,
      ended: _ended,
      ...applied
    } = this.#alarm.commit(() => {
      this.#claim(message);
      const result = applyMessage(sql, message, retentionMs, nowMs);
      if (result.changedPaymentId !== null) {
        this.#attention.noteChange(result.changedPaymentId, message, nowMs);
        // The changes of an hour share a digest.
        this.#digestDueAtMs ||= nowMs + DIGEST_AGAIN_MS;
        this.#alerts.count(result.ended);
        if (!isIndexed) {
          this.#receipts.note(result.changedPaymentId, nowMs);
        }
        const indexAtMs = isIndexed ? null : this.#receipts.wakeAtMs();
        this.#arm(earliest(this.#digestDueAtMs, this.#alerts.wakeAtMs(), indexAtMs));
      }
      return result;
    });
    this.#name = bookName(message.row, message.bookVolume);
    if (changedPaymentId !== null) {
      this.#listeners.wake();
      this.#ctx.waitUntil(this.#afterChange());
    }
    return applied;
  }

  /** Null when the book has no payment yet. A question to an unknown book stores nothing. */
  ask<Name extends QuestionName>(name: Name, args: QuestionArguments<Name>): Answer<Name> | null {
    const { sql } = this.#ctx.storage;
    return hasTables(sql) ? answer(sql, name, args) : null;
  }

  /** Refused requests have no payment, so they need no tables. */
  recordRefused(requests: readonly RefusedRequest[]): void {
    recordRefused(this.#ctx.storage, requests);
  }

  refusedRequests(): readonly RefusedRequest[] {
    return readRefused(this.#ctx.storage);
  }

  /** Puts the receipts of a page of `paymentsAfter` into their index. False: it is out of reach. */
  async indexReceipts(afterId: number, limit: number): Promise<boolean> {
    return !hasTables(this.#ctx.storage.sql) || this.#receipts.putPage(afterId, limit);
  }

  /**
   * Erases the personal data of a payment whose object is deleted. False: the index of receipts is out
   * of reach, and nothing is erased.
   */
  erase(knownId: number, uniqueId: string): Promise<boolean> {
    return this.#receipts.remove(knownId, uniqueId, async () => {
      await this.#alarm.learn();
      const { sql } = this.#ctx.storage;
      this.#alarm.commit(() => {
        const id = hasTables(sql) ? erasePayment(sql, knownId, uniqueId) : null;
        if (id !== null) {
          this.#attention.note(id, Date.now());
          this.#arm();
          this.#ctx.waitUntil(this.#sendAttention(true));
        }
      });
    });
  }

  /** Waits for an event after a place of the sandbox's stream, for at most `waitMs`. */
  waitForEvents(place: number, waitMs: number): Promise<News> | News {
    const { sql } = this.#ctx.storage;
    const isThere = hasTables(sql) && streamedAfter(sql, place, 1).length > 0;
    return isThere ? 'news' : this.#listeners.wait(waitMs);
  }

  /**
   * Reports to D1 now, without waiting for the alarm, which the runtime may have lost. Throws when D1
   * does not answer. Writes nothing for a book without payments.
   */
  async report(): Promise<void> {
    if (hasTables(this.#ctx.storage.sql)) {
      this.#alerts.forgetTold();
      await this.#sendItems(Date.now());
      await this.#writeDigest();
      await openNextVolume(this.#ctx.storage.sql, this.#env);
    }
  }

  /** Copies all payments to the bucket now, a bounded number. False when more is left. */
  async backUp(): Promise<boolean> {
    const { sql } = this.#ctx.storage;
    if (!hasTables(sql)) {
      return true;
    }
    const isDone = await this.#backup.backUpNow(Date.now());
    await this.#writeDigest();
    return isDone;
  }

  /** After this call, no part is written with what an object had before it. */
  async settleBackup(): Promise<void> {
    if (hasTables(this.#ctx.storage.sql)) {
      await this.#backup.settle(Date.now());
    }
  }

  async #sendItems(nowMs: number): Promise<void> {
    await this.#alarm.learn();
    this.#alarm.commit(() => {
      this.#attention.look(nowMs);
      this.#arm();
    });
    await this.#sendAttention(true);
  }

  /** The alerts do not wait for D1. Never throws. */
  async #sendAttention(mayDiffer: boolean): Promise<void> {
    this.#reportedRevision = this.#attention.revision();
    const alerts = this.#alerts.report(mayDiffer);
    await Promise.all([this.#attention.send(), alerts]);
  }

  async #writeDigest(): Promise<void> {
    const { sql } = this.#ctx.storage;
    const book = identityOf(sql);
    const nowMs = Date.now();
    // Set before the await, so that a change in the meantime makes the next digest due.
    this.#digestDueAtMs = null;
    const digest = digestOf(sql, book, nowMs);
    const retentionMs = paymentRetentionMs(this.#env);
    try {
      await batch(this.#env.DB, [digestStatement(book, digest, { nowMs, retentionMs })]);
    } catch (error) {
      this.#digestDueAtMs = nowMs + DIGEST_AGAIN_MS;
      throw error;
    }
  }

  /**
   * Restores the book to a time. Returns the bookmark that undoes the restore; null where the platform
   * keeps no earlier states. The caller then calls `restart`, because the restore happens when the
   * object starts again.
   */
  async restore(atMs: number): Promise<string | null> {
    const { storage } = this.#ctx;
    const bookmark = await bookmarkOf(storage, atMs);
    return bookmark && storage.onNextSessionRestoreBookmark(bookmark);
  }

  alarm(): Promise<void> {
    return this.#alarm.run();
  }

  async #work(): Promise<void> {
    const { sql } = this.#ctx.storage;
    if (!hasTables(sql)) {
      return;
    }
    const nowMs = Date.now();
    const retentionMs = paymentRetentionMs(this.#env);
    this.#purgeAtMs = this.#alarm.commit(() => purgeBatch(sql, retentionMs, nowMs));
    await this.#receipts.putNoted(nowMs);
    await this.#sendItems(nowMs);
    const isDue = this.#digestDueAtMs !== null && nowMs >= this.#digestDueAtMs;
    // The digest says how far the backup is.
    if ((await this.#backup.work(nowMs)) || isDue) {
      await this.#reportTotals();
    }
  }

  /** When the alarm has work; null: never. */
  #wakeAtMs(): number | null {
    if (!hasTables(this.#ctx.storage.sql)) {
      return null;
    }
    return earliest(
      this.#purgeAtMs,
      this.#digestDueAtMs,
      this.#attention.wakeAtMs(),
      this.#alerts.wakeAtMs(),
      this.#backup.wakeAtMs(),
      this.#receipts.wakeAtMs(),
    );
  }

  /** Sets the alarm for what a change needs, unless it comes earlier. Part of a transaction. */
  #arm(atMs: number | null = null): void {
    this.#alarm.setBy(earliest(atMs, this.#attention.takeWakeAtMs()));
  }

  /** Never throws. */
  async #reportTotals(): Promise<void> {
    await this.#writeDigest().catch((error: unknown) => {
      log('warn', 'digest_not_written', { error: errorText(error) });
    });
    await openNextVolume(this.#ctx.storage.sql, this.#env);
  }

  /** Reports a change after its commit. Never throws. */
  async #afterChange(): Promise<void> {
    await this.#sendAttention(this.#attention.revision() !== this.#reportedRevision);
    await this.#alarm.learn();
    this.#alarm.setBy(this.#alerts.wakeAtMs());
  }

  /** The book belongs to its first payment's tenant. Throws for a message of another one. */
  #claim({ row, bookVolume }: ProjectionMessage): void {
    const { sql } = this.#ctx.storage;
    const name = bookName(row, bookVolume);
    if (name === this.#name) {
      return;
    }
    if (!hasTables(sql)) {
      createTables(sql, row, bookVolume);
    }
    const book = identityOf(sql);
    if (name !== bookName(book, book.volume) || name !== (this.#ctx.id.name ?? name)) {
      throw new Error('message for another book');
    }
  }
}
