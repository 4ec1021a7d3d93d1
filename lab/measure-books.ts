/**
 * `npm run lab -- measure-books [--payments N --runs N --merchants N]`: calls the real MerchantBook in workerd, and
 * prints Markdown. First it measures the messages of new payments one by one, then it fills one
 * merchant's book through the book's own functions, in large transactions, and asks it each question
 * of the reader. Times of questions are inside the object. With `--merchants`, it fills a month of so
 * many merchants with the payments instead, and reads the operator's day sheet.
 */
import { statfs, writeFile } from 'node:fs/promises';
import { freemem } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { prepareLocalDatabase } from '../scripts/dev/d1.ts';
import { localSecrets } from '../scripts/dev/local-secrets.ts';
import { PROJECT_DIRECTORY } from '../scripts/project/files.ts';
import { numberOption } from '../scripts/project/options.ts';
import type { Tenant } from '../src/kit/tenant.ts';
import { kefelWorker } from './harness/built-worker.ts';
import { inDirectory, MEMORY_DIRECTORY } from './harness/directory.ts';
import { median, quantile } from './harness/quantile.ts';
import { runLabScript } from './harness/script.ts';
import { type BenchServer, startServer } from './harness/worker-server.ts';
import type {
  Answered,
  Counts,
  MeasuredSheet,
  Merged,
  Order,
} from './measure-books/book-worker.ts';
import { type Filling, STEPS } from './measure-books/messages.ts';
import { MERGED_QUESTIONS, measuredQuestions } from './measure-books/questions.ts';

/** As in production: a book that has grown to this size is followed by the next volume. */
const VOLUME_PAYMENTS_MAX = 4_000_000;
/** A book has about a thousand bytes for each payment, and its log grows beside it. */
const STATE_BYTES_PER_PAYMENT = 1_600;
/** Ten files of the back office. More would only take time. */
const EXPORTED_PAYMENTS_MAX = 1_000_000;
/** Applied one by one: enough for hundreds of the clock's ticks. */
const APPLIED_PAYMENTS = 3_000;
const COUNTED_PAYMENTS = 100;
/** The payments of one request. */
const FILLED_PAYMENTS = 20_000;
const PROGRESS_STEP = 100_000;
/** The month before `NEWEST_MS`, and one of its days. */
const PERIODS = ['2026-10', '2026-10-15'];
/** Books that one request fills. */
const FILLED_MERCHANTS = 20;

const MERCHANT: Tenant = { environment: 'production', merchantId: 'mer_measured' };

const SCRIPT = {
  usage: 'npm run lab -- measure-books',
  about: 'Measures what a book takes for its messages, and its answers over many payments.',
  options: {
    payments: numberOption('N', 'how many payments', 1_000_000),
    runs: numberOption('N', 'how often each question is asked', 30),
    merchants: numberOption('N', 'measures the day sheet of so many merchants instead', 0),
    volume: numberOption('N', 'the most payments of a volume', VOLUME_PAYMENTS_MAX),
  },
};

await runLabScript(SCRIPT, async ({ payments, runs, volume, merchants }) => {
  const isInMemory = await fitsIntoMemory(payments * STATE_BYTES_PER_PAYMENT);
  console.error(`The books are ${isInMemory ? 'in memory' : 'on the disk'}.`);
  return inDirectory(
    async (directory) => {
      const start = await prepareServer(directory);
      let server = await start();
      if (merchants > 0) {
        await measureSheet(server, merchants, Math.ceil(payments / merchants));
        await server.stop();
        return true;
      }
      await measureMessages(server);
      const fillings = fillingsOf(payments, volume);
      await fill(server, fillings);
      await server.stop();
      server = await start();
      await measureOpening(server, fillings);
      await measureQuestions(server, fillings, runs);
      await measureMergedQuestions(server, fillings, runs);
      await measureExport(server, fillings);
      await server.stop();
      return true;
    },
    isInMemory ? MEMORY_DIRECTORY : undefined,
  );
});

/** A file in tmpfs takes memory that the processes may need. */
async function fitsIntoMemory(bytes: number): Promise<boolean> {
  const found = await statfs(MEMORY_DIRECTORY).catch(() => null);
  return found !== null && bytes < Math.min(found.bavail * found.bsize, freemem() / 2);
}

/** Builds the Worker and D1, and returns what starts them. */
async function prepareServer(directory: string): Promise<() => Promise<BenchServer>> {
  await localSecrets();
  await prepareLocalDatabase(directory, async () => []);
  const built = await build({
    absWorkingDir: PROJECT_DIRECTORY,
    entryPoints: ['lab/measure-books/book-worker.ts'],
    bundle: true,
    write: false,
    format: 'esm',
    conditions: ['workerd'],
    external: ['cloudflare:*', 'node:*'],
    logLevel: 'warning',
  });
  await writeFile(join(directory, 'index.js'), built.outputFiles[0]?.contents ?? '');
  const { compatibilityDate, compatibilityFlags, bindings, d1Databases, modules, modulesRoot } =
    kefelWorker(directory) as Extract<ReturnType<typeof kefelWorker>, { modules?: unknown }>;
  const worker = {
    ...{ name: 'books', compatibilityDate, compatibilityFlags, bindings, d1Databases },
    ...{ modules, modulesRoot },
    durableObjects: { MERCHANT_BOOK: { className: 'MeasuredBook', useSQLite: true } },
  } as ReturnType<typeof kefelWorker>;
  return () => startServer({ worker, stateDirectory: directory });
}

async function send<Result>({ url }: BenchServer, order: Order): Promise<Result> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(order) });
  if (!response.ok) {
    throw new Error(`${order.type}: ${response.status} ${await response.text()}`);
  }
  return (await response.json()) as Result;
}

async function measureMessages(server: BenchServer): Promise<void> {
  console.log('| message | environment | rows written | rows read | CPU ms | applied a second |');
  console.log('|---|---|---:|---:|---:|---:|');
  for (const environment of ['production', 'sandbox'] as const) {
    const tenant = { environment, merchantId: 'mer_applied' };
    const counted = { environment, merchantId: 'mer_counted' };
    const first = { ...counted, payments: 1, bookVolume: 0 };
    await send(server, { type: 'fill', filling: first, from: 0, to: 1 });
    for (const step of STEPS) {
      const few = { step, tenant: counted, payments: COUNTED_PAYMENTS };
      await send(server, { type: 'prepare', ...few });
      const counts = await send<Counts>(server, { type: 'count', ...few });
      const many = { step, tenant, payments: APPLIED_PAYMENTS };
      await send(server, { type: 'prepare', ...many });
      const cpuBeforeMs = await server.cpuTimeMs();
      const startedAtMs = performance.now();
      await send(server, { type: 'apply', ...many });
      const durationMs = performance.now() - startedAtMs;
      const cpuMs = (await server.cpuTimeMs()) - cpuBeforeMs;
      const cells = [
        ...[step, environment, (counts.rowsWritten / COUNTED_PAYMENTS).toFixed(2)],
        (counts.rowsRead / COUNTED_PAYMENTS).toFixed(2),
        (cpuMs / APPLIED_PAYMENTS).toFixed(3),
        Math.round((APPLIED_PAYMENTS / durationMs) * 1_000).toLocaleString('en'),
      ];
      console.log(`| ${cells.join(' | ')} |`);
    }
  }
}

interface VolumeFilling {
  readonly filling: Filling;
  readonly from: number;
  readonly to: number;
}

function fillingsOf(
  payments: number,
  volumeMax: number,
): readonly [VolumeFilling, ...VolumeFilling[]] {
  const volume = (bookVolume: number) => ({
    filling: { ...MERCHANT, payments, bookVolume },
    from: bookVolume * volumeMax,
    to: Math.min(payments, (bookVolume + 1) * volumeMax),
  });
  const further = Math.ceil(payments / volumeMax) - 1;
  return [volume(0), ...Array.from({ length: further }, (_, index) => volume(index + 1))];
}

async function fill(server: BenchServer, fillings: readonly VolumeFilling[]): Promise<void> {
  const startedAtMs = performance.now();
  console.log('\n| volume | payments | MiB | bytes a payment | CPU ms a payment, in batches |');
  console.log('|---:|---:|---:|---:|---:|');
  for (const { filling, from, to } of fillings) {
    const cpuBeforeMs = await server.cpuTimeMs();
    let bytes = 0;
    for (let first = from; first < to; first += FILLED_PAYMENTS) {
      const last = Math.min(to, first + FILLED_PAYMENTS);
      const order = { type: 'fill', filling, from: first, to: last } as const;
      ({ bytes } = await send<{ bytes: number }>(server, order));
      if (last % PROGRESS_STEP === 0) {
        console.error(`${last} payments, ${seconds(performance.now() - startedAtMs)} s`);
      }
    }
    const cpuMs = ((await server.cpuTimeMs()) - cpuBeforeMs) / (to - from);
    const cells = [
      ...[filling.bookVolume, (to - from).toLocaleString('en'), (bytes / 2 ** 20).toFixed(0)],
      ...[(bytes / (to - from)).toFixed(0), cpuMs.toFixed(3)],
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
}

/** The first question to a book that no process has in memory; its file is in the system's cache. */
async function measureOpening(
  server: BenchServer,
  [{ filling }]: readonly [VolumeFilling, ...VolumeFilling[]],
): Promise<void> {
  const durationsMs: number[] = [];
  // The first book that the process opens has no payment, and warms up the Worker.
  for (const opened of [{ ...filling, merchantId: 'mer_none' }, filling, filling]) {
    const startedAtMs = performance.now();
    await send(server, { type: 'open', filling: opened });
    durationsMs.push(performance.now() - startedAtMs);
  }
  const [, firstMs = 0, secondMs = 0] = durationsMs;
  console.log(
    `\nOpening volume 0 and its first list took ${firstMs.toFixed(0)} ms, a second list` +
      ` ${secondMs.toFixed(0)} ms, both with the request to the Worker.`,
  );
}

async function measureQuestions(
  server: BenchServer,
  fillings: readonly [VolumeFilling, ...VolumeFilling[]],
  runs: number,
): Promise<void> {
  // The largest volume is the worst case.
  const [{ filling, from, to }] = fillings;
  console.log(`\n${(to - from).toLocaleString('en')} payments in the volume, ${runs} runs each:\n`);
  console.log('| question | rows found | rows read | median ms | p95 ms |');
  console.log('|---|---:|---:|---:|---:|');
  for (const question of Object.keys(measuredQuestions(filling, { first: from, last: to }))) {
    const order = { type: 'ask', filling, from, to, question, runs } as const;
    const { rowsFound, rowsRead, durationsMs } = await send<Answered>(server, order);
    const cells = [question, rowsFound, rowsRead.toLocaleString('en'), ...timesOf(durationsMs)];
    console.log(`| ${cells.join(' | ')} |`);
  }
}

/** What a page of the dashboard waits for: the calls to all volumes, and the merging. */
async function measureMergedQuestions(
  server: BenchServer,
  fillings: readonly [VolumeFilling, ...VolumeFilling[]],
  runs: number,
): Promise<void> {
  const [{ filling }] = fillings;
  console.log(`\nMerged over ${fillings.length} volumes, with the calls to them:\n`);
  console.log('| question | rows found | median ms | p95 ms |');
  console.log('|---|---:|---:|---:|');
  for (const question of Object.keys(MERGED_QUESTIONS)) {
    const order = { type: 'merged', filling, newestVolume: fillings.length - 1, question, runs };
    const { rowsFound, durationsMs } = await send<Merged>(server, order as Order);
    console.log(`| ${[question, rowsFound, ...timesOf(durationsMs)].join(' | ')} |`);
  }
}

function timesOf(durationsMs: readonly number[]): readonly string[] {
  return [median(durationsMs).toFixed(2), quantile(durationsMs, 0.95).toFixed(2)];
}

async function measureExport(
  server: BenchServer,
  fillings: readonly VolumeFilling[],
): Promise<void> {
  const [filling] = fillings.map((volume) => volume.filling);
  if (filling === undefined) {
    return;
  }
  const beforeMiB = await server.resetPeakMiB();
  const startedAtMs = performance.now();
  const cpuBeforeMs = await server.cpuTimeMs();
  const newestVolume = fillings.length - 1;
  const rowsMax = EXPORTED_PAYMENTS_MAX;
  const order = { type: 'export', filling, newestVolume, rowsMax } as const;
  const { rows } = await send<{ rows: number }>(server, order);
  const cpuMs = (await server.cpuTimeMs()) - cpuBeforeMs;
  const peakMiB = await server.peakMiB();
  console.log(
    `\nAn export of ${rows.toLocaleString('en')} payments took` +
      ` ${seconds(performance.now() - startedAtMs)} s and ${(cpuMs / rows).toFixed(3)} ms of` +
      ` processor time for each. workerd had ${beforeMiB} MiB before, at most ${peakMiB} MiB during it.`,
  );
}

async function measureSheet(server: BenchServer, merchants: number, payments: number) {
  for (let first = 0; first < merchants; first += FILLED_MERCHANTS) {
    const end = Math.min(merchants, first + FILLED_MERCHANTS);
    await send(server, { type: 'month', first, end, payments });
    console.error(`${end} merchants with ${payments} payments each`);
  }
  console.log('| sheet of | merchants | rows | pages | seconds | CPU s |');
  console.log('|---|---:|---:|---:|---:|---:|');
  for (const period of PERIODS) {
    const startedAtMs = performance.now();
    const cpuBeforeMs = await server.cpuTimeMs();
    const sheet = await send<MeasuredSheet>(server, { type: 'sheet', period });
    const cpuMs = (await server.cpuTimeMs()) - cpuBeforeMs;
    const times = [performance.now() - startedAtMs, cpuMs].map((ms) => (ms / 1_000).toFixed(1));
    console.log(`| ${[period, sheet.merchants, sheet.rows, sheet.pages, ...times].join(' | ')} |`);
  }
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(0);
}
