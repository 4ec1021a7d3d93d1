import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProcessGroup } from '../gateway/process-group.ts';
import { PROJECT_DIRECTORY } from '../project/files.ts';

/** A whole run of tests in workerd takes two minutes; a change may make it endless. */
const RUN_TIMEOUT_MS = 300_000;

/** A copy of the repository, to try changes on. */
export class RepositoryCopy {
  readonly directory: string;

  private constructor(directory: string) {
    this.directory = directory;
  }

  static async create(): Promise<RepositoryCopy> {
    const copy = new RepositoryCopy(await mkdtemp(join(tmpdir(), 'kefel-mutants-')));
    const list = ['ls-files', '-co', '--exclude-standard'];
    const files = execFileSync('git', list, { cwd: PROJECT_DIRECTORY, encoding: 'utf8' });
    for (const file of files.split('\n').filter((name) => name !== '')) {
      await cp(join(PROJECT_DIRECTORY, file), join(copy.directory, file)).catch(ignoreMissing);
    }
    const packages = 'node_modules';
    await symlink(join(PROJECT_DIRECTORY, packages), join(copy.directory, packages));
    return copy;
  }

  remove(): Promise<void> {
    return rm(this.directory, { recursive: true });
  }

  read(file: string): Promise<string> {
    return readFile(join(this.directory, file), 'utf8');
  }

  /** What `action` returns while the file has this content. */
  async changed<Result>(
    file: string,
    content: string,
    action: () => Promise<Result>,
  ): Promise<Result> {
    const original = await this.read(file);
    await writeFile(join(this.directory, file), content);
    try {
      return await action();
    } finally {
      await writeFile(join(this.directory, file), original);
    }
  }

  /** The first test file that fails; null: none. `files`: beginnings of names. */
  async failingTest(project: 'unit' | 'workers', files: readonly string[]): Promise<string | null> {
    if (files.length === 0) {
      return null;
    }
    const options = ['run', '--project', project, '--bail', '1', ...files];
    const vitest = join('node_modules', 'vitest', 'vitest.mjs');
    const outputFile = join(this.directory, 'test-output.txt');
    await writeFile(outputFile, '');
    const tests = new ProcessGroup({
      command: process.execPath,
      args: [vitest, ...options],
      directory: this.directory,
      outputFile,
    });
    const timer = setTimeout(() => tests.killNow(), RUN_TIMEOUT_MS);
    const exitCode = await tests.ended;
    clearTimeout(timer);
    await tests.kill();
    if (exitCode === 0 || exitCode === null) {
      return exitCode === 0 ? null : `${project} tests, which did not end`;
    }
    const output = await readFile(outputFile, 'utf8');
    const [, test] = /FAIL.*?(test\/\w+\/[\w-]+\.test\.ts)/.exec(output) ?? [];
    return test ?? `${project} tests`;
  }
}

/** A file that git knows and that was deleted. */
function ignoreMissing(error: unknown): void {
  if (Object(error).code !== 'ENOENT') {
    throw error;
  }
}
