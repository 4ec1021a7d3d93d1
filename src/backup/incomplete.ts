import { prepare } from '../platform/database.ts';

/** What this gateway lacks of its backup, which may be the only copy then. */

/** Whether a restore is under way: a payment that is missing here may still come from the bucket. */
export async function isRestoring(db: D1Database): Promise<boolean> {
  const sql = 'SELECT 1 FROM restore WHERE finished_at_ms IS NULL';
  return (await prepare(db, { sql, params: [] }).first()) !== null;
}
