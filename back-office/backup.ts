import { databaseFacts, readPage } from '../src/backup/pages.ts';
import { AUDIT_LOG, type ExportedTable } from '../src/backup/tables.ts';
import type { BackOfficeEnv } from './env.ts';
import { paymentsPlane } from './payments-plane.ts';

/** The daily export of the back office's database, which the payments plane writes to the bucket. */

/** In the order of src/backup/tables.ts. */
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

/** Exports what is left of today's run. `isExtra`: begins another one if today's has ended. */
export async function exportDatabase(
  env: Pick<BackOfficeEnv, 'BACK_OFFICE_DB' | 'PAYMENTS'>,
  { isExtra = false, pagesMax = PAGES_MAX } = {},
): Promise<void> {
  const { backups } = paymentsPlane(env);
  const facts = await databaseFacts(env.BACK_OFFICE_DB, BACK_OFFICE_TABLES);
  const progress = await backups.takeRun(facts, isExtra);
  let place = progress?.place ?? null;
  for (let pages = 0; progress !== null && pages < pagesMax; pages += 1) {
    const page = await readPage(env.BACK_OFFICE_DB, BACK_OFFICE_TABLES, place, progress);
    await backups.storePage(progress.run, page);
    if (page.next === null) {
      return;
    }
    place = page.next;
  }
}
