import type { Reporter, SerializedError, TestCase, TestModule, Vitest } from 'vitest/node';

/** Whether tests, or a simulation, notice a planted bug. */
export type Verdict =
  | { readonly type: 'missed' }
  /** `by`: the assertion that failed, or the promise that was broken. `catcher`: what to run first. */
  | { readonly type: 'caught'; readonly by: string; readonly catcher: string }
  /** The run says nothing about the tests: it did not build, did not end, or asserted nothing. */
  | { readonly type: 'invalid'; readonly why: string };

/** Why a run says nothing that ended before its first test, as happens on a busy machine. */
export const NO_TEST_RAN = 'no test ran';

/** Before a run: the verdict of the one before must not stand for it. */
export const NOT_RUN: Verdict = { type: 'invalid', why: NO_TEST_RAN };

/** A failed assertion of Vitest's or Node's, or a property of fast-check whose assertion failed. */
const ASSERTION = 'AssertionError';

/**
 * Keeps the `Verdict` of the last run. Ends the run with the first assertion that fails; `--bail` would
 * also end it with an exception that comes before.
 */
export class VerdictReporter implements Reporter {
  verdict: Verdict = NOT_RUN;
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestCaseResult(test: TestCase): void {
    if (isFailedAssertion(test)) {
      // Waiting here would wait for the run, which waits for its reporters.
      void this.#vitest?.cancelCurrentRun('test-failure');
    }
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    this.verdict = verdictOf(modules, unhandled);
  }
}

/**
 * Only a failed assertion catches a planted bug. A file that does not load, an exception and a
 * time-out do not: any test would "catch" a bug that breaks the build.
 */
function verdictOf(modules: readonly TestModule[], unhandled: readonly SerializedError[]): Verdict {
  const tests = modules.flatMap(({ children }) => [...children.allTests()]);
  const unloaded = modules.filter(isUnloaded).flatMap(outsideErrors);
  const assertion = tests.find(isFailedAssertion);
  if (unloaded.length === 0 && assertion !== undefined) {
    return {
      type: 'caught',
      by: nameOf(assertion),
      catcher: assertion.module.relativeModuleId,
    };
  }
  const failed = tests.filter((test) => test.result().state === 'failed');
  const [failure] = [
    ...unloaded,
    ...failed.map((test) => `${nameOf(test)}: ${test.result().errors?.[0]?.message}`),
    ...modules.flatMap(outsideErrors),
    ...unhandled.map(({ message }) => message),
  ];
  if (failure !== undefined) {
    return { type: 'invalid', why: `asserted nothing: ${failure}` };
  }
  return tests.some((test) => test.result().state === 'passed') ? { type: 'missed' } : NOT_RUN;
}

/** An assertion while a file is loaded proves nothing alone, and disproves no other one. */
function isUnloaded(module: TestModule): boolean {
  return module.children.size === 0 && !module.errors().every(isAssertion);
}

/** Errors of the file itself, and of the hooks of its suites. */
function outsideErrors(module: TestModule): readonly string[] {
  return [module, ...module.children.allSuites()].flatMap((suite) =>
    suite.errors().map(({ message }) => `${module.relativeModuleId}: ${message}`),
  );
}

function nameOf(test: TestCase): string {
  return `${test.module.relativeModuleId}: ${test.fullName}`;
}

function isFailedAssertion(test: TestCase): boolean {
  return test.result().errors?.some(isAssertion) ?? false;
}

function isAssertion({ name, cause }: SerializedError): boolean {
  return name === ASSERTION || (cause !== undefined && isAssertion(cause));
}
