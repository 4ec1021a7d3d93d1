/**
 * `npm run bench`: what Kefel costs, each case measured in turn with a bare Worker that does the
 * least that the case needs, or with Kefel without payments. `--help` lists the options;
 * docs/benchmarks.md explains the tables.
 */
import { createRequire } from 'node:module';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { PROJECT_DIRECTORY } from '../scripts/project/files.ts';
import { numberOption, wholeNumber } from '../scripts/project/options.ts';
import { CASE_NAMES, CASES, type CaseName } from './bench/cases.ts';
import { startFloor } from './bench/floor.ts';
import { measureFresh } from './bench/fresh.ts';
import { fillServer, GROWTH_CASES } from './bench/growth.ts';
import { type Contender, type Effort, measureCase } from './bench/measure.ts';
import { Receiver } from './bench/receiver.ts';
import { FloorSide, KefelSide } from './bench/sides.ts';
import { type Measurement, tableHead, tableRow } from './bench/table.ts';
import { benchMerchant, buildKefel, startKefel } from './harness/built-worker.ts';
import { inDirectory, MEMORY_DIRECTORY } from './harness/directory.ts';
import { runScript } from './harness/script.ts';

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
/** Of cases on disk, where more clients only wait longer for its syncs. */
const DISK_CLIENTS = [8];

/** Where the databases are. The disk is the one that holds the project. */
const MEDIA = { tmpfs: MEMORY_DIRECTORY, disk: join(PROJECT_DIRECTORY, '.wrangler') } as const;
type Medium = keyof typeof MEDIA;
const FRESH = 'fresh';
const NAMES = [...CASE_NAMES, FRESH] as const;

const SCRIPT = {
  usage: 'npm run bench',
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
    growth: numberOption('PAYMENTS', 'with so many payments, compared with none', null),
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
  /** How many payments Kefel has before the first case; null: it is compared with the floor. */
  readonly payments: number | null;
}

await runScript(SCRIPT, async ({ quick, only = NAMES, on, clients, growth: payments }) => {
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
        ...{ builtDirectory, receiver, medium, payments },
      });
    }
  });
  return true;
});

/** Measures all cases on new servers with new databases, and prints their table. */
function measure(run: Run): Promise<void> {
  const { builtDirectory, receiver, medium, names, payments } = run;
  const print = (measurement: Measurement) => console.log(tableRow(measurement));
  const isMeasured = (name: CaseName) =>
    names.includes(name) &&
    (medium === 'tmpfs' || 'writes' in CASES[name]) &&
    (payments === null || GROWTH_CASES.includes(name));
  return inDirectory(async (directory) => {
    const kefel = await kefelContender(builtDirectory, join(directory, 'kefel'), receiver);
    const baseline = await (payments === null
      ? floorContender(join(directory, 'floor'), receiver)
      : kefelContender(builtDirectory, join(directory, 'new'), receiver));
    try {
      if (payments !== null) {
        console.log(await fillServer(kefel, receiver, payments));
      }
      console.log(`\nState on ${medium}:\n\n${tableHead(payments === null ? 'floor' : 'new')}`);
      for (const name of CASE_NAMES.filter(isMeasured)) {
        for await (const one of measureCase({ kefel, baseline }, receiver, CASES[name], run)) {
          print(one);
        }
      }
      if (names.includes(FRESH) && medium === 'tmpfs' && payments === null) {
        print(await measureFresh(builtDirectory, directory, run.rounds));
      }
    } finally {
      await kefel.server.stop();
      await baseline.server.stop();
    }
  }, MEDIA[medium]);
}

async function kefelContender(
  builtDirectory: string,
  stateDirectory: string,
  receiver: Receiver,
): Promise<Contender> {
  const server = await startKefel(builtDirectory, stateDirectory);
  const side = new KefelSide({ ...(await benchMerchant()), baseUrl: server.url }, receiver);
  return { server, prepare: ({ kefel }, units) => kefel(side, units) };
}

async function floorContender(stateDirectory: string, receiver: Receiver): Promise<Contender> {
  const server = await startFloor(stateDirectory);
  const side = new FloorSide(server.url, receiver);
  return { server, prepare: ({ floor }, units) => floor(side, units) };
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
