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
  const results = await batch(db, statements);
  return results.map(({ meta }) => meta.changes);
}

/** Like `runBatch`, but returns what D1 answered to each statement. */
export function batch<Row>(
  db: D1Database,
  statements: readonly SqlStatement[],
): Promise<D1Result<Row>[]> {
  return inTime(
    db.batch<Row>(statements.map(({ sql, params }) => db.prepare(sql).bind(...params))),
  );
}

/** A statement that runs without a batch. Each method throws DatabaseUnavailable when D1 hangs. */
export function prepare(db: D1Database, { sql, params }: SqlStatement) {
  const statement = db.prepare(sql).bind(...params);
  return {
    all: <Row>() => inTime(statement.all<Row>()),
    /** The first row, or one column of it; null without a row. */
    first: <Value>(column?: string): Promise<Value | null> =>
      inTime(column === undefined ? statement.first<Value>() : statement.first<Value>(column)),
    run: () => inTime(statement.run()),
  };
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

/** After this, a request of the merchants' API counts D1 as down: the merchant's server is waiting. */
const READ_TIMEOUT_MS = 2_000;

/**
 * After this, every query has failed. The slowest, purges of a full database, take about a second.
 * A hung one would hold a page, or the whole batch of a queue.
 */
export const QUERY_TIMEOUT_MS = 10_000;

/** What `read` brings. Throws DatabaseUnavailable when D1 fails or takes too long. */
export async function readInTime<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await inTime(read(), READ_TIMEOUT_MS);
  } catch (error) {
    throw new DatabaseUnavailable(errorText(error));
  }
}

/**
 * The result of `query`, or DatabaseUnavailable after `timeoutMs`. The query itself is not canceled, so
 * a write may still happen.
 */
async function inTime<T>(query: Promise<T>, timeoutMs = QUERY_TIMEOUT_MS): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    const late = () => reject(new DatabaseUnavailable(`no answer within ${timeoutMs} ms`));
    timer = setTimeout(late, timeoutMs);
  });
  try {
    return await Promise.race([query, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
