import type { NamedKey } from '../config.ts';

/**
 * Imports each key once per isolate. Keeps keys, never their promises: a request must not wait for
 * another's I/O, which may have ended with it.
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
