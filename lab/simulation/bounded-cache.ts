import { BoundedCache as IsolateCache } from '../../src/kit/platform/bounded-cache.ts';

/**
 * Takes the place of `src/kit/platform/bounded-cache.ts` in the bundle: each history begins in a new
 * isolate, whose memory knows nothing of the process's histories before.
 */

const caches: IsolateCache<unknown>[] = [];

export class BoundedCache<Value> extends IsolateCache<Value> {
  constructor(...limits: ConstructorParameters<typeof IsolateCache<Value>>) {
    super(...limits);
    caches.push(this as IsolateCache<unknown>);
  }
}

export function forgetCaches(): void {
  for (const cache of caches) {
    cache.clear();
  }
}
