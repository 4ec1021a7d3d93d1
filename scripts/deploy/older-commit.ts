import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PROJECT_DIRECTORY, readIfPresent } from '../project/files.ts';

/** Tests replace it. */
interface World {
  /** The folder of the clone. */
  readonly project: string;
  /** Whether npm succeeded in this folder. */
  readonly npm: (folder: string, words: readonly string[]) => Promise<boolean>;
}

/**
 * Checks a commit out in a folder of its own, and runs its `npm run deploy` there, which knows what that
 * code needs. Returns whether it succeeded; it explains a failure itself.
 */
export async function deployCommit(
  commit: string,
  args: readonly string[],
  { project, npm }: World = { project: PROJECT_DIRECTORY, npm: runNpm },
): Promise<boolean> {
  const git = (...words: readonly string[]) => promisify(execFile)('git', words, { cwd: project });
  const folder = await mkdtemp(join(tmpdir(), 'kefel-older-'));
  try {
    await git('worktree', 'add', '--detach', folder, commit);
    const isInstalled = (await borrowPackages(project, folder)) || (await npm(folder, ['ci']));
    return isInstalled && (await npm(folder, ['run', 'deploy', '--', ...args]));
  } catch {
    // This clone lacks the commit.
    return false;
  } finally {
    await git('worktree', 'remove', '--force', folder).catch(() => undefined);
    await rm(folder, { recursive: true, force: true });
  }
}

async function runNpm(cwd: string, words: readonly string[]): Promise<boolean> {
  const child = spawn('npm', words, { cwd, stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  return code === 0;
}

/** A package in npm's lock files. Only the integrity of a registry's package is there. */
interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly optional?: boolean;
}

/**
 * Lends the project's packages to a folder that needs the same ones, so that a rollback at night waits
 * for no registry. Returns false when the folder needs others.
 */
async function borrowPackages(project: string, folder: string): Promise<boolean> {
  const packages = join(project, 'node_modules');
  const [wanted, installed] = await Promise.all([
    lockedIn(join(folder, 'package-lock.json')),
    lockedIn(join(packages, '.package-lock.json')),
  ]);
  const isSame = Object.entries(wanted).every(([path, { version, integrity, optional }]) => {
    const own = installed[path];
    // npm leaves out optional packages of other systems.
    return own === undefined
      ? path === '' || optional === true
      : own.version === version && own.integrity === integrity;
  });
  if (!isSame) {
    return false;
  }
  // git ignores a folder of this name, and not a link.
  await mkdir(join(folder, 'node_modules'));
  for (const name of await readdir(packages)) {
    await symlink(join(packages, name), join(folder, 'node_modules', name));
  }
  return true;
}

/** The packages of a lock file by their folders; none without the file. */
async function lockedIn(file: string): Promise<Readonly<Record<string, Locked>>> {
  const text = await readIfPresent(file);
  return text === null ? {} : JSON.parse(text).packages;
}
