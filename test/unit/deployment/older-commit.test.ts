import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { deployCommit } from '../../../scripts/deploy/older-commit.ts';
import { readIfPresent } from '../../../scripts/project/files.ts';

/**
 * Goal: a rollback after a rotation waits for no registry when the older code needs the packages that
 * are installed. Method: a repository with an older commit; npm is played here.
 */

const PACKAGE = 'node_modules/kefel-unpublished';
let project: string;
/** What npm was told to do. */
let told: string[];

beforeEach(async () => {
  project = await mkdtemp(join(tmpdir(), 'kefel-rollback-'));
  told = [];
  await mkdir(join(project, PACKAGE), { recursive: true });
  await writeFile(join(project, PACKAGE, 'index.js'), 'packaged');
  await writeFile(join(project, '.gitignore'), 'node_modules/\n');
});

afterEach(() => rm(project, { recursive: true, force: true }));

function git(cwd: string, ...words: readonly string[]): string {
  const names = ['-c', 'user.name=Hana', '-c', 'user.email=hana@example.com'];
  return String(execFileSync('git', [...names, ...words], { cwd })).trim();
}

/** Says of each command which package it finds, and which changes git sees. */
async function npm(folder: string, words: readonly string[]): Promise<boolean> {
  const found = await readIfPresent(join(folder, PACKAGE, 'index.js'));
  told.push(`${words.join(' ')}: ${found}${git(folder, 'status', '--porcelain')}`);
  return true;
}

/** Commits a lock file of these packages, installs those, and deploys the commit. */
async function deploy(wanted: object, installed: object): Promise<boolean> {
  const lock = (packages: object) => JSON.stringify({ lockfileVersion: 3, packages });
  await writeFile(join(project, 'package-lock.json'), lock(wanted));
  await writeFile(join(project, 'node_modules/.package-lock.json'), lock(installed));
  git(project, 'init', '--quiet');
  git(project, 'add', '--all');
  git(project, 'commit', '--quiet', '--message', 'Older');
  return deployCommit(git(project, 'rev-parse', 'HEAD'), ['--yes'], { project, npm });
}

const ROOT = { '': { name: 'shop', version: '1.0.0' } };
const ONE = { version: '1.0.0', integrity: 'sha512-one' };

test('the older code uses the installed packages, and finds its folder without changes', async () => {
  const otherSystem = { 'node_modules/other-system': { ...ONE, optional: true } };
  const wanted = { ...ROOT, [PACKAGE]: ONE, ...otherSystem };
  expect(await deploy(wanted, { [PACKAGE]: ONE })).toBe(true);
  expect(told).toEqual(['run deploy -- --yes: packaged']);
  expect(await readIfPresent(join(project, PACKAGE, 'index.js'))).toBe('packaged');
  expect(git(project, 'worktree', 'list').split('\n')).toHaveLength(1);
});

test.each([
  ['another version', { [PACKAGE]: { ...ONE, version: '1.0.1' } }],
  ['another file of the version', { [PACKAGE]: { ...ONE, integrity: 'sha512-two' } }],
  ['nothing', {}],
])('the older code installs its packages when %s is installed', async (_what, installed) => {
  expect(await deploy({ ...ROOT, [PACKAGE]: ONE }, installed)).toBe(true);
  expect(told).toEqual(['ci: null', 'run deploy -- --yes: null']);
});
