import { hasBucket } from '../backup/bucket.ts';
import type { DatabaseFacts, TablePage } from '../backup/pages.ts';
import * as runs from '../backup/runs.ts';
import type { Plane } from './plane.ts';

/**
 * The daily backup of the back office's database, which has no access to the bucket: its rows become
 * parts below `databases/back-office/` alone.
 */

/** More than the back office has, so that an intruder there cannot fill the bucket or the database. */
const TABLES_MAX = 50;
const MIGRATIONS_MAX = 500;
const PARTS_MAX = 10_000;
const ROWS_MAX = 2_000;
const CHARACTERS_MAX = 4_000_000;

const TABLE = /^[a-z][a-z_]{0,63}$/;

/** An operator may want a backup at once. An intruder could fill the bucket with one after another. */
const EXTRA_AFTER_MS = 60_000;

/**
 * Begins or continues today's run of the back office's database. Null when there is nothing to do.
 * `isExtra`: begins another one if today's has ended.
 */
export async function takeRun({ env, nowMs }: Plane, facts: DatabaseFacts, isExtra: boolean) {
  const { migrations, tables, auditToId } = facts;
  const isSane =
    tables.length <= TABLES_MAX &&
    tables.every((table) => TABLE.test(table)) &&
    migrations.length <= MIGRATIONS_MAX &&
    migrations.every((name) => typeof name === 'string' && name.length <= 200) &&
    Number.isSafeInteger(auditToId);
  if (!isSane) {
    throw new Error('not the facts of a database');
  }
  if (!hasBucket(env)) {
    return null;
  }
  const known = async () => ({ migrations, tables, auditToId });
  const finishedAtMs = await runs.lastFinishedMs(env.DB, 'back-office');
  const mayBeExtra = isExtra && (finishedAtMs ?? 0) <= nowMs - EXTRA_AFTER_MS;
  return runs.takeRun(env.DB, 'back-office', known, { nowMs, isExtra: mayBeExtra });
}

/** Writes one page of the run. The last page ends it. */
export async function storePage({ env, nowMs }: Plane, run: string, page: TablePage) {
  const { table, part, rows, next } = page;
  const isSane =
    TABLE.test(table) &&
    Number.isSafeInteger(part) &&
    part > 0 &&
    part <= PARTS_MAX &&
    Array.isArray(rows) &&
    rows.length <= ROWS_MAX &&
    JSON.stringify([rows, next]).length <= CHARACTERS_MAX;
  if (!isSane) {
    throw new Error('not a page of a database');
  }
  const current = await runs.currentRun(env.DB, 'back-office', nowMs);
  if (current !== run) {
    throw new Error('not the run in progress');
  }
  await runs.storePage(env, 'back-office', { run }, { table, part, rows, next }, nowMs);
  if (next === null) {
    await runs.finishRun(env.DB, 'back-office', run, nowMs);
  }
}
