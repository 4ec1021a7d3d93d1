import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-pool-workers';
import { defineConfig, type Plugin } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { memoryDirectory } from './lab/harness/memory-directory.ts';
import { backOfficeBindings } from './test/support/back-office-bindings.ts';
import { commandsOf } from './test/support/documents/commands.ts';
import { DOCUMENTS } from './test/support/documents/markdown.ts';
import { documentedRequests } from './test/support/documents/operator.ts';
import { documentedSql } from './test/support/documents/sql.ts';
import { testSecrets } from './test/support/secrets.ts';

/** Files that run side by side; the machines that run this have two cores. */
const WORKERS = 2;

/** A poll ends as soon as it can; the limit is for machines that do much else. */
const POLLS = { poll: { interval: 10, timeout: 15_000 } };

/** What the databases of `workers` need, ten times over; containers often have 64 MB of memory. */
const DATABASES_BYTES = 40_000_000;

/** For programs that tests start: a browser cannot run from the memory that `workers` uses. */
const DISK = { TMPDIR: tmpdir() };

// Tests start some five hundred processes of a few programs; each is compiled once.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/node');

/**
 * Files that run at the same time and often wait: for gateways, providers' time limits and browsers.
 * More of them make two cores the limit: at nine, gateways took minutes to start.
 */
const WAITING_WORKERS = 5;

/**
 * Files that take more than a minute, because they wait as long as providers do or have the most pages,
 * longest first. The others run beside them; one that started last would run alone.
 */
const LONGEST = [
  'journeys/dashboard-pages',
  'e2e/rails-refunds',
  'browser/states',
  'e2e/drill',
  'e2e/crash',
  'e2e/cli',
  'e2e/first-minute',
  'e2e/mixed-versions',
  'e2e/conformance',
  'journeys/docs',
  'browser/back-office',
  'browser/no-script',
  'e2e/seventh-rail',
  'e2e/setup',
].map((name) => `/test/${name}.test.ts`);

/** The other files keep the order of their projects, in which a worker keeps its modules. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ project, moduleId }: TestSpecification) => {
      const index = LONGEST.findIndex((name) => moduleId.endsWith(name));
      const within = index < 0 ? 1 : index / LONGEST.length;
      return project.config.sequence.groupOrder * 2 + within;
    };
    return (await super.sort(files)).sort((one, other) => place(one) - place(other));
  }
}

/** An import at runtime, as TypeScript leaves it. */
const LAZY_IMPORT = /\bimport\((["'][^"']+["'])\)/g;

/**
 * Loads a module's lazy imports together with the module. The test runner asks for a module again
 * whenever code imports it, and requests that import the same one share the question. workerd lets
 * no request wait for another's: it ends with "Promise will never complete". A bundle asks nothing.
 */
function loadLazyImportsAtOnce(): Plugin {
  return {
    name: 'load-lazy-imports-at-once',
    transform: {
      filter: { id: /\/(?:src|back-office)\/.*\.tsx?$/ },
      handler(code) {
        const imports: string[] = [];
        const changed = code.replace(LAZY_IMPORT, (_import, specifier) => {
          const name = `lazy_${imports.length}`;
          imports.push(`import * as ${name} from ${specifier};`);
          return `Promise.resolve(${name})`;
        });
        return { code: [changed, ...imports].join('\n'), map: null };
      },
    },
  };
}

export default defineConfig({
  test: {
    // wrangler's code says so whenever a test reads a configuration.
    onConsoleLog: (text) => !text.startsWith('Using secrets defined in '),
    sequence: { sequencer: LongestFirst },
    // The projects that compute run together; those that wait for gateways and browsers follow.
    projects: [
      {
        test: {
          name: 'unit',
          isolate: false,
          maxWorkers: WORKERS,
          setupFiles: ['./test/support/fixed-seed.ts', './test/support/output/watch-console.ts'],
          include: ['test/unit/**/*.test.ts'],
          // The walk through all states takes seconds, more where cores are shared.
          testTimeout: 60_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'rails',
          isolate: false,
          maxWorkers: WORKERS,
          setupFiles: [
            './test/support/fixed-seed.ts',
            './test/support/output/watch-console.ts',
            './scripts/project/node-md5.ts',
          ],
          include: ['test/rails/**/*.test.ts'],
          testTimeout: 60_000,
          expect: POLLS,
          sequence: { groupOrder: 1 },
        },
      },
      {
        plugins: [
          loadLazyImportsAtOnce(),
          cloudflareTest(async () => {
            // The only way to tell Miniflare where to keep the databases.
            process.env.TMPDIR = memoryDirectory(DATABASES_BYTES) ?? tmpdir();
            const commands = await commandsOf(DOCUMENTS);
            const { vars, ...backOffice } = backOfficeBindings();
            return {
              main: './test/support/gateway.ts',
              wrangler: { configPath: './wrangler.toml' },
              miniflare: {
                ...backOffice,
                bindings: {
                  ...vars,
                  ...testSecrets(),
                  RATE_LIMITS: 'off',
                  TEST_REBUILT_PAYMENTS: process.env.REBUILT_PAYMENTS ?? '60',
                  TEST_MIGRATIONS: await readD1Migrations('./migrations'),
                  TEST_BACK_OFFICE_MIGRATIONS: await readD1Migrations('./back-office/migrations'),
                  TEST_DOCUMENTED_SQL: documentedSql(commands),
                  TEST_DOCUMENTED_REQUESTS: documentedRequests(commands),
                },
              },
            };
          }),
        ],
        test: {
          name: 'workers',
          isolate: false,
          maxWorkers: WORKERS,
          globalSetup: './test/support/output/watch-runtime.ts',
          setupFiles: [
            './test/support/fixed-seed.ts',
            './test/support/output/watch-console.ts',
            './test/support/output/no-network.ts',
          ],
          include: ['test/{workers,security}/**/*.test.ts'],
          // A file's first visit to the dashboard waits for its modules to be made ready.
          testTimeout: 60_000,
          expect: POLLS,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'smoke',
          isolate: false,
          env: DISK,
          setupFiles: './test/support/output/watch-console.ts',
          include: ['test/smoke/**/*.test.ts'],
          globalSetup: ['./test/support/unpack-browser.ts', './test/support/e2e-sandbox.ts'],
          testTimeout: 120_000,
          hookTimeout: 180_000,
          expect: POLLS,
          maxWorkers: WAITING_WORKERS,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: 'e2e',
          isolate: false,
          env: DISK,
          setupFiles: './test/support/output/watch-console.ts',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: './test/support/e2e-sandbox.ts',
          // Much of it waits; all of it may run on a busy machine.
          testTimeout: 120_000,
          hookTimeout: 180_000,
          expect: POLLS,
          maxWorkers: WAITING_WORKERS,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: 'journeys',
          isolate: false,
          env: DISK,
          setupFiles: './test/support/output/watch-console.ts',
          include: ['test/journeys/**/*.test.ts'],
          globalSetup: ['./test/support/unpack-browser.ts', './test/support/e2e-sandbox.ts'],
          testTimeout: 120_000,
          hookTimeout: 180_000,
          expect: POLLS,
          maxWorkers: WAITING_WORKERS,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: 'browser',
          isolate: false,
          env: DISK,
          setupFiles: './test/support/output/watch-console.ts',
          include: ['test/browser/**/*.test.ts'],
          globalSetup: './test/support/unpack-browser.ts',
          testTimeout: 120_000,
          hookTimeout: 180_000,
          expect: POLLS,
          maxWorkers: WAITING_WORKERS,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
