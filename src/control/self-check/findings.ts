import { DAY_MS } from '../../engine/domain/schedule.ts';
import { lastDailyRunMs } from '../../kit/platform/daily-runs.ts';
import { prepare } from '../../kit/platform/database.ts';

/** What a check found: the name of its text, and the values in it. Never a secret. */
export interface Finding {
  readonly state: 'ok' | 'wrong' | 'waiting';
  readonly finding: FindingName;
  readonly details?: Readonly<Record<string, string | number>>;
}

export type FindingName =
  | 'version'
  | 'bound'
  | 'unbound'
  | 'parsed'
  | 'unparsed'
  | 'migrated'
  | 'unmigrated'
  | 'failed'
  | 'rails'
  | 'rails_unparsed'
  | 'books'
  | 'books_lost'
  | 'ran'
  | 'overdue'
  | 'not_run_yet'
  | 'switched_off'
  | 'answered'
  | 'consumed'
  | 'paid'
  | 'event_ended'
  | 'booked'
  | 'waiting'
  | 'silent'
  | 'not_stored';

/** Compares the migrations that this version was built with and those that the database has run. */
export async function checkMigrations(db: D1Database, names: readonly string[]): Promise<Finding> {
  const sql = 'SELECT name FROM d1_migrations';
  const { results } = await prepare(db, { sql, params: [] }).all<{ readonly name: string }>();
  const missing = names.filter((name) => !results.some((applied) => applied.name === name));
  return missing.length > 0
    ? { state: 'wrong', finding: 'unmigrated', details: { names: missing.join(', ') } }
    : { state: 'ok', finding: 'migrated', details: { newest: names.at(-1) ?? '' } };
}

/** A run may last an hour, and Cloudflare may start it late. */
export const DAILY_RUN_MS_MAX = DAY_MS + 2 * 60 * 60 * 1_000;

/** Whether a daily run ended within a day, or the database is younger than that. */
export async function checkDailyRun(db: D1Database, name: string, nowMs: number): Promise<Finding> {
  const atMs = await lastDailyRunMs(db, name);
  if (atMs !== null) {
    const isLate = nowMs - atMs > DAILY_RUN_MS_MAX;
    const details = { at: minuteText(atMs) };
    return isLate
      ? { state: 'wrong', finding: 'overdue', details }
      : { state: 'ok', finding: 'ran', details };
  }
  const sql = `SELECT unixepoch(MIN(applied_at)) * 1000 AS sinceMs FROM d1_migrations`;
  const sinceMs = await prepare(db, { sql, params: [] }).first<number>('sinceMs');
  return sinceMs !== null && nowMs - sinceMs > DAILY_RUN_MS_MAX
    ? { state: 'wrong', finding: 'overdue', details: { at: '—' } }
    : { state: 'ok', finding: 'not_run_yet' };
}

/** `2026-11-27 01:17 UTC`. */
function minuteText(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Which of the bindings are missing. */
export function checkBindings(env: object, names: readonly string[]): Finding {
  const missing = names.filter((name) => Reflect.get(env, name) === undefined);
  return missing.length > 0
    ? { state: 'wrong', finding: 'unbound', details: { names: missing.join(', ') } }
    : { state: 'ok', finding: 'bound', details: { count: names.length } };
}
