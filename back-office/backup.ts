import { databaseFacts, readPage } from '../src/recovery/backup/pages.ts';
import { AUDIT_LOG, type ExportedTable } from '../src/recovery/backup/tables.ts';
import type { BackOfficeEnv } from './env.ts';
import { paymentsPlane } from './payments-plane.ts';

/** The daily export of the back office's database, which the payments plane writes to the bucket. */

/** In the order of src/recovery/backup/tables.ts. */
export const BACK_OFFICE_TABLES: readonly ExportedTable[] = [
  { table: 'passkeys', key: ['credential_id'], pageRows: 300 },
  { table: 'invitations', key: ['digest'], pageRows: 1_000 },
  { table: 'members', key: ['id'], pageRows: 1_000 },
  AUDIT_LOG,
];

/** The tables that it leaves out, and why a restored gateway does not need them. */
export const BACK_OFFICE_TABLES_LEFT_OUT: Readonly<Record<string, string>> = {
  sessions: 'members sign in again, and a stolen backup revives no session',
  daily_runs: 'the next daily run writes it again',
  spent_challenges: 'challenges expire within minutes',
};

/** A call of the payments plane each; the next cron continues. */
const PAGES_MAX = 200;

/**
 * Exports what is left of today's run. `isExtra`: begins another one if today's has ended. False when
 * something is left, or another call works on it.
 */
export async function exportDatabase(
  env: Pick<BackOfficeEnv, 'BACK_OFFICE_DB' | 'PAYMENTS'>,
  { isExtra = false, pagesMax = PAGES_MAX } = {},
): Promise<boolean> {
  const { backups } = paymentsPlane(env);
  const db = env.BACK_OFFICE_DB;
  const taken = await backups.takeRun(await databaseFacts(db, BACK_OFFICE_TABLES), isExtra);
  if (taken.state !== 'taken') {
    return taken.state === 'done';
  }
  let { place, lease } = taken.progress;
  const { run } = taken.progress;
  for (let pages = 0; pages < pagesMax; pages += 1) {
    const page = await readPage(db, BACK_OFFICE_TABLES, place, taken.progress);
    lease = await backups.storePage({ run, lease }, page);
    if (page.next === null) {
      return true;
    }
    place = page.next;
  }
  return false;
}
