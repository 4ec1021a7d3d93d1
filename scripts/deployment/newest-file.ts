import { execFile } from 'node:child_process';
import { basename, dirname } from 'node:path';
import { promisify } from 'node:util';

/**
 * The commit of another branch that has a newer version of a file, if git knows one: an older deployment
 * file lacks the newest keys, and a rotation would take them from the gateway. Null otherwise.
 */
export async function newerCommitOf(file: string): Promise<string | null> {
  const run = promisify(execFile);
  const git = async (...args: readonly string[]) =>
    (await run('git', args, { cwd: dirname(file) })).stdout.trim();
  try {
    const name = basename(file);
    const newest = await git('log', '-1', '--format=%H', '--branches', '--', name);
    if (newest === '' || (await git('diff', '--name-only', newest, '--', name)) === '') {
      return null;
    }
    // Its own later changes may have no commit yet.
    return (await git('rev-list', '-1', newest, '^HEAD')) === '' ? null : newest;
  } catch {
    // Neither git nor a repository is needed.
    return null;
  }
}

/** What goes back to the code of a commit, and keeps the deployment files. */
export function olderCode(commit: string): string {
  return `git restore --source ${commit} --staged --worktree -- . ':!deployments'`;
}
