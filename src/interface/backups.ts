import { hasBucket } from '../backup/bucket.ts';
import { isIncomplete } from '../backup/incomplete.ts';
import type { AuditRange, DatabaseFacts, TablePage } from '../backup/pages.ts';
import type { HeldRun } from '../backup/runs.ts';
import * as runs from '../backup/runs.ts';
import { AUDIT_LOG } from '../backup/tables.ts';
import type { Plane } from './plane.ts';

/**
 * The daily backup of the back office's database, which has no access to the bucket: its rows become
 * parts below `databases/back-office/` alone.
 */

/** An operator may want a backup at once. An intruder could fill the bucket with one after another. */
const EXTRA_AFTER_MS = 60_000;

/**
 * Begins or continues today's run of the back office's database. `isExtra`: begins another one if
 * today's has ended.
 */
export async function takeRun({ env, nowMs }: Plane, facts: DatabaseFacts, isExtra: boolean) {
  if (!hasBucket(env) || (await isIncomplete(env.DB))) {
    return { state: 'done' as const };
  }
  const known = async () => facts;
  const finishedAtMs = await runs.lastFinishedMs(env.DB, 'back-office');
  const mayBeExtra = isExtra && (finishedAtMs ?? 0) <= nowMs - EXTRA_AFTER_MS;
  return runs.takeRun(env.DB, 'back-office', known, { nowMs, isExtra: mayBeExtra });
}

/** Writes one page of the run. The last page ends it. Returns the new lease. */
export async function storePage({ env, nowMs }: Plane, held: HeldRun, page: TablePage) {
  const { table, part, rows, next } = page;
  const range = await runs.heldRange(env.DB, 'back-office', held);
  if (range === null) {
    throw new Error('not the run in progress');
  }
  // An earlier part of the audit log never changes, not even by the back office.
  if (table === AUDIT_LOG.table && !rows.every(({ id }) => isBetween(Number(id), range))) {
    throw new Error('not entries of this run');
  }
  const lease = await runs.storePage(env, 'back-office', held, { table, part, rows, next });
  if (next === null) {
    await runs.finishRun(env.DB, 'back-office', held.run, nowMs);
  }
  return lease;
}

function isBetween(id: number, { auditFromId, auditToId }: AuditRange): boolean {
  return Number.isSafeInteger(id) && auditFromId < id && id <= auditToId;
}
