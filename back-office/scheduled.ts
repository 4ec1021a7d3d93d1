import { PURGE_ADDRESSES } from '../src/kit/audit/log.ts';
import { finishDailyRun } from '../src/kit/platform/daily-runs.ts';
import { purgeAged } from '../src/kit/platform/purge-database.ts';
import { memberRetentionOf } from './config.ts';
import type { BackOfficeEnv } from './env.ts';

/** With the address and browser of a sign-in. */
const PURGE_SESSIONS = `DELETE FROM sessions WHERE digest IN (
  SELECT digest FROM sessions WHERE expires_at_ms <= ?1 LIMIT ?2)`;

/** Deletes members' old personal data (docs/retention.md). Runs daily. */
export async function runDaily(env: BackOfficeEnv, nowMs: number): Promise<void> {
  const { sessionMs, auditAddressMs } = memberRetentionOf(env);
  const purges = {
    sessions: { keptMs: sessionMs, statements: [PURGE_SESSIONS] },
    auditAddresses: { keptMs: auditAddressMs, statements: [PURGE_ADDRESSES] },
  };
  const purged = await purgeAged(env.BACK_OFFICE_DB, purges, nowMs);
  await finishDailyRun(env.BACK_OFFICE_DB, 'purge', purged, nowMs);
}
