/**
 * A statement without the database that runs it: D1 in the Worker and in tests, wrangler in scripts.
 * A list belongs into one batch, so that it happens as a whole.
 */
export interface SqlStatement {
  readonly sql: string;
  readonly params: readonly (string | number | null)[];
}

/**
 * Runs the statements in order, all or none; says of each how many rows it changed. Throws when one
 * fails, and then nothing has happened.
 */
export async function runBatch(
  db: D1Database,
  statements: readonly SqlStatement[],
): Promise<readonly number[]> {
  const results = await db.batch(statements.map((statement) => prepare(db, statement)));
  return results.map(({ meta }) => meta.changes);
}

/** A statement ready to run by itself. */
export function prepare(db: D1Database, { sql, params }: SqlStatement): D1PreparedStatement {
  return db.prepare(sql).bind(...params);
}

/** Whether a batch failed by a rule of the tables, so that trying again would fail too. */
export function isConstraintFailure(error: unknown): boolean {
  return error instanceof Error && error.message.includes('constraint failed');
}

/** Thrown when D1 took too long. */
export class DeadlinePassed extends Error {
  override readonly name = 'DeadlinePassed';
}

/** What D1 answers, or DeadlinePassed after `timeoutMs`. The query itself is not canceled. */
export async function withDeadline<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    const error = new DeadlinePassed(`no answer within ${timeoutMs} ms`);
    timer = setTimeout(() => reject(error), timeoutMs);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
