/**
 * `npm run mutation-score`: Stryker changes the code of the rooms that decide about money in every
 * small way, and the unit tests and histories of the simulation run on each change
 * (docs/reliability.md#mutation-score). `--help` lists the options.
 *
 * Stryker is installed into a temporary folder: 60 MB and 177 packages that `npm ci` would bring to
 * everybody.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROJECT_DIRECTORY } from '../scripts/project/files.ts';
import { commandLine, type GivenOptions } from '../scripts/project/options.ts';
import { givenNumber } from '../scripts/project/whole-number.ts';
import { trySurvivors } from './mutation-score/survivors.ts';

/** Below everything else: a whole run takes more than an hour. */
const PRIORITY = 10;

const CONFIGURATION_DIRECTORY = join(import.meta.dirname, 'mutation-score');

/** As in its configuration. */
const REPORT = join(PROJECT_DIRECTORY, 'test-artefacts', 'mutation', 'report.json');

const SCRIPT = {
  usage: 'npm run mutation-score',
  about: 'Changes the code in every small way, and counts the changes that no test notices.',
  options: {
    mutate: {
      value: 'PATTERNS',
      about: 'only these files or lines, as src/domain/money.ts:10-20, separated by commas',
    },
    incremental: {
      value: null,
      about: 'test only what has changed since the last run with this option',
    },
    force: { value: null, about: 'with --incremental: test all that --mutate names' },
    survivors: {
      value: 'N',
      about: 'no new run: tries N of the last one that survived on the tests in workerd',
    },
  },
};

type Chosen =
  | { readonly type: 'survivors'; readonly sampleSize: number }
  | { readonly type: 'score'; readonly strykerOptions: readonly string[] };

function chosenBy(given: GivenOptions): Chosen {
  if (given.has('survivors')) {
    return { type: 'survivors', sampleSize: givenNumber(given, 'survivors', 0) };
  }
  // Stryker's own have the same names.
  const options = [...given].flatMap(([name, [value]]) => [`--${name}`, ...(value ? [value] : [])]);
  return { type: 'score', strykerOptions: options };
}

async function main(): Promise<number> {
  const chosen = commandLine(SCRIPT, chosenBy);
  setPriority(PRIORITY);
  if (chosen.type === 'survivors') {
    await trySurvivors(REPORT, chosen.sampleSize);
    return 0;
  }
  return score(chosen.strykerOptions);
}

/** Returns Stryker's exit code. */
async function score(strykerOptions: readonly string[]): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'kefel-mutation-score-'));
  try {
    await cp(join(CONFIGURATION_DIRECTORY, 'package.json'), join(directory, 'package.json'));
    // Without the peer: the tests and Stryker must share one Vitest, the repository's.
    const install = ['install', '--legacy-peer-deps', '--no-audit', '--no-fund'];
    if ((await run('npm', [...install, '--ignore-scripts'], directory)) !== 0) {
      throw new Error('Stryker could not be installed');
    }
    const packages = join(directory, 'node_modules');
    await symlink(join(PROJECT_DIRECTORY, 'node_modules', 'vitest'), join(packages, 'vitest'));
    const stryker = join(packages, '@stryker-mutator', 'core', 'bin', 'stryker.js');
    const configuration = join(CONFIGURATION_DIRECTORY, 'stryker.config.mjs');
    const options = ['run', configuration, ...strykerOptions];
    return await run(process.execPath, [stryker, ...options], PROJECT_DIRECTORY);
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Runs a program and waits for its end. Returns its exit code. */
async function run(program: string, args: readonly string[], directory: string): Promise<number> {
  const child = spawn(program, args, { cwd: directory, stdio: 'inherit' });
  const [exitCode] = await once(child, 'exit');
  return exitCode ?? 1;
}

process.exitCode = await main();
