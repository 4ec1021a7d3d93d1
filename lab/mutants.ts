/**
 * `npm run lab -- mutants [--only PATTERN] [--seeds 400]`: plants one realistic mistake after the other into
 * a copy of the repository and runs tests on it: unit tests, some histories of the simulation, the file's
 * own tests, all histories, then random walks. Each mistake must be caught
 * (docs/reliability.md#planted-bugs). Exits with 1 when one survives, hangs the tests or makes them fail
 * without an assertion, and at once when one does not compile. `--only`: those whose file or effect
 * matches.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { numberOption } from '../scripts/project/options.ts';
import { runLabScript } from './harness/script.ts';
import { Catchers, seedCatcher, seedIn } from './mutants/catchers.ts';
import { MUTANTS, type Mutant, planted } from './mutants/planted.ts';
import type { Verdict } from './mutants/reporter.ts';
import { RepositoryCopy, RUN_MS_MAX } from './mutants/repository-copy.ts';
import { otherTests, UNIT_TESTS, WALK_TESTS } from './mutants/suites.ts';
import { bundleSimulation } from './simulation/bundle.ts';
import { runSimulation } from './simulation/run.ts';

/** A quick test file, whose content these replace, and how a run of each must be judged. */
const JUDGED_FILE = 'test/unit/domain/money.test.ts';
const JUDGED_MS_MAX = 60_000;
const JUDGED: readonly (readonly [source: string, expected: Verdict['type']])[] = [
  ["test('passes', () => expect(1).toBe(1));", 'missed'],
  ["test('asserts', () => expect(1).toBe(2));", 'caught'],
  ["test('throws', () => { throw new Error('no assertion'); });", 'invalid'],
  ["test('throws', () => { throw 1; });\ntest('asserts', () => expect(1).toBe(2));", 'caught'],
  ["test('waits', () => new Promise(() => {}), 100);", 'invalid'],
  ["test('hangs', () => { for (;;); });", 'invalid'],
  ["test('does not parse', () => {", 'invalid'],
  ["import './missing.ts';\ntest('does not load', () => expect(1).toBe(2));", 'invalid'],
  ["afterAll(() => { throw 1; });\ntest('passes', () => expect(1).toBe(1));", 'invalid'],
  ['expect(1).toBe(2);', 'invalid'],
  ['', 'invalid'],
];

/** One project after the other: a run that ends while another one starts ends without a verdict. */
const FOLDERS = {
  unit: /^test\/unit\//,
  rails: /^test\/rails\//,
  workers: /^test\/(?:workers|security)\//,
} as const;

/** Histories that catch most mistakes in state, in a few seconds. */
const FIRST_SEEDS = 40;

const SCRIPT = {
  usage: 'npm run lab -- mutants',
  about: 'Plants realistic mistakes one by one, and checks that the tests catch each.',
  options: {
    only: { value: 'PATTERN', about: 'only mistakes whose file or effect matches' },
    seeds: numberOption('N', 'how many histories run on each mistake', 400),
  },
};

await runLabScript(SCRIPT, async ({ only = '', seeds }) => {
  const chosen = MUTANTS.filter(({ file, breaks }) => new RegExp(only).test(`${file} ${breaks}`));
  const copy = await RepositoryCopy.create();
  const catchers = await Catchers.load();
  const survivors: Mutant[] = [];
  try {
    await checkVerdicts(copy);
    await checkTypes(copy, chosen);
    const others = [...new Set(chosen.flatMap(otherTests))];
    const inSimulation = await bundleSimulation(copy.directory, bundleIn(copy.directory));
    const sound = await judge(copy, seeds, { others, changedFile: null, isSimulated: true });
    if (sound.type !== 'missed') {
      throw new Error(`without any planted bug: ${JSON.stringify(sound)}`);
    }
    for (const mutant of chosen) {
      const { file, breaks } = mutant;
      const content = planted(await copy.read(file), mutant);
      const verdict = await copy.changed(new Map([[file, content]]), () =>
        judge(copy, seeds, {
          others: otherTests(mutant),
          changedFile: file,
          isSimulated: inSimulation.includes(file) && !file.startsWith('scripts/'),
          first: catchers.of(mutant),
        }),
      );
      console.log(`${file}: ${breaks}\n  ${textOf(verdict)}`);
      if (verdict.type === 'caught') {
        await catchers.note(mutant, verdict.catcher);
      } else {
        survivors.push(mutant);
      }
    }
  } finally {
    await copy.remove();
  }
  console.log(`${chosen.length - survivors.length} of ${chosen.length} planted bugs were caught.`);
  return survivors.length === 0;
});

function textOf(verdict: Verdict): string {
  switch (verdict.type) {
    case 'caught':
      return `caught by ${verdict.by}`;
    case 'missed':
      return 'SURVIVED';
    case 'invalid':
      return `NOT JUDGED: ${verdict.why}`;
  }
}

/** What can catch bugs in some files. */
interface Suites {
  /** Tests that only some files' bugs can break. */
  readonly others: readonly string[];
  /** The file with the bug, whose importers are among the unit tests; null: run them all. */
  readonly changedFile: string | null;
  readonly isSimulated: boolean;
  /** What caught the bug the last time. */
  readonly first?: string | undefined;
}

/** Runs the suites, the cheapest first, until one catches the bug or is invalid. */
async function judge(
  copy: RepositoryCopy,
  seeds: number,
  { others, changedFile, isSimulated, first = '' }: Suites,
): Promise<Verdict> {
  const ofProject = (project: keyof typeof FOLDERS) => () => {
    const files = others.filter((file) => FOLDERS[project].test(file));
    const runMsMax = RUN_MS_MAX * Math.max(1, files.length);
    return copy.judge(project, files, { runMsMax });
  };
  const histories = (count: number) => (isSimulated ? [() => simulated(copy, 1, count)] : []);
  const project = (Object.keys(FOLDERS) as (keyof typeof FOLDERS)[]).find((name) =>
    FOLDERS[name].test(first),
  );
  const seed = seedIn(first);
  const suites = [
    // The file may have another name since.
    ...(project === undefined || !copy.has(first) ? [] : [() => copy.judge(project, [first])]),
    ...(isSimulated && seed !== null ? [() => simulated(copy, seed, 1)] : []),
    ofProject('unit'),
    () => copy.judge('unit', UNIT_TESTS, { importing: changedFile }),
    ...histories(Math.min(seeds, FIRST_SEEDS)),
    ofProject('rails'),
    ofProject('workers'),
    ...histories(seeds),
    () => copy.judge('unit', WALK_TESTS, { importing: changedFile }),
  ];
  for (const suite of suites) {
    const verdict = await suite();
    if (verdict.type !== 'missed') {
      return verdict;
    }
  }
  return { type: 'missed' };
}

function bundleIn(directory: string): string {
  return join(directory, 'simulation.mjs');
}

/** Caught by a broken promise. Not by a simulation that does not build or end. */
async function simulated(
  { directory }: RepositoryCopy,
  from: number,
  seeds: number,
): Promise<Verdict> {
  const bundle = bundleIn(directory);
  const workers = availableParallelism();
  const run = { from, seeds, workers, failuresMax: 1, shrinks: false, isTraced: false };
  try {
    await bundleSimulation(directory, bundle);
    const { failures } = await runSimulation(bundle, directory, { ...run, msMax: RUN_MS_MAX });
    const [failure] = failures;
    const [violation] = failure?.violations ?? [];
    return failure === undefined || violation === undefined
      ? { type: 'missed' }
      : {
          type: 'caught',
          by: `simulation, seed ${failure.seed}: ${violation.promise}`,
          catcher: seedCatcher(failure.seed),
        };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { type: 'invalid', why: `the simulation: ${reason}` };
  }
}

/** Throws unless runs that assert nothing are told from those that catch a bug. */
async function checkVerdicts(copy: RepositoryCopy): Promise<void> {
  for (const [source, expected] of JUDGED) {
    const content = `import { afterAll, expect, test } from 'vitest';\n${source}\n`;
    const verdict = await copy.changed(new Map([[JUDGED_FILE, content]]), () =>
      copy.judge('unit', [JUDGED_FILE], { runMsMax: JUDGED_MS_MAX }),
    );
    if (verdict.type !== expected) {
      throw new Error(`judged ${JSON.stringify(verdict)} instead of ${expected}: ${source}`);
    }
  }
}

/**
 * Throws unless the code compiles with each planted bug: no test would ever see one that the
 * compiler rejects. Compiles one bug of each file at a time.
 */
async function checkTypes(copy: RepositoryCopy, mutants: readonly Mutant[]): Promise<void> {
  const rejected: string[] = [];
  for (let waiting = mutants; waiting.length > 0; ) {
    const round = new Map(waiting.map((mutant) => [mutant.file, mutant]));
    waiting = waiting.filter((mutant) => round.get(mutant.file) !== mutant);
    const contents = new Map<string, string>();
    for (const [file, mutant] of round) {
      contents.set(file, planted(await copy.read(file), mutant));
    }
    const errors = await copy.changed(contents, () => copy.compilerErrors());
    if (errors !== null) {
      const named = [...round.values()].filter(({ file }) => errors.includes(file));
      rejected.push(...named.map(({ file, breaks }) => `${file}: ${breaks}`), errors);
    }
  }
  if (rejected.length > 0) {
    throw new Error(`planted bugs that do not compile:\n${rejected.join('\n')}`);
  }
}
