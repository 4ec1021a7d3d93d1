import { errorText } from './log.ts';
import { Unavailable } from './unavailable.ts';

/**
 * A statement for any database: D1 in the Worker and in tests, wrangler in scripts. Run a list of
 * statements in one batch, so that it succeeds as a whole.
 */
export interface SqlStatement {
  readonly sql: string;
  readonly params: readonly (string | number | null)[];
}

/**
 * Runs all statements in order, or none: if one fails, it throws and changes nothing. Returns the
 * number of rows that each changed.
 */
export async function runBatch(
  db: D1Database,
  statements: readonly SqlStatement[],
): Promise<readonly number[]> {
  const results = await db.batch(statements.map((statement) => prepare(db, statement)));
  return results.map(({ meta }) => meta.changes);
}

/** Prepares a statement to run without a batch. */
export function prepare(db: D1Database, { sql, params }: SqlStatement): D1PreparedStatement {
  return db.prepare(sql).bind(...params);
}

/** Whether a batch violated a constraint of the tables, so that a retry would fail too. */
export function isConstraintFailure(error: unknown): boolean {
  return error instanceof Error && error.message.includes('constraint failed');
}

/** Cloudflare's limit for one D1 database on the paid plan. A full database takes no writes. */
export const DATABASE_BYTES_MAX = 10 * 1_000 ** 3;

/** From 80 % on, which leaves time to move to a new database. */
export function isNearlyFull(sizeBytes: number): boolean {
  return sizeBytes >= 0.8 * DATABASE_BYTES_MAX;
}

/** D1 did not answer. It decides nothing about money, so the caller may retry. */
export class DatabaseUnavailable extends Unavailable {
  override readonly name = 'DatabaseUnavailable';
}

/** After this, a request counts D1 as down: the merchant's server is waiting. */
const READ_TIMEOUT_MS = 2_000;

/** What `read` brings. Throws DatabaseUnavailable when D1 fails or takes too long. */
export async function readInTime<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await withDeadline(read(), READ_TIMEOUT_MS);
  } catch (error) {
    throw new DatabaseUnavailable(errorText(error));
  }
}

/** The result of `work`, or an error after `timeoutMs`. The query itself is not canceled. */
async function withDeadline<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
