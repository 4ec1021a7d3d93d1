import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { PROJECT_DIRECTORY } from '../../scripts/project/files.ts';

/** Goal: a developer who asks a script for help, or mistypes an option, reads what it takes. */

const run = promisify(execFile);

const SCRIPTS = globSync('scripts/*.ts', { cwd: PROJECT_DIRECTORY }).filter((path) =>
  readFileSync(join(PROJECT_DIRECTORY, path), 'utf8').includes('commandLine('),
);

test('most scripts have a help', () => {
  expect(SCRIPTS.length).toBeGreaterThan(10);
});

test.each(SCRIPTS)('%s prints its help and does nothing else', async (path) => {
  const { stdout } = await run('node', [path, '--help'], { cwd: PROJECT_DIRECTORY });
  expect(stdout).toMatch(/^npm run .* \[-- options\]\n/);
  expect(stdout).toContain('show this help\n');
});

test.each([
  [['--nope'], "Unknown option '--nope'\nThe options are listed by --help.\n"],
  [['--seeds', 'x'], '--seeds takes a whole number from 1\n'],
])('npm run mutants rejects %o without a stack trace', async (args, stderr) => {
  const options = { cwd: PROJECT_DIRECTORY };
  await expect(run('node', ['scripts/mutants.ts', ...args], options)).rejects.toMatchObject({
    code: 1,
    stderr,
  });
});
