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
  /** Only tests whose files import this one; null: all. */
  readonly importing: string | null;
}

/** The parent limits a run, so that a busy machine does not fail the slowest tests. */
const TEST_MS_MAX = 3_600_000;

const reporter = new VerdictReporter();
const vitest = await createVitest('test', {
  watch: false,
  reporters: [reporter],
  testTimeout: TEST_MS_MAX,
});

process.on('message', (request: RunRequest) => {
  void run(request).then((verdict) => process.send?.(verdict));
});

async function run({ project, files, changed, importing }: RunRequest): Promise<Verdict> {
  for (const file of changed) {
    vitest.invalidateFile(resolve(file));
  }
  reporter.verdict = NOT_RUN;
  const found = await (importing === null
    ? vitest.globTestSpecifications([...files])
    : testsImporting(importing, files));
  const specifications = found.filter((specification) => specification.project.name === project);
  if (importing !== null && specifications.length === 0) {
    return { type: 'missed' };
  }
  await vitest.runTestSpecifications(specifications);
  return reporter.verdict;
}

function testsImporting(file: string, files: readonly string[]) {
  // Vitest sets it from its option --related, and reads it each time.
  vitest.config.related = [resolve(file)];
  return vitest.getRelevantTestSpecifications([...files]);
}
