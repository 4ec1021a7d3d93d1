import { join, resolve } from 'node:path';
import { defineConfig, type Plugin } from 'vitest/config';
import { STAND_INS } from '../simulation/bundle.ts';

const ROOT = process.cwd();

/** Unit tests of other rooms, and those that read source files as text, which mutation changes. */
const OTHER_TESTS = [
  'back-office',
  'checkout/browser-*',
  'clients',
  'deployment',
  'dev',
  'documents',
  'lab',
  'lists',
  'operator',
  'project',
  'recovery',
  // Every reachable state: too slow to repeat for each mutant.
  'domain/*-walk.*',
];

/** What the simulation replaces (lab/simulation/bundle.ts). */
function standIns(): Plugin {
  return {
    name: 'stand-ins',
    enforce: 'pre',
    resolveId(path, importer) {
      const name =
        path.startsWith('.') && importer !== undefined
          ? resolve(importer, '..', path).slice(ROOT.length + 1)
          : path;
      const standIn = STAND_INS[name];
      return standIn === undefined ? undefined : join(ROOT, standIn);
    },
  };
}

/** What kills mutants: the unit tests of the mutated rooms first, then histories of the simulation. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          isolate: false,
          setupFiles: 'test/support/fixed-seed.ts',
          include: ['test/unit/**/*.test.ts'],
          exclude: OTHER_TESTS.map((name) => `test/unit/${name}{.test.ts,/**}`),
          testTimeout: 60_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        plugins: [standIns()],
        test: {
          name: 'histories',
          include: ['lab/mutation-score/histories.test.ts'],
          testTimeout: 60_000,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
