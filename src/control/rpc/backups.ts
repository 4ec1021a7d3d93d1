import { hasBucket } from '../../recovery/backup/bucket.ts';
import type { DatabaseFacts, TablePage } from '../../recovery/backup/pages.ts';
import type { HeldPlace, HeldRun } from '../../recovery/backup/runs.ts';
import * as runs from '../../recovery/backup/runs.ts';
import { AUDIT_LOG } from '../../recovery/backup/tables.ts';
import { isIncomplete } from '../../recovery/incomplete.ts';
import type { Plane } from './plane.ts';

/**
 * The daily backup of the back office's database, which has no access to the bucket: its rows become
 * parts below `databases/back-office/` alone.
 */

/** An operator may want a backup at once. An intruder could fill the bucket with one after another. */
const EXTRA_AFTER_MS = 60_000;
/** Far more entries than one run can have. An intruder's end near 2^53 would leave no later entry one. */
const NEW_ENTRIES_MAX = 1_000_000_000;

/**
 * Begins or continues today's run of the back office's database. `isExtra`: begins another one if
 * today's has ended. `busy`, if the last one ended just now: it may lack what has changed since.
 */
export async function takeRun({ env, nowMs }: Plane, facts: DatabaseFacts, isExtra: boolean) {
  if (!hasBucket(env) || (await isIncomplete(env.DB))) {
    return { state: 'done' as const };
  }
  const { tables, auditToId } = facts;
  // One of another version, or of an intruder, whose tables the back office cannot continue.
  await runs.dropOtherRun(env.DB, 'back-office', tables);
  const exported = await runs.lastAuditId(env.DB, 'back-office');
  if (auditToId < exported) {
    throw new Error(`the audit log ends at ${auditToId}, but is backed up until ${exported}`);
  }
  if (auditToId > exported + NEW_ENTRIES_MAX) {
    throw new Error(`the audit log cannot end at ${auditToId}`);
  }
  const known = async () => facts;
  const finishedAtMs = await runs.lastFinishedMs(env.DB, 'back-office');
  const isTooEarly = isExtra && (finishedAtMs ?? 0) > nowMs - EXTRA_AFTER_MS;
  const mayBeExtra = isExtra && !isTooEarly;
  const taken = await runs.takeRun(env.DB, 'back-office', known, { nowMs, isExtra: mayBeExtra });
  if (taken.state === 'done' && isTooEarly) {
    return { state: 'busy' as const };
  }
  if (taken.state === 'taken' && taken.progress.place?.table === runs.END) {
    // The call that stored its last page died before it ended the run.
    await runs.finishRun(env.DB, 'back-office', taken.progress.run, nowMs);
    return { state: 'done' as const };
  }
  return taken;
}

/** Writes one page of the run. The last page ends it. Returns the new lease. */
export async function storePage({ env, nowMs }: Plane, held: HeldRun, page: TablePage) {
  const { table, part, rows, next } = page;
  const place = await runs.heldPlace(env.DB, 'back-office', held);
  if (place === null) {
    throw new Error('not the run in progress');
  }
  if (!isNextPage(place, page)) {
    throw new Error('not the next page of this run');
  }
  const lease = await runs.storePage(env, 'back-office', held, { table, part, rows, next });
  if (next === null) {
    await runs.finishRun(env.DB, 'back-office', held.run, nowMs);
  }
  return lease;
}

/** Only what follows: a part that is stored never changes, not even by the back office. */
function isNextPage(held: HeldPlace, { table, part, rows, next }: TablePage): boolean {
  const { tables, auditFromId, auditToId } = held;
  const place = held.place ?? { table: tables[0], part: 1, after: null };
  const following = tables[tables.indexOf(table) + 1];
  const goesOn =
    next?.table === table
      ? next.part === part + 1
      : next?.table === following && (next === null || (next.part === 1 && next.after === null));
  if (table !== place.table || part !== place.part || !goesOn) {
    return false;
  }
  if (table !== AUDIT_LOG.table) {
    return true;
  }
  const ids = [place.after?.[0] ?? auditFromId, ...rows.map(({ id }) => id)].map(Number);
  const areInOrder = ids.every(
    (id, index) => Number.isSafeInteger(id) && id <= auditToId && id > (ids[index - 1] ?? -1),
  );
  return areInOrder && (next === null || Number(next.after?.[0]) === ids.at(-1));
}
