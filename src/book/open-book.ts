import type { Environment } from '../domain/method.ts';
import type { Applied, ProjectionMessage } from '../intent/protocol.ts';
import { applyMessage } from './apply.ts';
import { Listeners, type News } from './listeners.ts';
import { bookName } from './name.ts';
import { openNextVolume } from './next-volume.ts';
import { purgeBatch } from './purge.ts';
import { streamedAfter } from './queries/stream.ts';
import { type Answer, answer, type QuestionArguments, type QuestionName } from './questions.ts';
import { BookReports } from './reports.ts';
import { createTables, hasTables } from './schema.ts';

/** Before it works, the alarm sets the next one this far ahead, so that a failure cannot lose it. */
const ALARM_SAFETY_MS = 60_000;

type Object = Pick<DurableObjectState, 'id' | 'storage' | 'waitUntil' | 'abort'>;

/** What a book's object does, once its code is loaded (`MerchantBook`). */
export class OpenBook {
  readonly #ctx: Object;
  readonly #env: Env;
  readonly #reports: BookReports;
  readonly #listeners = new Listeners();

  constructor(ctx: Object, env: Env) {
    this.#ctx = ctx;
    this.#env = env;
    this.#reports = new BookReports(ctx.storage, env);
  }

  /** Stores what a payment's object says. A repeated or late message changes nothing. */
  apply(message: ProjectionMessage): Applied {
    const { sql } = this.#ctx.storage;
    const nowMs = Date.now();
    const { changedPaymentId, ...applied } = this.#ctx.storage.transactionSync(() => {
      this.#claim(message);
      const result = applyMessage(sql, message, nowMs);
      if (result.changedPaymentId !== null) {
        this.#reports.note(result.changedPaymentId, message, nowMs);
      }
      return result;
    });
    if (changedPaymentId !== null) {
      this.#listeners.wake();
      this.#ctx.waitUntil(this.#reports.send());
    }
    return applied;
  }

  /** Waits for an event after a place of the sandbox's stream, at most for so long. */
  waitForEvents(place: number, waitMs: number): Promise<News> | News {
    const { sql } = this.#ctx.storage;
    const isThere = hasTables(sql) && streamedAfter(sql, place, 1).length > 0;
    return isThere ? 'news' : this.#listeners.wait(waitMs);
  }

  /** Writes the book's digest now, without waiting for its hour. */
  report(): Promise<void> {
    return this.#reports.writeDigest();
  }

  /**
   * Sets the book back to a time. Returns the bookmark that undoes it. The caller then calls
   * `restart`, because the restore happens when the object starts again.
   */
  async restore(atMs: number): Promise<string> {
    const bookmark = await this.#ctx.storage.getBookmarkForTime(atMs);
    return this.#ctx.storage.onNextSessionRestoreBookmark(bookmark);
  }

  async alarm(): Promise<void> {
    const { storage } = this.#ctx;
    if (!hasTables(storage.sql)) {
      return;
    }
    const nowMs = Date.now();
    await storage.setAlarm(nowMs + ALARM_SAFETY_MS);
    const purgeAtMs = storage.transactionSync(() => purgeBatch(storage.sql, nowMs));
    await this.#reports.work(nowMs);
    await openNextVolume(storage.sql, this.#env);
    const wakeAtMs = Math.min(
      purgeAtMs ?? Number.POSITIVE_INFINITY,
      this.#reports.wakeAtMs(nowMs) ?? Number.POSITIVE_INFINITY,
    );
    if (Number.isFinite(wakeAtMs)) {
      await storage.setAlarm(wakeAtMs);
    } else {
      await storage.deleteAlarm();
    }
  }

  /** Null: the book has no payment yet. A question to an unknown book stores nothing. */
  ask(name: QuestionName, args: QuestionArguments<QuestionName>): Answer<QuestionName> | null {
    const { sql } = this.#ctx.storage;
    return hasTables(sql) ? answer(sql, name, args) : null;
  }

  /** The book belongs to its first payment's tenant. Throws for a message of another one. */
  #claim({ row: { environment, merchantId }, bookVolume }: ProjectionMessage): void {
    const { sql } = this.#ctx.storage;
    const name = bookName({ environment, merchantId }, bookVolume);
    if (name !== (this.#ctx.id.name ?? name)) {
      throw new Error('message for another book');
    }
    if (!hasTables(sql)) {
      createTables(sql);
      sql.exec('INSERT INTO book VALUES (1, ?, ?, ?, 0)', environment, merchantId, bookVolume);
      return;
    }
    const book = sql.exec<Identity>('SELECT environment, merchant_id, volume FROM book').one();
    if (bookName({ ...book, merchantId: book.merchant_id }, book.volume) !== name) {
      throw new Error('message for another book');
    }
  }
}

type Identity = { environment: Environment; merchant_id: string; volume: number };
