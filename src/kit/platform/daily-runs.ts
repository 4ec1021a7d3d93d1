import { prepare } from './database.ts';

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
