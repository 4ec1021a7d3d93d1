/**
 * `npm run lab -- bench`: what Kefel costs, each case measured in turn with a bare Worker that does the
 * least that the case needs. `--help` lists the options; docs/benchmarks.md explains the tables.
 */
import { createRequire } from 'node:module';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { PROJECT_DIRECTORY } from '../scripts/project/files.ts';
import { wholeNumber } from '../scripts/project/options.ts';
import { type BenchCase, CASE_NAMES, CASES, type CaseName } from './bench/cases.ts';
import { startFloor } from './bench/floor.ts';
import { measureFresh } from './bench/fresh.ts';
import { type Effort, measureCase } from './bench/measure.ts';
import { Receiver } from './bench/receiver.ts';
import { FloorSide, KefelSide } from './bench/sides.ts';
import { type Measurement, TABLE_HEAD, tableRow } from './bench/table.ts';
import { benchMerchant, buildKefel, startKefel } from './harness/built-worker.ts';
import { inDirectory, MEMORY_DIRECTORY } from './harness/directory.ts';
import { runLabScript } from './harness/script.ts';

/** Wrangler's list of bindings would bury the table. */
process.env.WRANGLER_LOG = 'error';

const FULL: Effort = {
  clients: [1, 8, 32],
  // The median of 7 other rounds lies within their spread nearly always; that of 3, in 3 of 5 runs.
  rounds: 7,
  burstRounds: 5,
  sliceMs: 600,
  warmUpMs: 700,
  isQuick: false,
};
const QUICK: Effort = {
  clients: [8],
  rounds: 3,
  burstRounds: 3,
  sliceMs: 800,
  warmUpMs: 800,
  isQuick: true,
};
/** The clients of cases on disk, where more of them only wait longer for its syncs. */
const DISK_CLIENTS = [8];

/** Where the databases are. The disk is the one that holds the project. */
const MEDIA = { tmpfs: MEMORY_DIRECTORY, disk: join(PROJECT_DIRECTORY, '.wrangler') } as const;
type Medium = keyof typeof MEDIA;
const FRESH = 'fresh';
const NAMES = [...CASE_NAMES, FRESH] as const;

const SCRIPT = {
  usage: 'npm run lab -- bench',
  about: `Measures the built Worker on workerd, each case in turn with a bare Worker that does the least that
the case needs.`,
  options: {
    quick: { value: null, about: 'a few short rounds of 8 clients on tmpfs' },
    only: listOption('CASES', NAMES),
    on: listOption('MEDIUM', Object.keys(MEDIA) as Medium[]),
    clients: {
      value: 'NUMBERS',
      about: `how many clients (default: ${FULL.clients.join(',')})`,
      read: (text: string | undefined, name: string) =>
        text?.split(',').map((each) => wholeNumber(name, each, 1)),
    },
  },
};

function listOption<Name extends string>(value: string, names: readonly Name[]) {
  return {
    value,
    about: `of ${names.join(', ')}`,
    read: (text: string | undefined, option: string) =>
      text?.split(',').map((each) => {
        const found = names.find((name) => name === each);
        if (found === undefined) {
          throw new Error(`--${option} takes ${names.join(', ')}`);
        }
        return found;
      }),
  };
}

interface Run extends Effort {
  readonly builtDirectory: string;
  readonly receiver: Receiver;
  readonly medium: Medium;
  readonly names: readonly (CaseName | typeof FRESH)[];
}

await runLabScript(SCRIPT, async ({ quick, only = NAMES, on, clients }) => {
  const effort = quick ? QUICK : FULL;
  const receiver = await Receiver.listen();
  await inDirectory(async (builtDirectory) => {
    await buildKefel(builtDirectory);
    console.log(machineLine());
    for (const medium of on ?? (quick ? ['tmpfs' as const] : (['tmpfs', 'disk'] as const))) {
      const defaultClients = medium === 'disk' ? DISK_CLIENTS : effort.clients;
      await measure({
        ...effort,
        ...{ clients: clients ?? defaultClients, names: only },
        ...{ builtDirectory, receiver, medium },
      });
    }
  });
  return true;
});

/** Measures all cases on new servers with new databases, and prints their table. */
function measure(run: Run): Promise<void> {
  const { builtDirectory, receiver, medium, names } = run;
  const print = (measurement: Measurement) => console.log(tableRow(measurement));
  const isMeasured = (name: CaseName) =>
    names.includes(name) && (medium === 'tmpfs' || 'writes' in CASES[name]);
  return inDirectory(async (directory) => {
    const kefel = await startKefel(builtDirectory, join(directory, 'kefel'));
    const floor = await startFloor(join(directory, 'floor'));
    const kefelSide = new KefelSide({ ...(await benchMerchant()), baseUrl: kefel.url }, receiver);
    const floorSide = new FloorSide(floor.url, receiver);
    try {
      console.log(`\nState on ${medium}:\n\n${TABLE_HEAD}`);
      for (const name of CASE_NAMES.filter(isMeasured)) {
        const benchCase: BenchCase = CASES[name];
        const contenders = {
          kefel: {
            server: kefel,
            prepare: (units: number) => benchCase.kefel(kefelSide, units),
            shownPayments: () => kefelSide.listedPayments(),
          },
          floor: {
            server: floor,
            prepare: (units: number) => benchCase.floor(floorSide, units),
            shownPayments: () => floor.databaseRows('changes'),
          },
        };
        for await (const one of measureCase(contenders, receiver, benchCase, run)) {
          print(one);
        }
      }
      if (names.includes(FRESH) && medium === 'tmpfs') {
        print(await measureFresh(builtDirectory, directory, run.rounds));
      }
    } finally {
      await kefel.stop();
      await floor.stop();
    }
  }, MEDIA[medium]);
}

/** What a reader needs to know to compare figures. */
function machineLine(): string {
  const { version }: { version: string } = createRequire(import.meta.url)('workerd/package.json');
  const processors = cpus();
  return (
    `Measured on ${new Date().toISOString().slice(0, 10)}: ${processors.length} cores of` +
    ` ${processors[0]?.model ?? 'an unknown processor'}, workerd ${version},` +
    ` Node ${process.versions.node}`
  );
}
