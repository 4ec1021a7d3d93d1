import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MUTANTS } from '../../lab/mutants/all.ts';
import { type TestRun, verdictOf } from '../../lab/mutants/verdict.ts';
import { PROJECT_DIRECTORY } from '../../scripts/project/files.ts';

/**
 * Goal: no planted bug is outdated when its file changes. Only `npm run mutants`, which takes long,
 * would notice otherwise.
 */
test.each(MUTANTS)('the planted bug "$breaks" fits one place of $file', async ({ file, find }) => {
  const source = await readFile(join(PROJECT_DIRECTORY, file), 'utf8');
  expect(source.split(find)).toHaveLength(2);
});

const CLEAN: TestRun = { unloaded: [], failedTests: [], errors: [], passed: 1 };
const FAILURE = { where: 'test/unit/a.test.ts: a title', message: 'why' };
const ASSERTION = { ...FAILURE, isAssertion: true };
const EXCEPTION = { where: 'test/unit/b.test.ts: b', message: 'broken', isAssertion: false };

/** Goal: `npm run mutants` counts no bug as caught that no assertion has caught. */
test.each<[string, Partial<TestRun>, string]>([
  ['all tests pass', {}, 'missed'],
  ['an assertion fails', { failedTests: [ASSERTION] }, FAILURE.where],
  [
    'a test throws before an assertion fails',
    { failedTests: [EXCEPTION, ASSERTION] },
    FAILURE.where,
  ],
  ['an assertion and a hook fail', { failedTests: [ASSERTION], errors: [FAILURE] }, FAILURE.where],
  ['a test throws or times out', { failedTests: [EXCEPTION] }, 'invalid'],
  ['a hook fails', { errors: [FAILURE] }, 'invalid'],
  ['a file does not load', { unloaded: [FAILURE] }, 'invalid'],
  [
    'an assertion fails, a file not loads',
    { unloaded: [FAILURE], failedTests: [ASSERTION] },
    'invalid',
  ],
  ['no test runs', { passed: 0 }, 'invalid'],
])('the verdict when %s', (_when, run, expected) => {
  const verdict = verdictOf({ ...CLEAN, ...run });
  expect(verdict.type === 'caught' ? verdict.by : verdict.type).toBe(expected);
});
