import { uuidV7TimeMs } from '../../kit/crypto/uuid-v7.ts';
import { asking, bucketOf } from '../backup/bucket.ts';
import type { BookBackup, Manifest } from '../backup/manifest.ts';
import { PAYMENTS_PREFIX, parsePaymentsPart, paymentsPrefix } from '../backup/names.ts';

/**
 * Books with parts that the manifest does not name: they began to back up after the run, or could not
 * tell it so. Their payments are restored, too.
 */

/** Each is a call of the bucket, and a Worker may make a thousand. */
const BOOKS_PER_STEP = 200;

/** After each name with the prefix of a book. */
const LAST = '~';

export interface UnnamedBook {
  /** Null: none before `after`. */
  readonly book: BookBackup | null;
  /** The prefix of the last book that was passed; null: all were. */
  readonly after: string | null;
}

/** Passes a bounded number of books that the manifest names, up to the first that it does not. */
export async function nextUnnamedBook(
  env: Env,
  { books }: Manifest,
  from: string,
): Promise<UnnamedBook> {
  const named = new Set(books.map((book) => paymentsPrefix(book)));
  let after = from;
  for (let passed = 0; passed < BOOKS_PER_STEP; passed += 1) {
    const startAfter = after === '' ? {} : { startAfter: `${after}${LAST}` };
    const listed = await asking(
      bucketOf(env).list({ prefix: PAYMENTS_PREFIX, limit: 1, ...startAfter }),
    );
    const [first] = listed.objects;
    if (first === undefined) {
      return { book: null, after: null };
    }
    const part = parsePaymentsPart(first.key);
    const prefix = part === null ? first.key : paymentsPrefix(part);
    if (part !== null && !named.has(prefix)) {
      const { environment, merchantId, volume, generation } = part;
      const known = { generation: '', firstSequence: 1, lastSequence: 0, payments: 0 };
      const atMs = uuidV7TimeMs(generation) ?? 0;
      return { book: { environment, merchantId, volume, ...known, atMs }, after };
    }
    after = prefix;
  }
  return { book: null, after };
}
