import { retentionOf } from '../../engine/config.ts';
import { log } from '../../kit/platform/log.ts';
import {
  allNames,
  asking,
  BACKUP_KEPT_MS,
  bucketOf,
  readIfWhole,
  rewritePart,
  writtenAtMsOf,
} from './bucket.ts';
import { type RowLine, withoutAddresses } from './manifest.ts';
import {
  auditPrefix,
  DATABASES,
  type DatabaseName,
  MANIFESTS_PREFIX,
  runOfPart,
  runTimeMs,
} from './names.ts';

/** Deletes what daily runs have written, once it is too old. */

/** R2 deletes so many names in one call. */
const DELETED_AT_ONCE = 1_000;

/** Deletes the parts of runs older than BACKUP_KEPT_MS, except those that the newest manifest names. */
export async function purgeBackups(
  env: Env,
  nowMs: number,
  newest: Readonly<Record<DatabaseName, string | null>>,
): Promise<void> {
  const kept = {
    ...Object.fromEntries(DATABASES.map((name) => [`databases/${name}/`, newest[name]])),
    'registers/': newest.payments,
    [MANIFESTS_PREFIX]: newest.payments,
  };
  for (const [prefix, keptRun] of Object.entries(kept)) {
    const expired: string[] = [];
    for await (const { key } of allNames(env, prefix)) {
      const run = runOfPart(key);
      const startedAtMs = run === null ? null : runTimeMs(run);
      const isOld = startedAtMs !== null && startedAtMs <= nowMs - BACKUP_KEPT_MS;
      if (isOld && run !== keptRun) {
        expired.push(key);
      }
    }
    for (let done = 0; done < expired.length; done += DELETED_AT_ONCE) {
      await asking(bucketOf(env).delete(expired.slice(done, done + DELETED_AT_ONCE)));
    }
  }
  await purgeAddresses(env, nowMs);
}

/** The addresses of an audit log go, as they do in the database; its entries stay. */
async function purgeAddresses(env: Env, nowMs: number): Promise<void> {
  const untilMs = nowMs - retentionOf(env).auditAddressMs - BACKUP_KEPT_MS;
  for (const database of DATABASES) {
    for await (const object of allNames(env, auditPrefix(database))) {
      const atMs = writtenAtMsOf(object);
      if (atMs === null || atMs > untilMs) {
        continue;
      }
      const { part, differences } = await readIfWhole<RowLine>(env, object.key);
      if (part === null) {
        log('warn', 'backup_part_unreadable', { name: object.key, error: differences.join() });
      } else {
        await rewritePart(env, object.key, withoutAddresses(part.lines), {
          ...part,
          writtenAtMs: null,
        });
      }
    }
  }
}
