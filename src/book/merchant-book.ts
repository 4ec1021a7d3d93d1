import { DurableObject } from 'cloudflare:workers';
import type { Applied, ProjectionMessage } from '../intent/protocol.ts';
import type { News } from './listeners.ts';
import type { OpenBook } from './open-book.ts';
import type { Answer, QuestionArguments, QuestionName } from './questions.ts';

/**
 * The copy for reading of one merchant's payments, refunds and events in one environment, or of one
 * volume of them. The payments' objects feed it and can rebuild it. No method takes a tenant, so no
 * question can reach another tenant's rows.
 */
export class MerchantBook extends DurableObject<Env> {
  #book: OpenBook | null = null;

  /** An isolate loads the code with the first call: no payment waits for it. */
  async #open(): Promise<OpenBook> {
    const { OpenBook } = await import('./open-book.ts');
    this.#book ??= new OpenBook(this.ctx, this.env);
    return this.#book;
  }

  /** Stores what a payment's object says. A repeated or late message changes nothing. */
  async apply(message: ProjectionMessage): Promise<Applied> {
    return (await this.#open()).apply(message);
  }

  /** Null: the book has no payment yet. A question to an unknown book stores nothing. */
  async ask(
    name: QuestionName,
    args: QuestionArguments<QuestionName>,
  ): Promise<Answer<QuestionName> | null> {
    return (await this.#open()).ask(name, args);
  }

  /** Waits for an event after a place of the sandbox's stream, at most for so long. */
  async waitForEvents(place: number, waitMs: number): Promise<News> {
    return (await this.#open()).waitForEvents(place, waitMs);
  }

  /** Writes the book's digest now, without waiting for its hour. */
  async report(): Promise<void> {
    return (await this.#open()).report();
  }

  /**
   * Sets the book back to a time. Returns the bookmark that undoes it. The caller then calls
   * `restart`, because the restore happens when the object starts again.
   */
  async restore(atMs: number): Promise<string> {
    return (await this.#open()).restore(atMs);
  }

  restart(): void {
    this.ctx.abort('restore');
  }

  override async alarm(): Promise<void> {
    return (await this.#open()).alarm();
  }
}
