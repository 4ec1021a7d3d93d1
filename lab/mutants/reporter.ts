import { writeFileSync } from 'node:fs';
import type { Reporter, SerializedError, TestCase, TestModule, Vitest } from 'vitest/node';
import type { TestRun } from './verdict.ts';

/** A failed assertion of Vitest's or Node's, or a property of fast-check whose assertion failed. */
const ASSERTION = 'AssertionError';

/**
 * Writes a `TestRun` in JSON to Vitest's `outputFile`. Ends the run with the first assertion that
 * fails; `--bail` would also end it with an exception that comes before.
 */
export default class VerdictReporter implements Reporter {
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
    const outputFile = this.#vitest?.config.outputFile;
    if (typeof outputFile !== 'string') {
      throw new Error('This reporter needs --outputFile');
    }
    const tests = modules.flatMap(({ children }) => [...children.allTests()]);
    const failed = tests.filter((test) => test.result().state === 'failed');
    const isLoaded = ({ children }: TestModule) => children.size > 0;
    const run: TestRun = {
      unloaded: modules.filter((module) => !isLoaded(module)).flatMap(outsideErrors),
      failedTests: failed.map((test) => ({
        where: `${test.module.relativeModuleId}: ${test.fullName}`,
        message: test.result().errors?.[0]?.message ?? '',
        isAssertion: isFailedAssertion(test),
      })),
      errors: [
        ...modules.filter(isLoaded).flatMap(outsideErrors),
        ...unhandled.map(({ message }) => ({ where: 'the run', message })),
      ],
      passed: tests.filter((test) => test.result().state === 'passed').length,
    };
    writeFileSync(outputFile, JSON.stringify(run));
  }
}

/** Errors of the file itself, and of the hooks of its suites. */
function outsideErrors(module: TestModule) {
  const suites = [module, ...module.children.allSuites()];
  return suites.flatMap((suite) =>
    suite.errors().map(({ message }) => ({ where: module.relativeModuleId, message })),
  );
}

function isFailedAssertion(test: TestCase): boolean {
  return test.result().errors?.some(isAssertion) ?? false;
}

function isAssertion({ name, cause }: SerializedError): boolean {
  return name === ASSERTION || (cause !== undefined && isAssertion(cause));
}
