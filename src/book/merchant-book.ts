import { DurableObject } from 'cloudflare:workers';
import { placementOf } from '../config.ts';
import type { Applied, ProjectionMessage } from '../intent/book-message.ts';
import type { News } from './listeners.ts';
import type { OpenBook } from './open-book.ts';
import type { Answer, QuestionArguments, QuestionName } from './questions.ts';

/**
 * A book is the read model of one merchant's payments, refunds and events in one environment, or of
 * one volume of them. The payments' objects feed it and can rebuild it. No method takes a tenant,
 * so no question can reach another tenant's rows. `OpenBook` says what the methods do.
 */
export class MerchantBook extends DurableObject<Env> {
  #book: OpenBook | null = null;

  /** The isolate loads the code with the first call, and no payment waits for it. */
  async #open(): Promise<OpenBook> {
    // A payment whose gateway has another jurisdiction must not fill a new, second book.
    const { checkJurisdiction } = await import('../platform/jurisdiction.ts');
    await checkJurisdiction(this.env.DB, placementOf(this.env));
    const { OpenBook } = await import('./open-book.ts');
    this.#book ??= new OpenBook(this.ctx, this.env);
    return this.#book;
  }

  async apply(message: ProjectionMessage): Promise<Applied> {
    return (await this.#open()).apply(message);
  }

  async ask<Name extends QuestionName>(
    name: Name,
    args: QuestionArguments<Name>,
  ): Promise<Answer<Name> | null> {
    return (await this.#open()).ask(name, args);
  }

  async erase(id: number, uniqueId: string): Promise<void> {
    return (await this.#open()).erase(id, uniqueId);
  }

  async waitForEvents(place: number, waitMs: number): Promise<News> {
    return (await this.#open()).waitForEvents(place, waitMs);
  }

  async report(): Promise<void> {
    return (await this.#open()).report();
  }

  async backUp(): Promise<boolean> {
    return (await this.#open()).backUp();
  }

  async settleBackup(): Promise<void> {
    return (await this.#open()).settleBackup();
  }

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
