import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ProcessGroup } from '../../scripts/gateway/process-group.ts';
import { PROJECT_DIRECTORY } from '../../scripts/project/files.ts';
import { NO_TEST_RAN, type Verdict } from './reporter.ts';
import type { RunRequest } from './test-runner.ts';

/** A whole run of tests in workerd takes two minutes on an idle machine; a change may never end. */
export const RUN_MS_MAX = 600_000;
/** On a busy machine, the pool of Workers sometimes ends before the first test. */
const RUNS_TRIED = 2;
/** A new process after so many runs: each keeps what its tests left in memory. */
const RUNS_OF_PROCESS = 40;

/** A planted bug may leave a name unused, or a line that nothing reaches. */
const PERMISSIVE = [
  ...['--noUnusedLocals', 'false'],
  ...['--noUnusedParameters', 'false'],
  ...['--allowUnreachableCode', 'true'],
];

interface JudgeOptions {
  readonly runMsMax?: number;
  readonly importing?: string | null;
}

const RUNNER = 'lab/mutants/test-runner.ts';

/** A copy of the repository, to try changes on. */
export class RepositoryCopy {
  readonly directory: string;
  #runner: { readonly processes: ProcessGroup; runs: number } | null = null;
  readonly #changed = new Set<string>();

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

  async remove(): Promise<void> {
    await this.#endRunner();
    await rm(this.directory, { recursive: true });
  }

  has(file: string): boolean {
    return existsSync(join(this.directory, file));
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
      await this.#write(file, content);
    }
    try {
      return await action();
    } finally {
      for (const [file, original] of originals) {
        await this.#write(file, original);
      }
    }
  }

  async #write(file: string, content: string): Promise<void> {
    await writeFile(join(this.directory, file), content);
    this.#changed.add(file);
  }

  /**
   * Runs tests until the first assertion that fails. `files`: beginnings of names. `importing`: only
   * tests whose files import that file.
   */
  async judge(
    project: 'unit' | 'rails' | 'workers',
    files: readonly string[],
    { runMsMax = RUN_MS_MAX, importing = null }: JudgeOptions = {},
  ): Promise<Verdict> {
    if (files.length === 0) {
      return { type: 'missed' };
    }
    for (let tried = 1; ; tried += 1) {
      const verdict = await this.#runTests({ project, files, importing }, runMsMax);
      if (verdict.type === 'invalid') {
        // Neither a second try nor the next bug may suffer from what this one has left.
        await this.#endRunner();
      }
      const hasRun = verdict.type !== 'invalid' || verdict.why !== NO_TEST_RAN;
      if (hasRun || tried === RUNS_TRIED) {
        return verdict;
      }
    }
  }

  async #runTests(asked: Omit<RunRequest, 'changed'>, runMsMax: number): Promise<Verdict> {
    if (this.#runner?.runs === RUNS_OF_PROCESS) {
      await this.#endRunner();
    }
    const outputFile = join(this.directory, 'output.txt');
    this.#runner ??= {
      processes: new ProcessGroup({
        command: process.execPath,
        args: [RUNNER],
        directory: this.directory,
        outputFile,
        hasMessages: true,
      }),
      runs: 0,
    };
    this.#runner.runs += 1;
    const { processes } = this.#runner;
    const request: RunRequest = { ...asked, changed: [...this.#changed] };
    this.#changed.clear();
    const limit = new AbortController();
    const timeout = wait(runMsMax, 'timeout' as const, { signal: limit.signal });
    const ended = processes.ended.then(() => 'ended' as const);
    const result = await Promise.race([processes.ask(request), ended, timeout]);
    limit.abort();
    switch (result) {
      case 'timeout':
        return { type: 'invalid', why: `the tests did not end within ${runMsMax / 1_000} s` };
      case 'ended':
        return {
          type: 'invalid',
          why: `the tests did not run: ${await readFile(outputFile, 'utf8')}`,
        };
      default:
        return result as Verdict;
    }
  }

  async #endRunner(): Promise<void> {
    await this.#runner?.processes.kill();
    this.#runner = null;
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
