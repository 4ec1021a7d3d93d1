/**
 * `npm run read-model:measure [-- --payments N --runs N]`: fills a new local D1 with a million
 * payments of 50 merchants through the read model's own statements, runs the queries of the
 * dashboard and the operator, and prints a Markdown table. Each query also runs on SQLite alone,
 * on the same file, because a call to the local D1 takes several milliseconds. The last line has what writing the last payments took.
 */
import { globSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type LocalDatabase, prepareLocalDatabase, runBatch } from '../scripts/dev/d1.ts';
import { numberOption } from '../scripts/project/options.ts';
import type { SqlStatement } from '../src/platform/database.ts';
import { inDirectory } from './harness/directory.ts';
import { median, quantile } from './harness/quantile.ts';
import { runScript } from './harness/script.ts';
import { measuredQueries } from './measure-read-model/queries.ts';
import { BATCH_PAYMENTS, MERCHANTS, type SeededBatch, seed } from './measure-read-model/seed.ts';

/** Runs before the measured ones, which compile statements and load the file's upper pages. */
const WARM_UP_RUNS = 3;
const PROGRESS_STEP = 50_000;
const LAST_BATCHES = 50;

const SCRIPT = {
  usage: 'npm run read-model:measure',
  about:
    'Fills a local D1 with payments and measures the queries of the dashboard and the operator.',
  options: {
    payments: numberOption('N', 'how many payments', 1_000_000),
    runs: numberOption('N', 'how often each query runs', 60),
  },
};

await runScript(SCRIPT, ({ payments, runs }) =>
  inDirectory(async (directory) => {
    await prepareLocalDatabase(directory, async (database) => {
      const batches = await fill(database, payments);
      await measure(database, directory, payments, runs);
      console.log(`\n${batchesText(batches)}`);
      return [];
    });
    return true;
  }),
);

async function fill(database: LocalDatabase, payments: number): Promise<readonly SeededBatch[]> {
  const startedAtMs = performance.now();
  const batches = await seed(database, payments, (done) => {
    if (done % PROGRESS_STEP === 0) {
      console.error(`${done} payments, ${seconds(performance.now() - startedAtMs)} s`);
    }
  });
  console.error(`filled in ${seconds(performance.now() - startedAtMs)} s`);
  return batches;
}

/** What the last payments cost, when all others were there. */
function batchesText(batches: readonly SeededBatch[]): string {
  const last = batches.slice(-LAST_BATCHES);
  const mean = (value: (batch: SeededBatch) => number) =>
    last.reduce((sum, batch) => sum + value(batch), 0) / last.length;
  const rowsWritten = mean((batch) => batch.rowsWritten) / BATCH_PAYMENTS;
  const rowsRead = mean((batch) => batch.rowsRead) / BATCH_PAYMENTS;
  return (
    `Each of the last ${last.length * BATCH_PAYMENTS} payments wrote ${rowsWritten.toFixed(1)}` +
    ` rows and read ${rowsRead.toFixed(1)}. A batch of ${BATCH_PAYMENTS} took workerd` +
    ` ${mean((batch) => batch.cpuMs).toFixed(1)} ms of processor time.`
  );
}

async function measure(
  database: LocalDatabase,
  directory: string,
  payments: number,
  runs: number,
): Promise<void> {
  const file = await databaseFile(directory);
  const sqlite = new DatabaseSync(file, { readOnly: true });
  const sizeMiB = Math.round((await stat(file)).size / 2 ** 20);
  console.log(
    `\n${payments.toLocaleString('en')} payments of ${MERCHANTS} merchants, ${sizeMiB} MiB; ` +
      `${runs} runs each; milliseconds as median / p95\n`,
  );
  console.log('| query | rows found | rows read | SQLite ms | with the call to D1, ms |');
  console.log('|---|---:|---:|---:|---:|');
  for (const [name, statements] of Object.entries(await measuredQueries(database, payments))) {
    const measured: Measured[] = [];
    for (let run = -WARM_UP_RUNS; run < runs; run += 1) {
      const one = await measureRun(database, sqlite, statements(Math.max(run, 0)));
      measured.push(...(run < 0 ? [] : [one]));
    }
    const most = (value: (run: Measured) => number) => Math.max(...measured.map(value));
    const cells = [
      ...[name, most(({ rowsFound }) => rowsFound), most(({ rowsRead }) => rowsRead)],
      spread(measured.map(({ sqliteMs }) => sqliteMs)),
      spread(measured.map(({ wallMs }) => wallMs)),
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
  sqlite.close();
}

interface Measured {
  readonly rowsRead: number;
  readonly rowsFound: number;
  readonly sqliteMs: number;
  readonly wallMs: number;
}

async function measureRun(
  database: LocalDatabase,
  sqlite: DatabaseSync,
  batch: readonly SqlStatement[],
): Promise<Measured> {
  const wallFromMs = performance.now();
  const results = await runBatch(database, batch);
  const wallMs = performance.now() - wallFromMs;
  const prepared = batch.map(({ sql, params }) => ({ statement: sqlite.prepare(sql), params }));
  const sqliteFromMs = performance.now();
  for (const { statement, params } of prepared) {
    statement.all(...params);
  }
  return {
    sqliteMs: performance.now() - sqliteFromMs,
    wallMs,
    rowsRead: results.reduce((sum, { meta }) => sum + meta.rows_read, 0),
    rowsFound: results.reduce((sum, result) => sum + result.results.length, 0),
  };
}

/** The file that holds D1's tables: the largest beneath `directory`. */
async function databaseFile(directory: string): Promise<string> {
  const files = await Promise.all(
    globSync(join(directory, 'v3', 'd1', '**', '*.sqlite')).map(async (path) => ({
      path,
      size: (await stat(path)).size,
    })),
  );
  const [largest] = files.sort((one, other) => other.size - one.size);
  if (largest === undefined) {
    throw new Error('D1 has no database file');
  }
  return largest.path;
}

function spread(values: readonly number[]): string {
  return `${median(values).toFixed(2)} / ${quantile(values, 0.95).toFixed(2)}`;
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(0);
}
