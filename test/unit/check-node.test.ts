import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PROJECT_DIRECTORY } from '../../scripts/project/files.ts';

/**
 * Goal: after an install without scripts, or an interrupted one, the first commands say what to do
 * instead of failing with a stack trace. Method: a folder without packages, which asks for a newer
 * Node than any machine has.
 */

const run = promisify(execFile);

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kefel-node-'));
  const manifest = JSON.parse(await readFile(join(PROJECT_DIRECTORY, 'package.json'), 'utf8'));
  manifest.devDependencies.node = '99.1.0';
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
