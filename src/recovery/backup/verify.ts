import type { Gateway, Target } from '../../control/operator/call.ts';
import { prepare } from '../../kit/platform/database.ts';
import { manifestOf } from './actions.ts';
import { namesAfter, readPart } from './bucket.ts';
import type { BookBackup } from './manifest.ts';
import { type Found, type Parts, verifyPage } from './verify-parts.ts';

/** Verifies a backup in the bucket, in pages. */
export async function verifyBackup(
  { env }: Pick<Gateway, 'env'>,
  target: Target,
  { after = '' }: Readonly<Record<string, string>>,
): Promise<Found> {
  return verifyPage(bucketParts(env), await manifestOf(env, target.run), after);
}

function bucketParts(env: Env): Parts {
  return {
    namesAfter: async (prefix, after) =>
      (await namesAfter(env, prefix, after)).map(({ key }) => key),
    open: async (name) => (await readPart(env, name))?.lines ?? null,
    firstKept: (book) => firstKept(env, book),
  };
}

/** The book may have deleted its oldest parts since the run, and has reported that. */
async function firstKept(env: Env, book: BookBackup): Promise<number> {
  const { environment, merchantId, volume, generation, firstSequence } = book;
  const sql = `SELECT digest ->> '$.backup.firstSequence' AS sequence FROM book_digest
    WHERE environment = ?1 AND merchant_id = ?2 AND volume = ?3
      AND digest ->> '$.backup.generation' = ?4`;
  const params = [environment, merchantId, volume, generation];
  const sequence = await prepare(env.DB, { sql, params }).first<number>('sequence');
  return Math.max(firstSequence, sequence ?? 0);
}
