import { PURGE_ADDRESSES } from '../src/audit/log.ts';
import { RETENTION_MS } from '../src/domain/schedule.ts';
import { finishDailyRun } from '../src/platform/daily-runs.ts';
import { purgeUntil } from '../src/platform/purge-database.ts';
import type { BackOfficeEnv } from './env.ts';

const PURGES = {
  // With the address and browser of a sign-in.
  sessions: [
    `DELETE FROM sessions WHERE digest IN (
      SELECT digest FROM sessions WHERE expires_at_ms <= ?1 LIMIT ?2)`,
  ],
  auditAddresses: [PURGE_ADDRESSES],
} as const;

/** Deletes members' old personal data (docs/decisions.md#24). Runs daily. */
export async function runDaily(
  { BACK_OFFICE_DB: database }: Pick<BackOfficeEnv, 'BACK_OFFICE_DB'>,
  nowMs: number,
): Promise<void> {
  const purged = await purgeUntil(database, PURGES, nowMs - RETENTION_MS);
  await finishDailyRun(database, 'purge', purged, nowMs);
}
