import { batch, prepare, runBatch } from '../../kit/platform/database.ts';
import type { Finding } from './findings.ts';

/** Starts at most one run in this time: each run makes a payment and three messages. */
export const RUN_EVERY_MS = 60_000;

export interface Run {
  readonly runId: string;
  readonly startedAtMs: number;
}

/** A final result of one check. */
export interface NamedFinding extends Finding {
  readonly name: string;
}

export interface StoredResult extends NamedFinding {
  readonly finishedAtMs: number;
}

/** False while the previous run is younger than RUN_EVERY_MS. */
export async function beginRun(
  db: D1Database,
  { runId, startedAtMs }: Run,
  startedBy: string,
): Promise<boolean> {
  const sql = `INSERT INTO self_check (id, run_id, started_at_ms, started_by)
    VALUES (1, ?1, ?2, ?3)
    ON CONFLICT DO UPDATE SET run_id = ?1, started_at_ms = ?2, started_by = ?3
      WHERE self_check.started_at_ms <= ?4`;
  const params = [runId, startedAtMs, startedBy, startedAtMs - RUN_EVERY_MS];
  const { meta } = await prepare(db, { sql, params }).run();
  return meta.changes > 0;
}

/** Stores results of the run, unless a later run has begun. */
export async function recordResults(
  db: D1Database,
  runId: string,
  results: readonly NamedFinding[],
  nowMs: number,
): Promise<void> {
  const sql = `INSERT INTO self_check_results
      (name, run_id, state, finding, details, finished_at_ms)
    SELECT ?2, ?1, ?3, ?4, ?5, ?6 FROM self_check WHERE run_id = ?1
    ON CONFLICT DO UPDATE SET run_id = ?1, state = ?3, finding = ?4, details = ?5,
      finished_at_ms = ?6`;
  await runBatch(
    db,
    results.map(({ name, state, finding, details = {} }) => ({
      sql,
      params: [runId, name, state, finding, JSON.stringify(details), nowMs],
    })),
  );
}

/** The latest run and its results so far; null before the first run. */
export async function latestRun(
  db: D1Database,
): Promise<{ readonly run: Run; readonly results: readonly StoredResult[] } | null> {
  const [runs, rows] = await batch<Record<string, unknown>>(db, [
    { sql: 'SELECT run_id AS runId, started_at_ms AS startedAtMs FROM self_check', params: [] },
    {
      sql: `SELECT name, state, finding, details, finished_at_ms AS finishedAtMs
        FROM self_check_results JOIN self_check USING (run_id)`,
      params: [],
    },
  ]);
  const run = runs?.results[0] as Run | undefined;
  const results = (rows?.results ?? []).map(
    (row) => ({ ...row, details: JSON.parse(String(row.details)) }) as unknown as StoredResult,
  );
  return run === undefined ? null : { run, results };
}
