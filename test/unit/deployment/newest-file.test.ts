import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { readDeployment } from '../../../scripts/deployment/deployment-file.ts';
import { newerCommitOf, olderCode } from '../../../scripts/deployment/newest-file.ts';
import { deploymentFixture } from '../../support/deployment.ts';

/**
 * Goal: no command works with a deployment file that lacks the gateway's newest keys, because a person
 * has checked an older commit out. Method: a repository with two commits of code and file.
 */

const directories: string[] = [];
let root = '';
let folder = '';
let older = '';

function git(...args: readonly string[]): string {
  const author = ['-c', 'user.name=Sara', '-c', 'user.email=sara@example.com'];
  return execFileSync('git', [...author, ...args], { cwd: root, stdio: 'pipe' })
    .toString()
    .trim();
}

function commit(code: string, locationHint: 'afr' | 'me'): string {
  writeFileSync(join(root, 'code.txt'), code);
  const deployment = deploymentFixture({ locationHint });
  writeFileSync(join(folder, 'production.json'), JSON.stringify(deployment));
  git('add', '-A');
  git('commit', '-qm', code);
  return git('rev-parse', 'HEAD');
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'kefel-git-'));
  directories.push(root);
  folder = join(root, 'deployments');
  mkdirSync(folder);
  git('init', '-qb', 'main');
  older = commit('older', 'afr');
  commit('newer', 'me');
});

afterAll(() => {
  for (const one of directories) {
    rmSync(one, { recursive: true });
  }
});

test('refuses the deployment file of an older commit, and names the commit of the newest', async () => {
  const newest = git('rev-parse', 'main');
  git('checkout', '-q', older);
  const read = readDeployment('production', folder);
  await expect(read).rejects.toThrow(`is older than that of commit ${newest}`);
});

test('takes the newest file, also with changes that no commit has yet', async () => {
  expect(await readDeployment('production', folder)).toMatchObject({ locationHint: 'me' });
  const changed = deploymentFixture({ locationHint: 'weur' });
  writeFileSync(join(folder, 'production.json'), JSON.stringify(changed));
  expect(await readDeployment('production', folder)).toMatchObject({ locationHint: 'weur' });
});

test('takes the file beside older code', async () => {
  execFileSync('sh', ['-c', olderCode(older)], { cwd: root });
  git('commit', '-qm', 'Go back');
  expect(readFileSync(join(root, 'code.txt'), 'utf8')).toBe('older');
  expect(await readDeployment('production', folder)).toMatchObject({ locationHint: 'me' });
});

test('takes any file outside of a repository', async () => {
  rmSync(join(root, '.git'), { recursive: true });
  expect(await newerCommitOf(join(folder, 'production.json'))).toBeNull();
});
