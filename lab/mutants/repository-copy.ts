import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ProcessGroup } from '../../scripts/gateway/process-group.ts';
import { PROJECT_DIRECTORY } from '../../scripts/project/files.ts';
import type { Verdict } from './reporter.ts';

/** A whole run of tests in workerd takes two minutes on an idle machine; a change may never end. */
export const RUN_MS_MAX = 600_000;
/** On a busy machine, the pool of Workers sometimes ends before the first test. */
const RUNS_TRIED = 2;

/** A planted bug may leave a name unused, or a line that nothing reaches. */
const PERMISSIVE = [
  ...['--noUnusedLocals', 'false'],
  ...['--noUnusedParameters', 'false'],
  ...['--allowUnreachableCode', 'true'],
];

const REPORTER = './lab/mutants/reporter.ts';

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

  /** What `action` returns while these files have these contents. */
  async changed<Result>(
    contents: ReadonlyMap<string, string>,
    action: () => Promise<Result>,
  ): Promise<Result> {
    const originals = new Map<string, string>();
    for (const [file, content] of contents) {
      originals.set(file, await this.read(file));
      await writeFile(join(this.directory, file), content);
    }
    try {
      return await action();
    } finally {
      for (const [file, original] of originals) {
        await writeFile(join(this.directory, file), original);
      }
    }
  }

  /** Runs tests until the first assertion that fails. `files`: beginnings of names. */
  async judge(
    projects: readonly ('unit' | 'rails' | 'workers')[],
    files: readonly string[],
    runMsMax = RUN_MS_MAX,
  ): Promise<Verdict> {
    if (files.length === 0) {
      return { type: 'missed' };
    }
    const report = join(this.directory, 'test-run.json');
    const chosen = projects.flatMap((project) => ['--project', project]);
    const reporting = ['--reporter', REPORTER, '--outputFile', report];
    // The run has a limit instead, so that a busy machine does not fail the slowest tests.
    const unlimited = ['--testTimeout', String(runMsMax)];
    const options = ['run', ...chosen, ...reporting, ...unlimited, ...files];
    let why = '';
    for (let tried = 0; tried < RUNS_TRIED; tried += 1) {
      await rm(report, { force: true });
      const { hasEnded, output } = await this.#run('vitest/vitest.mjs', options, runMsMax);
      if (!hasEnded) {
        return { type: 'invalid', why: `the tests did not end within ${runMsMax / 1_000} s` };
      }
      if (existsSync(report)) {
        return JSON.parse(await readFile(report, 'utf8'));
      }
      why = `the tests did not run: ${output}`;
    }
    return { type: 'invalid', why };
  }

  /** What the TypeScript compiler finds wrong; null: nothing. */
  async compilerErrors(): Promise<string | null> {
    const options = ['-p', '.', ...PERMISSIVE];
    const { isSuccess, output } = await this.#run('typescript/bin/tsc', options, RUN_MS_MAX);
    return isSuccess ? null : output;
  }

  /** Runs a program of a package, and kills it and all that it has started after `runMsMax`. */
  async #run(program: string, options: readonly string[], runMsMax: number) {
    const outputFile = join(this.directory, 'output.txt');
    await rm(outputFile, { force: true });
    const processes = new ProcessGroup({
      command: process.execPath,
      args: [join('node_modules', program), ...options],
      directory: this.directory,
      outputFile,
    });
    const limit = new AbortController();
    const timeout = wait(runMsMax, 'timeout', { signal: limit.signal });
    const exitCode = await Promise.race([processes.ended, timeout]);
    limit.abort();
    await processes.kill();
    const output = await readFile(outputFile, 'utf8');
    return { hasEnded: exitCode !== 'timeout', isSuccess: exitCode === 0, output };
  }
}

/** A file that git knows and that was deleted. */
function ignoreMissing(error: unknown): void {
  if (Object(error).code !== 'ENOENT') {
    throw error;
  }
}
