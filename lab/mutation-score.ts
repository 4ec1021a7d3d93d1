/**
 * `npm run lab -- mutation-score`: Stryker changes the code of the rooms that decide about money in every
 * small way, and the unit tests and histories of the simulation run on each change
 * (docs/reliability.md#mutation-score). `--help` lists the options.
 *
 * Stryker is installed into a temporary folder: `npm ci` would bring its 60 MB and 177 packages to
 * every developer.
 */
import { cp, symlink } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { PROJECT_DIRECTORY } from '../scripts/project/files.ts';
import { inDirectory } from './harness/directory.ts';
import { runProgram } from './harness/program.ts';
import { runLabScript } from './harness/script.ts';

/** Below everything else: a whole run takes more than an hour. */
const PRIORITY = 10;

const CONFIGURATION_DIRECTORY = join(import.meta.dirname, 'mutation-score');

const SCRIPT = {
  usage: 'npm run lab -- mutation-score',
  about: 'Changes the code in every small way, and counts the changes that no test notices.',
  options: {
    mutate: {
      value: 'PATTERNS',
      about: 'only these files or lines, as src/engine/domain/money.ts:10-20, separated by commas',
    },
    incremental: {
      value: null,
      about: 'test only what has changed since the last run with this option',
    },
    force: { value: null, about: 'with --incremental: test all that --mutate names' },
  },
};

await runLabScript(SCRIPT, async ({ mutate, incremental, force }) => {
  setPriority(PRIORITY);
  // Stryker's own options have the same names.
  const options = [
    ...(mutate === undefined ? [] : ['--mutate', mutate]),
    ...(incremental ? ['--incremental'] : []),
    ...(force ? ['--force'] : []),
  ];
  await inDirectory(async (directory) => {
    await cp(join(CONFIGURATION_DIRECTORY, 'package.json'), join(directory, 'package.json'));
    // Without the peer: the tests and Stryker must share one Vitest, the repository's.
    const install = ['install', '--legacy-peer-deps', '--no-audit', '--no-fund'];
    await runProgram('npm', [...install, '--ignore-scripts'], directory);
    const packages = join(directory, 'node_modules');
    await symlink(join(PROJECT_DIRECTORY, 'node_modules', 'vitest'), join(packages, 'vitest'));
    const stryker = join(packages, '@stryker-mutator', 'core', 'bin', 'stryker.js');
    const configuration = join(CONFIGURATION_DIRECTORY, 'stryker.config.mjs');
    await runProgram(
      process.execPath,
      [stryker, 'run', configuration, ...options],
      PROJECT_DIRECTORY,
    );
  });
  return true;
});
