import type { NamedKey } from './key-ring.ts';

/**
 * Imports each key once per isolate. Caches keys, never promises: a request that awaits a promise
 * of another request hangs when the runtime ends that other request.
 */
export function importOnce(
  importKey: (key: NamedKey) => Promise<CryptoKey>,
): (key: NamedKey) => Promise<CryptoKey> {
  const imported = new WeakMap<NamedKey, CryptoKey>();
  return async (key) => {
    const known = imported.get(key);
    if (known !== undefined) {
      return known;
    }
    const fresh = await importKey(key);
    imported.set(key, fresh);
    return fresh;
  };
}
