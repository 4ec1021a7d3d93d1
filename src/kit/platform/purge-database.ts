import { runSteps, type Step } from './daily-runs.ts';
import { batch, DATABASE_BYTES_MAX, isNearlyFull } from './database.ts';
import { log } from './log.ts';

/** Deletes old rows of D1 in batches that stay far below its limit of 30 s. Loaded once a day. */

const ROWS_PER_STATEMENT = 2_000;
/** 300,000 rows of each kind in a run, which may make 1,000 queries. The next run does the rest. */
const BATCHES_MAX = 150;

/** The statements of a batch that purge up to ?2 rows of ?1 or before, and how long rows are kept. */
interface Purge {
  readonly keptMs: number;
  readonly statements: readonly string[];
}

/**
 * Purges each kind of rows at its age, and warns in the log when the database fills up. Returns the
 * purged rows of each kind. Throws in the end if a kind has failed, which keeps no other from its purge.
 */
export async function purgeAged(
  db: D1Database,
  purges: Readonly<Record<string, Purge>>,
  nowMs: number,
): Promise<Readonly<Record<string, number>>> {
  const purged: Record<string, number> = {};
  let sizeBytes = 0;
  const steps = Object.entries(purges).map(([kind, { keptMs, statements }]): Step => {
    const purge = async () => {
      const done = await repeatedly(db, statements, nowMs - keptMs);
      purged[kind] = done.rows;
      sizeBytes = done.sizeBytes;
    };
    return [kind, purge];
  });
  try {
    await runSteps(steps);
  } finally {
    log('info', 'data_purged', { ...purged, sizeBytes });
    if (isNearlyFull(sizeBytes)) {
      log('error', 'database_nearly_full', { sizeBytes, sizeBytesMax: DATABASE_BYTES_MAX });
    }
  }
  return purged;
}

/** Runs the statements until the last one changes fewer rows than it may. */
export async function repeatedly(
  db: D1Database,
  statements: readonly string[],
  untilMs: number,
): Promise<{ readonly rows: number; readonly sizeBytes: number }> {
  const params = [untilMs, ROWS_PER_STATEMENT];
  let rows = 0;
  for (let batches = 1; ; batches++) {
    const results = await batch(
      db,
      statements.map((sql) => ({ sql, params })),
    );
    const { changes = 0, size_after: sizeBytes = 0 } = results.at(-1)?.meta ?? {};
    rows += changes;
    if (changes < ROWS_PER_STATEMENT || batches === BATCHES_MAX) {
      return { rows, sizeBytes };
    }
  }
}
