import { resolve } from 'node:path';
import { createVitest } from 'vitest/node';
import { NOT_RUN, type Verdict, VerdictReporter } from './reporter.ts';

/**
 * A process that runs tests in its directory each time that its parent asks. It loads the configuration
 * and transforms the files once: a run alone would take most of its time for that.
 */

/** What the parent asks. Paths are within the directory. */
export interface RunRequest {
  readonly project: string;
  /** Beginnings of names. */
  readonly files: readonly string[];
  /** What has changed since the last run. */
  readonly changed: readonly string[];
}

/** The parent limits a run, so that a busy machine does not fail the slowest tests. */
const TEST_MS_MAX = 3_600_000;

const reporter = new VerdictReporter();
const vitest = await createVitest('test', {
  watch: false,
  reporters: [reporter],
  testTimeout: TEST_MS_MAX,
});

process.on('message', ({ project, files, changed }: RunRequest) => {
  void run(project, files, changed).then((verdict) => process.send?.(verdict));
});

async function run(
  project: string,
  files: readonly string[],
  changed: readonly string[],
): Promise<Verdict> {
  for (const file of changed) {
    vitest.invalidateFile(resolve(file));
  }
  reporter.verdict = NOT_RUN;
  const found = await vitest.globTestSpecifications([...files]);
  const specifications = found.filter((specification) => specification.project.name === project);
  await vitest.runTestSpecifications(specifications);
  return reporter.verdict;
}
