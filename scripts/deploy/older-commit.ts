import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PROJECT_DIRECTORY } from '../project/files.ts';

/**
 * Checks a commit out in a folder of its own, and runs its `npm run deploy` there, which knows what that
 * code needs. Returns whether it succeeded; it explains a failure itself.
 */
export async function deployCommit(commit: string, args: readonly string[]): Promise<boolean> {
  const git = (...words: readonly string[]) =>
    promisify(execFile)('git', words, { cwd: PROJECT_DIRECTORY });
  const folder = await mkdtemp(join(tmpdir(), 'kefel-older-'));
  const npm = async (...words: readonly string[]) => {
    const child = spawn('npm', words, { cwd: folder, stdio: 'inherit' });
    const [code] = await once(child, 'exit');
    return code === 0;
  };
  try {
    await git('worktree', 'add', '--detach', folder, commit);
    return (await npm('ci')) && (await npm('run', 'deploy', '--', ...args));
  } catch {
    // This clone lacks the commit.
    return false;
  } finally {
    await git('worktree', 'remove', '--force', folder).catch(() => undefined);
    await rm(folder, { recursive: true, force: true });
  }
}
