/** The result of a run of tests. */
export interface TestRun {
  /** Test files that do not load. */
  readonly unloaded: readonly Failure[];
  readonly failedTests: readonly FailedTest[];
  /** What else failed outside of tests: hooks, promises that no test awaited. */
  readonly errors: readonly Failure[];
  /** Tests that ran and passed. */
  readonly passed: number;
}

interface Failure {
  /** The test, its file, or the run. */
  readonly where: string;
  readonly message: string;
}

interface FailedTest extends Failure {
  /** False: an exception or a timeout, which the test does not expect. */
  readonly isAssertion: boolean;
}

/** Whether tests, or a simulation, notice a planted bug. */
export type Verdict =
  | { readonly type: 'missed' }
  /** `by`: the assertion that failed, or the promise that was broken. */
  | { readonly type: 'caught'; readonly by: string }
  /** The run says nothing about the tests: it did not build, did not end, or asserted nothing. */
  | { readonly type: 'invalid'; readonly why: string };

/**
 * Only a failed assertion catches a planted bug. A file that does not load, an exception and a
 * timeout do not: any test would "catch" a bug that breaks the build.
 */
export function verdictOf({ unloaded, failedTests, errors, passed }: TestRun): Verdict {
  const assertion = failedTests.find(({ isAssertion }) => isAssertion);
  if (unloaded.length === 0 && assertion !== undefined) {
    return { type: 'caught', by: assertion.where };
  }
  const [failure] = [...unloaded, ...failedTests, ...errors];
  if (failure !== undefined) {
    return { type: 'invalid', why: `${failure.where} asserted nothing: ${failure.message}` };
  }
  return passed === 0 ? { type: 'invalid', why: 'no test ran' } : { type: 'missed' };
}
