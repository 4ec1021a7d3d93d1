/** The configuration of Stryker (https://stryker-mutator.io/docs/stryker-js/configuration). */
export default {
  mutate: ['domain', 'intent', 'webhooks', 'attempts'].map((room) => `src/engine/${room}/**/*.ts`),
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'lab/mutation-score/vitest.config.ts', related: false },
  coverageAnalysis: 'perTest',
  // Nearly all of these are members of unions and required fields, where the compiler refuses the
  // change, or texts for people. SQL made empty fails every test.
  mutator: { excludedMutations: ['StringLiteral', 'ObjectLiteral'] },
  // Constants and tables exist before any test begins, so each change of one runs all tests: half of
  // the time for a tenth of the changes.
  ignoreStatic: true,
  // The other core stays free.
  concurrency: 1,
  // A busy machine must not count as an endless loop, which Stryker ends by counting its rounds.
  timeoutMS: 30_000,
  reporters: ['progress-append-only', 'clear-text', 'html', 'json'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  htmlReporter: { fileName: 'test-artefacts/mutation/report.html' },
  jsonReporter: { fileName: 'test-artefacts/mutation/report.json' },
  incrementalFile: 'test-artefacts/mutation/incremental.json',
  tempDirName: 'test-artefacts/mutation/sandbox',
  // Vitest reads none, and Stryker's rewriting needs a TypeScript older than ours.
  tsconfigFile: '',
  ignorePatterns: ['/.wrangler', '/dist', '/docs/images', '/public', '/site', '/test-artefacts'],
};
