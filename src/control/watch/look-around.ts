import type { Standing } from '../../engine/alerts/standing.ts';
import { secretEndsOf } from '../../engine/config.ts';
import { DAY_MS } from '../../engine/domain/schedule.ts';
import { isNearlyFull, prepare } from '../../kit/platform/database.ts';
import { errorText, log } from '../../kit/platform/log.ts';
import { hasBucket } from '../../recovery/backup/bucket.ts';
import { lastFinishedMs } from '../../recovery/backup/runs.ts';
import { isIncomplete } from '../../recovery/incomplete.ts';
import type { Look } from '../alerts/looks.ts';
import { letterStandings } from '../dead-letters/consume.ts';
import { MESSAGE_QUEUES, type MessageQueue } from '../dead-letters/queues.ts';
import { queueHealth } from '../health/health.ts';
import { checkDailyRun, DAILY_RUN_MS_MAX } from '../self-check/findings.ts';
import { checkBackup, selfCheckStandings } from '../self-check/run.ts';
import { tellMerchants } from './tell-merchants.ts';

/** What the object of the alerts looks at itself. */

/**
 * A message that is older waits for more than a busy endpoint or a short outage: an endpoint without a
 * free place returns its message for half a minute, and a report whose object is out of reach comes
 * again after one minute, then after two more.
 */
const MESSAGE_AGE_MS_MAX: Readonly<Record<MessageQueue, number>> = {
  'kefel-provider-reports': 5 * 60_000,
  'kefel-webhooks': 10 * 60_000,
  'kefel-webhook-retries': 10 * 60_000,
};

/** One lost query is no outage. */
const DATABASE_AGAIN_MS = 1_000;

/** A new certificate of a provider may take weeks. */
const WARNED_BEFORE_END_MS = 30 * DAY_MS;

/** Looks at everything that reports nothing by itself. Never throws. */
export async function lookAround(env: Env, nowMs: number): Promise<readonly Look[]> {
  const [databaseBytes, queues] = await Promise.all([sizeOf(env.DB), lookAtQueues(env, nowMs)]);
  if (databaseBytes !== null) {
    await tellMerchants(env, nowMs);
  }
  return [
    { source: 'look/database', standings: databaseStandings(databaseBytes, nowMs) },
    { source: 'look/queues', standings: queues },
    { source: 'look/keys', standings: endingSecrets(env, nowMs) },
    ...(databaseBytes === null ? [] : await lookInDatabase(env, nowMs)),
  ];
}

/** While D1 fails, what these found before still stands. */
function lookInDatabase(env: Env, nowMs: number): Promise<readonly Look[]> {
  const finds: readonly [Look['source'], () => Promise<Look['standings']>][] = [
    ['look/daily_runs', () => lookAtDailyRuns(env, nowMs)],
    ['dead_letters', () => letterStandings(env.DB)],
    ['self_check', () => selfCheckStandings({ env, nowMs })],
  ];
  return Promise.all(
    finds.map(async ([source, find]) => {
      const standings = await find().catch((error: unknown) => {
        log('warn', 'look_failed', { source, error: errorText(error) });
        return null;
      });
      return { source, standings };
    }),
  );
}

/** Null when D1 does not answer twice. Its own time limit for a query ends each try. */
async function sizeOf(db: D1Database): Promise<number | null> {
  const ask = async () => {
    const { meta } = await prepare(db, { sql: 'SELECT 1', params: [] }).run();
    return meta.size_after;
  };
  return ask().catch(async () => {
    await scheduler.wait(DATABASE_AGAIN_MS);
    return ask().catch(() => null);
  });
}

function databaseStandings(bytes: number | null, nowMs: number): readonly Standing[] {
  if (bytes !== null && !isNearlyFull(bytes)) {
    return [];
  }
  const detail = bytes === null ? 'no_answer' : 'nearly_full';
  return [{ subject: 'database_failing', count: 1, sinceAtMs: nowMs, detail }];
}

/** Null when a queue does not tell its age. */
async function lookAtQueues(env: Env, nowMs: number): Promise<Look['standings']> {
  const queues = await Promise.all(MESSAGE_QUEUES.map((queue) => queueHealth(env, queue)));
  if (queues.some(({ unknown }) => unknown !== null)) {
    return null;
  }
  return queues.flatMap(({ queue, backlog, oldestAtMs }): readonly Standing[] =>
    oldestAtMs === null || nowMs - oldestAtMs <= MESSAGE_AGE_MS_MAX[queue]
      ? []
      : [
          {
            subject: 'messages_waiting',
            // Cloudflare counts approximately.
            count: Math.max(backlog ?? 0, 1),
            sinceAtMs: oldestAtMs,
            detail: queue,
          },
        ],
  );
}

/** The runs of the payments plane, and the back office's backup, which the plane writes. */
async function lookAtDailyRuns(env: Env, nowMs: number): Promise<readonly Standing[]> {
  const [purge, backup, backOfficeAtMs] = await Promise.all([
    checkDailyRun(env.DB, 'purge', nowMs),
    checkBackup(env, nowMs),
    backOfficeBackupAtMs(env),
  ]);
  // Before its first backup, the gateway may have no back office.
  const isBackOfficeLate = backOfficeAtMs !== null && nowMs - backOfficeAtMs > DAILY_RUN_MS_MAX;
  const late = [
    ...(purge.state === 'wrong' ? ['purge'] : []),
    ...(backup.state === 'wrong' ? ['backup'] : []),
    ...(isBackOfficeLate ? ['back-office backup'] : []),
  ];
  return late.map((detail) => ({ subject: 'daily_run_late', count: 1, sinceAtMs: nowMs, detail }));
}

/** Null for a gateway that makes no backup. */
async function backOfficeBackupAtMs(env: Env): Promise<number | null> {
  const makesNone = !hasBucket(env) || (await isIncomplete(env.DB));
  return makesNone ? null : lastFinishedMs(env.DB, 'back-office');
}

/** Secrets that end within a month, or have ended. A malformed list is one of them: it warns of none. */
function endingSecrets(env: Env, nowMs: number): readonly Standing[] {
  const standing = (detail: string, sinceAtMs: number): Standing => {
    return { subject: 'keys_ending', count: 1, sinceAtMs, detail };
  };
  try {
    return secretEndsOf(env)
      .map(({ name, endsAtMs }) => standing(name, endsAtMs - WARNED_BEFORE_END_MS))
      .filter(({ sinceAtMs }) => sinceAtMs <= nowMs);
  } catch {
    return [standing('SECRET_ENDS', nowMs)];
  }
}
