import type { Tenant } from '../domain/intent.ts';
import type { Applied, ProjectionMessage } from '../intent/protocol.ts';
import { callObject, type ObjectRpc } from '../platform/object-call.ts';
import type { News } from './listeners.ts';
import type { MerchantBook } from './merchant-book.ts';
import { bookName } from './name.ts';
import type { Answer, QuestionArguments, QuestionName } from './questions.ts';

/**
 * One volume of a tenant's book, without a location hint. A payment's object makes the first call,
 * and the platform places a new object near its caller, so the book is near the merchant's servers.
 */
export function bookOf(env: Env, tenant: Tenant, volume: number): BookClient {
  return new BookClient(env, bookName(tenant, volume));
}

/** Calls a book. Throws ObjectUnavailable. */
export class BookClient {
  readonly #env: Env;
  readonly #name: string;

  constructor(env: Env, name: string) {
    this.#env = env;
    this.#name = name;
  }

  apply(message: ProjectionMessage): Promise<Applied> {
    return this.#call((stub) => stub.apply(message));
  }

  report(): Promise<void> {
    return this.#call((stub) => stub.report());
  }

  /** Restores the book to a time. Returns the bookmark that undoes the restore. */
  async restore(atMs: number): Promise<string> {
    const bookmark = await this.#call((stub) => stub.restore(atMs));
    // The restart aborts the object, so the call never gets an answer.
    await this.#call((stub) => stub.restart()).catch(() => undefined);
    return bookmark;
  }

  waitForEvents(place: number, waitMs: number): Promise<News> {
    return this.#call((stub) => stub.waitForEvents(place, waitMs));
  }

  /** Null when the book has no payment yet. */
  ask<Name extends QuestionName>(
    name: Name,
    ...args: QuestionArguments<Name>
  ): Promise<Answer<Name> | null> {
    return this.#call(async (stub) => (await stub.ask(name, args)) as Answer<Name> | null);
  }

  #call<T>(method: (stub: ObjectRpc<MerchantBook>) => Promise<T>): Promise<T> {
    const namespace = this.#env.MERCHANT_BOOK;
    return callObject(() => namespace.get(namespace.idFromName(this.#name)), method);
  }
}
