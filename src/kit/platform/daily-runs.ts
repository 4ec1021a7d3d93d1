import { prepare } from './database.ts';
import { errorText, log } from './log.ts';

/** A part of a daily run, and its name in the log. */
export type Step = readonly [name: string, run: () => Promise<unknown>];

/**
 * Runs all steps in their order. One that fails keeps none of the others from running, but throws after
 * the last one: the run does not count as ended, and the alerts say so after a day.
 */
export async function runSteps(steps: readonly Step[]): Promise<void> {
  const failed: string[] = [];
  for (const [name, run] of steps) {
    try {
      await run();
    } catch (error) {
      log('error', 'daily_step_failed', { step: name, error: errorText(error) });
      failed.push(name);
    }
  }
  if (failed.length > 0) {
    throw new Error(`failed: ${failed.join(', ')}`);
  }
}

/** Records that a daily run has ended, and what it did: numbers, never personal data. */
export async function finishDailyRun(
  db: D1Database,
  name: string,
  detail: Readonly<Record<string, number | string>>,
  nowMs: number,
): Promise<void> {
  const sql = `INSERT INTO daily_runs (name, finished_at_ms, detail) VALUES (?1, ?2, ?3)
    ON CONFLICT DO UPDATE SET finished_at_ms = ?2, detail = ?3`;
  await prepare(db, { sql, params: [name, nowMs, JSON.stringify(detail)] }).run();
}

/** When the run last ended; null before the first time. */
export async function lastDailyRunMs(db: D1Database, name: string): Promise<number | null> {
  const sql = 'SELECT finished_at_ms AS atMs FROM daily_runs WHERE name = ?1';
  return prepare(db, { sql, params: [name] }).first<number>('atMs');
}
