/**
 * `npm run bench`: what Kefel costs, each case measured in turn with a bare Worker that does the
 * least that the case needs. `--help` lists the options; docs/benchmarks.md explains the table.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CASES } from './bench/cases.ts';
import { startFloor } from './bench/floor.ts';
import { buildKefel, startKefel } from './bench/kefel.ts';
import { Load } from './bench/load.ts';
import { machineLine } from './bench/machine.ts';
import { type Measurement, measureCase, type Servers } from './bench/measure.ts';
import { BENCH_HELP, type BenchOptions, benchOptions, type Medium } from './bench/options.ts';
import { profileCase } from './bench/profile.ts';
import { measurementTable, repeatCount, withSection } from './bench/table.ts';
import { PROJECT_DIRECTORY } from './project/files.ts';

const DOCUMENT_FILE = join(PROJECT_DIRECTORY, 'docs', 'benchmarks.md');
const HEADING = '## Speed and processor time';

/** tmpfs on every Linux. The other is on the disk that holds the project. */
const DIRECTORIES: Readonly<Record<Medium, string>> = {
  tmpfs: '/dev/shm',
  disk: join(PROJECT_DIRECTORY, '.wrangler'),
};

/** Wrangler's list of bindings would bury the table. */
process.env.WRANGLER_LOG = 'error';

type MeasureOptions = Extract<BenchOptions, { type: 'measure' }>;

async function main(): Promise<void> {
  const options = benchOptions(process.argv.slice(2));
  if (options === null) {
    console.log(BENCH_HELP);
    return;
  }
  await inDirectory(tmpdir(), async (builtDirectory) => {
    if (options.type === 'profile') {
      await buildKefel(builtDirectory, false);
      await inDirectory(DIRECTORIES.tmpfs, (stateDirectory) =>
        profileCase(options.name, builtDirectory, stateDirectory),
      );
      return;
    }
    await buildKefel(builtDirectory, true);
    await measureAndReport(options, builtDirectory);
  });
}

async function measureAndReport(options: MeasureOptions, builtDirectory: string): Promise<void> {
  const machine = machineLine();
  const sections: string[] = [machine];
  for (const medium of options.media) {
    const measured = await measureOn(medium, options, builtDirectory);
    const again = options.isForDocument ? await measureOn(medium, options, builtDirectory) : null;
    sections.push(`State on ${medium}:`, measurementTable(measured, again));
    if (again !== null) {
      const { within, all } = repeatCount(measured, again);
      sections.push(
        `Of ${all} CPU ratios of the second run, ${within} lie within the first run's spread.`,
      );
    }
  }
  const text = sections.join('\n\n');
  console.log(`\n${text}`);
  if (options.isForDocument) {
    const document = await readFile(DOCUMENT_FILE, 'utf8');
    await writeFile(DOCUMENT_FILE, withSection(document, HEADING, text));
  }
}

/** All cases on new servers with new databases. */
async function measureOn(
  medium: Medium,
  { names, effort }: MeasureOptions,
  builtDirectory: string,
): Promise<readonly Measurement[]> {
  const measured: Measurement[] = [];
  await inDirectory(DIRECTORIES[medium], (directory) =>
    withServers(builtDirectory, directory, async (servers, load) => {
      for (const name of names.filter((name) => medium === 'tmpfs' || CASES[name].writes)) {
        for await (const measurement of measureCase(servers, load, name, effort)) {
          measured.push(measurement);
          console.error(measurementTable([measurement], null).split('\n').at(-1));
        }
      }
    }),
  );
  return measured;
}

async function withServers(
  builtDirectory: string,
  directory: string,
  use: (servers: Servers, load: Load) => Promise<void>,
): Promise<void> {
  const kefel = await startKefel(builtDirectory, join(directory, 'kefel'));
  try {
    const floor = await startFloor(join(directory, 'floor'));
    const load = new Load();
    try {
      await use({ kefel, floor }, load);
    } finally {
      load.stop();
      await floor.stop();
    }
  } finally {
    await kefel.stop();
  }
}

async function inDirectory(
  parent: string,
  use: (directory: string) => Promise<void>,
): Promise<void> {
  await mkdir(parent, { recursive: true });
  const directory = await mkdtemp(join(parent, 'kefel-bench-'));
  try {
    await use(directory);
  } finally {
    await rm(directory, { recursive: true });
  }
}

try {
  await main();
  process.exit(0);
} catch (error) {
  console.error(error);
  process.exit(1);
}
