import type { Tenant } from '../domain/intent.ts';
import type { Applied, ProjectionMessage } from '../intent/protocol.ts';
import { callObject, type ObjectRpc } from '../platform/object-call.ts';
import { bookName, type MerchantBook } from './merchant-book.ts';

/**
 * One volume of a tenant's book. Without a location hint: the first call comes from a payment's
 * object, which lives near the merchant's servers, and the platform places a new object near its
 * caller.
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

  #call<T>(method: (stub: ObjectRpc<MerchantBook>) => Promise<T>): Promise<T> {
    const namespace = this.#env.MERCHANT_BOOK;
    return callObject(() => namespace.get(namespace.idFromName(this.#name)), method);
  }
}
