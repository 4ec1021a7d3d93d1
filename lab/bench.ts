/**
 * `npm run bench`: what Kefel costs, each case measured in turn with a bare Worker that does the
 * least that the case needs, or with other software. `--help` lists the options;
 * docs/benchmarks.md explains the tables.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PROJECT_DIRECTORY } from '../scripts/project/files.ts';
import { CASE_NAMES } from './bench/cases.ts';
import { startFloor } from './bench/floor.ts';
import { GROWTH_CASES } from './bench/growth.ts';
import { machineLine } from './bench/machine.ts';
import type { Effort } from './bench/measure.ts';
import { BENCH, type Chosen, chosenBy } from './bench/options.ts';
import { installPeers, PEERS, startPeer } from './bench/peers.ts';
import { profileCase } from './bench/profile.ts';
import { type Baseline, DIRECTORIES, runCases } from './bench/run.ts';
import { measurementTable, repeatCount, withSection } from './bench/table.ts';
import { buildKefel, startKefel } from './harness/built-worker.ts';
import { inDirectory } from './harness/directory.ts';
import { runScript } from './harness/script.ts';

const DOCUMENT_FILE = join(PROJECT_DIRECTORY, 'docs', 'benchmarks.md');
const FLOOR_HEADING = '## Speed and processor time';
const PEERS_HEADING = '### Measured with peers';

/** Measured again, and on disk, where more clients only wait longer for its syncs. */
const SOME_CLIENTS = 8;

/** Wrangler's list of bindings would bury the table. */
process.env.WRANGLER_LOG = 'error';

type MeasureOptions = Extract<Chosen, { type: 'measure' }>;

const FLOOR: Baseline = {
  name: 'floor',
  about: 'the floor',
  side: 'floor',
  cases: CASE_NAMES,
  start: startFloor,
};

await runScript(BENCH, async (values) => {
  const options = chosenBy(values);
  await inDirectory(async (directory) => {
    const builtDirectory = join(directory, 'kefel');
    if (options.type === 'profile') {
      await buildKefel(builtDirectory, false);
      await inDirectory(
        (stateDirectory) => profileCase(options.name, builtDirectory, stateDirectory),
        DIRECTORIES.tmpfs,
      );
      return;
    }
    await buildKefel(builtDirectory, true);
    switch (options.baseline) {
      case 'peers':
        await report(PEERS_HEADING, await peerBaselines(directory), options, builtDirectory);
        break;
      case 'new':
        await report(FLOOR_HEADING, [newKefel(builtDirectory)], options, builtDirectory);
        break;
      case 'floor':
        await report(FLOOR_HEADING, [FLOOR], options, builtDirectory);
    }
  });
  return true;
});

function newKefel(builtDirectory: string): Baseline {
  return {
    name: 'new',
    about: 'Kefel without payments',
    side: 'new',
    cases: GROWTH_CASES,
    start: (stateDirectory) => startKefel(builtDirectory, stateDirectory),
  };
}

async function peerBaselines(directory: string): Promise<readonly Baseline[]> {
  const installedDirectory = join(directory, 'peers');
  await installPeers(installedDirectory);
  return PEERS.map((peer) => ({
    ...peer,
    side: 'peer',
    start: (stateDirectory) => startPeer(peer, installedDirectory, stateDirectory),
  }));
}

async function report(
  heading: string,
  baselines: readonly Baseline[],
  { media, names, effort, payments, isForDocument }: MeasureOptions,
  builtDirectory: string,
): Promise<void> {
  const sections: string[] = [machineLine(process.argv.slice(2))];
  for (const medium of media) {
    for (const baseline of baselines.filter(({ cases }) =>
      names.some((name) => cases.includes(name)),
    )) {
      const run = (how: Effort) =>
        runCases(baseline, { builtDirectory, medium, names, effort: how, payments });
      const isShort = effort.clients.includes(SOME_CLIENTS);
      const short = isShort ? { ...effort, clients: [SOME_CLIENTS] } : effort;
      const measured = await run(medium === 'tmpfs' ? effort : short);
      const isRepeated = isForDocument && baseline === FLOOR && medium === 'tmpfs';
      const again = isRepeated ? await run(short) : null;
      sections.push(
        `Compared with ${baseline.about}, state on ${medium}:`,
        measurementTable(baseline.name, measured, again),
      );
      if (again !== null) {
        const { within, all } = repeatCount(measured, again);
        sections.push(
          `Of ${all} CPU ratios of the second run, ${within} lie within the first run's spread.`,
        );
      }
    }
  }
  const text = sections.join('\n\n');
  console.log(`\n${text}`);
  if (isForDocument) {
    const document = await readFile(DOCUMENT_FILE, 'utf8');
    await writeFile(DOCUMENT_FILE, withSection(document, heading, text));
  }
}
