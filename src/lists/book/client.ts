import { placementOf } from '../../engine/config.ts';
import { objectClient } from '../../kit/platform/object-call.ts';
import { objectsIn } from '../../kit/platform/objects.ts';
import type { Tenant } from '../../kit/tenant.ts';
import type { OpenBook } from './open-book.ts';
import type { Answer, QuestionArguments, QuestionName } from './questions.ts';
import { bookName } from './schema.ts';

export type BookClient = ReturnType<typeof bookOf>;

/**
 * Calls one volume of a tenant's book. Each method throws ObjectUnavailable. Without a location hint
 * of the operator, a payment's object makes the first call, and the platform places a new object near
 * its caller, so the book is near the merchant's servers.
 */
export function bookOf(env: Env, tenant: Tenant, volume: number) {
  const books = objectsIn(env.MERCHANT_BOOK, placementOf(env));
  const id = books.idFromName(bookName(tenant, volume));
  const book = objectClient<OpenBook & { restart(): void }>(() => books.get(id));
  const own = {
    /** Null when the book has no payment yet. */
    ask: async <Name extends QuestionName>(name: Name, ...args: QuestionArguments<Name>) =>
      (await book.ask(name, args)) as Answer<Name> | null,

    /** Restores the book to a time. Returns the bookmark that undoes it; null: the platform cannot. */
    async restore(atMs: number): Promise<string | null> {
      const bookmark = await book.restore(atMs);
      if (bookmark === null) {
        return null;
      }
      // The restart aborts the object, so the call never gets an answer.
      await book.restart().catch(() => undefined);
      return bookmark;
    },
  };
  // Its other methods are those of the object.
  const client: typeof own & Omit<typeof book, keyof typeof own | 'restart'> = Object.assign(
    Object.create(book),
    own,
  );
  return client;
}
