import { prepare } from '../kit/platform/database.ts';

/** What this gateway lacks of its backup, which may be the only copy then. */

/** Whether a restore is under way: a payment that is missing here may still come from the bucket. */
export async function isRestoring(db: D1Database): Promise<boolean> {
  const sql = 'SELECT 1 FROM restore WHERE finished_at_ms IS NULL';
  return (await prepare(db, { sql, params: [] }).first()) !== null;
}

/**
 * Whether this gateway has less than its bucket may have: it is empty, or a restore is under way. It
 * makes no backup then. Its copy would be the newest, and older ones would be deleted.
 */
export async function isIncomplete(db: D1Database): Promise<boolean> {
  const sql = 'SELECT 1 FROM merchants LIMIT 1';
  const first = await prepare(db, { sql, params: [] }).first();
  return first === null || isRestoring(db);
}
