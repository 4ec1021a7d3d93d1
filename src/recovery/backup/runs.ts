import { batch, prepare, type SqlStatement } from '../../kit/platform/database.ts';
import { BackupUnavailable, readIfWhole, writeNewPart, writePart } from './bucket.ts';
import {
  type DatabaseExport,
  type PartDigest,
  type RowLine,
  withoutAddresses,
} from './manifest.ts';
import { auditPartName, type DatabaseName, databasePartName, runAt } from './names.ts';
import type { AuditRange, DatabaseFacts, Place, TablePage } from './pages.ts';
import { digestOf } from './part.ts';
import { AUDIT_LOG } from './tables.ts';

/** The daily run of each database: where it is, and which parts it has written. */

/**
 * A step takes a second or two, and renews the lease. After this, its worker counts as dead, and the
 * next cron or operator continues.
 */
const LEASE_MS = 30_000;

/** The day of a run begins at 01:30 UTC, 04:30 in Addis Ababa, when few people pay. */
const DAY_MS = 24 * 60 * 60_000;
const DAY_BEGINS_MS = 90 * 60_000;

/** Who works on a run holds its lease, and each step replaces it. */
export interface HeldRun {
  readonly run: string;
  readonly lease: number;
}

/** A run in progress. */
export interface Progress extends AuditRange, HeldRun {
  /** Null: the beginning. */
  readonly place: Place | null;
}

interface RunRow {
  readonly run: string;
  readonly auditFromId: number;
  readonly auditToId: number;
  readonly place: string | null;
  readonly leasedUntilMs: number;
  readonly finishedAtMs: number | null;
}

const COLUMNS = `run, audit_from_id AS auditFromId, audit_to_id AS auditToId, place,
  leased_until_ms AS leasedUntilMs, finished_at_ms AS finishedAtMs`;

/** `done`: today's run has ended. `busy`: another call works on it, or has died just now. */
export type TakenRun =
  | { readonly state: 'taken'; readonly progress: Progress }
  | { readonly state: 'done' | 'busy' };

/**
 * Begins the run of the day, or continues one that has not ended. `isExtra`: begins one even if
 * today's has ended.
 */
export async function takeRun(
  db: D1Database,
  database: DatabaseName,
  facts: () => Promise<DatabaseFacts>,
  { nowMs, isExtra }: { readonly nowMs: number; readonly isExtra: boolean },
): Promise<TakenRun> {
  const newest = await newestRun(db, database);
  if (newest === null || (newest.finishedAtMs !== null && (isExtra || isOver(newest, nowMs)))) {
    await insertRun(db, database, await facts(), nowMs);
  }
  const sql = `UPDATE backup_runs SET leased_until_ms = ?1 WHERE database = ?2
    AND finished_at_ms IS NULL AND leased_until_ms <= ?3 RETURNING ${COLUMNS}`;
  const params = [nowMs + LEASE_MS, database, nowMs];
  const [taken] = (await prepare(db, { sql, params }).all<RunRow>()).results;
  if (taken === undefined) {
    const now = await newestRun(db, database);
    return { state: now?.finishedAtMs === null ? 'busy' : 'done' };
  }
  const { run, auditFromId, auditToId, place, leasedUntilMs: lease } = taken;
  const known: Place | null = place === null ? null : JSON.parse(place);
  return { state: 'taken', progress: { run, auditFromId, auditToId, lease, place: known } };
}

function isOver({ finishedAtMs }: RunRow, nowMs: number): boolean {
  const dayOf = (atMs: number) => Math.floor((atMs - DAY_BEGINS_MS) / DAY_MS);
  return dayOf(finishedAtMs ?? 0) < dayOf(nowMs);
}

function newestRun(db: D1Database, database: DatabaseName): Promise<RunRow | null> {
  const sql = `SELECT ${COLUMNS} FROM backup_runs WHERE database = ? ORDER BY run DESC LIMIT 1`;
  return prepare(db, { sql, params: [database] }).first<RunRow>();
}

async function insertRun(
  db: D1Database,
  database: DatabaseName,
  { migrations, tables, auditToId }: DatabaseFacts,
  nowMs: number,
): Promise<void> {
  // Two calls may begin at the same time: the second one then continues the run of the first. The
  // range never ends before the last one: the next run would export earlier entries again.
  const sql = `INSERT INTO backup_runs (database, run, migrations, tables, audit_from_id, audit_to_id,
      place, leased_until_ms, finished_at_ms)
    SELECT ?1, ?2, ?3, ?4, COALESCE(MAX(audit_to_id), 0), MAX(?5, COALESCE(MAX(audit_to_id), 0)),
      NULL, 0, NULL
    FROM backup_runs WHERE database = ?1
    HAVING NOT EXISTS (SELECT 1 FROM backup_runs WHERE database = ?1 AND finished_at_ms IS NULL)
    ON CONFLICT DO NOTHING`;
  const lists = [JSON.stringify(migrations), JSON.stringify(tables)];
  await prepare(db, { sql, params: [database, runAt(nowMs), ...lists, auditToId] }).run();
}

/** Writes the rows of a page as a part, and then where the run continues. Returns the new lease. */
export async function storePage(
  env: Env,
  database: DatabaseName,
  held: HeldRun,
  { table, part, rows, next }: TablePage,
): Promise<number> {
  const written =
    rows.length === 0 ? [] : [await writeRows(env, database, held.run, { table, part, rows })];
  return commitStep(env.DB, database, held, { table, parts: written, next });
}

async function writeRows(
  env: Env,
  database: DatabaseName,
  run: string,
  { table, part, rows }: Omit<TablePage, 'next'>,
): Promise<PartDigest> {
  const nowMs = Date.now();
  if (table !== AUDIT_LOG.table) {
    return writePart(env, databasePartName(database, run, table, part), rows, nowMs);
  }
  const [from = 0, to = 0] = [rows[0]?.id, rows.at(-1)?.id].map(Number);
  const digest = { rows: rows.length, sha256: await digestOf(withoutAddresses(rows)) };
  const usual = auditPartName(database, from, to);
  // A database that was set back gives ids a second time: the run then makes the name another one.
  for (const name of [usual, `${usual}-${run}`]) {
    if (
      (await writeNewPart(env, name, rows, nowMs)) ||
      (await digestOfEntries(env, name)) === digest.sha256
    ) {
      return { name, ...digest };
    }
  }
  throw new BackupUnavailable(`the bucket has other entries as ${usual}`);
}

/** The manifest's digest of an audit log's part in the bucket; null for one that cannot be opened. */
async function digestOfEntries(env: Env, name: string): Promise<string | null> {
  const { part } = await readIfWhole<RowLine>(env, name);
  return part && digestOf(withoutAddresses(part.lines));
}

interface Step {
  readonly table: string;
  /** What the step has written. */
  readonly parts: readonly PartDigest[];
  /** Null: all tables are exported. */
  readonly next: Place | null;
}

/** Stores a step, or throws because the lease was lost. Returns the new lease. */
export async function commitStep(
  db: D1Database,
  database: DatabaseName,
  { run, lease }: HeldRun,
  { table, parts, next }: Step,
): Promise<number> {
  const place = JSON.stringify(next ?? { table: END, part: 1, after: null });
  // Never the same twice, so that it names its holder.
  const renewed = Math.max(Date.now() + LEASE_MS, lease + 1);
  const partRun = table === AUDIT_LOG.table ? '' : run;
  const [moved] = await batch(db, [
    {
      sql: `UPDATE backup_runs SET place = ?1, leased_until_ms = ?2
        WHERE database = ?3 AND run = ?4 AND finished_at_ms IS NULL AND leased_until_ms = ?5`,
      params: [place, renewed, database, run, lease],
    },
    ...parts.map(({ name, rows, sha256 }) => ({
      sql: `INSERT INTO backup_parts (database, run, name, table_name, row_count, sha256)
        SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE changes() > 0
        ON CONFLICT DO UPDATE SET row_count = ?5, sha256 = ?6`,
      params: [database, partRun, name, table, rows, sha256],
    })),
  ]);
  if (moved?.meta.changes !== 1) {
    throw new BackupUnavailable(`another call continues the run ${run}`);
  }
  return renewed;
}

/** The place after the last table. */
export const END = '';

/** Ends a run. What earlier ones have written is in their manifests. */
export async function finishRun(
  db: D1Database,
  database: DatabaseName,
  run: string,
  nowMs: number,
): Promise<void> {
  await batch(db, [
    {
      sql: 'UPDATE backup_runs SET finished_at_ms = ?1 WHERE database = ?2 AND run = ?3',
      params: [nowMs, database, run],
    },
    {
      sql: 'DELETE FROM backup_runs WHERE database = ?1 AND run < ?2',
      params: [database, run],
    },
    {
      sql: "DELETE FROM backup_parts WHERE database = ?1 AND run <> ?2 AND run <> ''",
      params: [database, run],
    },
  ]);
}

/** What a run's next page must be; null when another call holds the run, or none. */
export async function heldPlace(
  db: D1Database,
  database: DatabaseName,
  { run, lease }: HeldRun,
): Promise<HeldPlace | null> {
  const sql = `SELECT ${COLUMNS}, tables FROM backup_runs
    WHERE database = ?1 AND run = ?2 AND leased_until_ms = ?3 AND finished_at_ms IS NULL`;
  const params = [database, run, lease];
  const held = await prepare(db, { sql, params }).first<RunRow & { readonly tables: string }>();
  if (held === null) {
    return null;
  }
  const { place, auditFromId, auditToId } = held;
  const known: Place | null = place === null ? null : JSON.parse(place);
  return { place: known, tables: JSON.parse(held.tables), auditFromId, auditToId };
}

export interface HeldPlace extends AuditRange {
  /** Null: the beginning of the first table. */
  readonly place: Place | null;
  /** In the order of the export. */
  readonly tables: readonly string[];
}

/** The last entry of the audit log that a run has exported, or exports; 0 before the first run. */
export async function lastAuditId(db: D1Database, database: DatabaseName): Promise<number> {
  const sql = 'SELECT MAX(audit_to_id) AS id FROM backup_runs WHERE database = ?';
  return (await prepare(db, { sql, params: [database] }).first<number>('id')) ?? 0;
}

/** Forgets a run in progress that has other tables: the next one begins. */
export async function dropOtherRun(
  db: D1Database,
  database: DatabaseName,
  tables: readonly string[],
): Promise<void> {
  const sql =
    'DELETE FROM backup_runs WHERE database = ?1 AND finished_at_ms IS NULL AND tables <> ?2';
  await prepare(db, { sql, params: [database, JSON.stringify(tables)] }).run();
}

/** When a run last ended; null before the first time. */
export function lastFinishedMs(db: D1Database, database: DatabaseName): Promise<number | null> {
  const sql = 'SELECT MAX(finished_at_ms) AS atMs FROM backup_runs WHERE database = ?';
  return prepare(db, { sql, params: [database] }).first<number>('atMs');
}

/** Lets the next call continue at once. */
export async function releaseRun(db: D1Database, database: DatabaseName, run: string) {
  const sql = 'UPDATE backup_runs SET leased_until_ms = 0 WHERE database = ?1 AND run = ?2';
  await prepare(db, { sql, params: [database, run] }).run();
}

/** What a run has exported of its database; null when there is no such run. */
export async function exportOf(
  db: D1Database,
  database: DatabaseName,
  run: string | null,
  nowMs: number,
): Promise<DatabaseExport | null> {
  const wanted = `COALESCE(?2, (SELECT MAX(run) FROM backup_runs
    WHERE database = ?1 AND finished_at_ms IS NOT NULL))`;
  // In one transaction: the end of the database's next run deletes the parts of this one.
  const [runs, all] = await batch<unknown>(db, [
    {
      sql: `SELECT run, migrations, tables, finished_at_ms AS finishedAtMs FROM backup_runs
        WHERE database = ?1 AND run = ${wanted}`,
      params: [database, run],
    },
    partsStatement(database, run, wanted),
  ]);
  const [found] = (runs?.results ?? []) as readonly ExportedRun[];
  if (found === undefined) {
    return null;
  }
  const parts = (all?.results ?? []) as readonly TablePart[];
  const names: readonly string[] = JSON.parse(found.tables);
  return {
    database,
    run: found.run,
    finishedAtMs: found.finishedAtMs ?? nowMs,
    migrations: JSON.parse(found.migrations),
    tables: names.map((table) => {
      const own = parts.filter((part) => part.table === table);
      return {
        table,
        rows: own.reduce((sum, { rows }) => sum + rows, 0),
        parts: own.map(({ table: _, ...digest }) => digest),
      };
    }),
  };
}

interface ExportedRun {
  readonly run: string;
  readonly migrations: string;
  readonly tables: string;
  readonly finishedAtMs: number | null;
}

interface TablePart extends PartDigest {
  readonly table: string;
}

/** The parts of a run and of the audit log, in the order of their numbers. */
export async function partsOf(
  db: D1Database,
  database: DatabaseName,
  run: string,
): Promise<readonly TablePart[]> {
  const { results } = await prepare(db, partsStatement(database, run)).all<TablePart>();
  return results;
}

function partsStatement(database: DatabaseName, run: string | null, wanted = '?2'): SqlStatement {
  const sql = `SELECT name, table_name AS "table", row_count AS rows, sha256 FROM backup_parts
    WHERE database = ?1 AND run IN (${wanted}, '') ORDER BY length(name), name`;
  return { sql, params: [database, run] };
}
