/**
 * `npm run mutants -- [--only TEXT] [--seeds 400]`: plants one realistic mistake after the other into
 * a copy of the repository and runs the quick tests on it: some histories of the simulation, then the
 * unit tests, then the file's own tests in workerd. Each mistake must be caught
 * (docs/reliability.md#planted-bugs). Exits with 1 when one survives. `--only`: those whose file or
 * effect contains the text.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { DOMAIN_MUTANTS, REFUND_MUTANTS } from './mutants/domain.ts';
import type { Mutant } from './mutants/mutant.ts';
import { RepositoryCopy } from './mutants/repository-copy.ts';
import { CONSUMER_MUTANTS, INTENT_MUTANTS } from './mutants/shell.ts';
import { commandLine } from './project/options.ts';
import { givenNumber } from './project/whole-number.ts';
import { bundleSimulation } from './simulation/bundle.ts';
import { runSimulation } from './simulation/run.ts';

const MUTANTS = [...DOMAIN_MUTANTS, ...REFUND_MUTANTS, ...INTENT_MUTANTS, ...CONSUMER_MUTANTS];

/** The unit tests of everything that mutants change. */
const UNIT_TESTS = [
  'deliver',
  'manual',
  'outcomes',
  'refund',
  'remaining',
  'schedule',
  'transition',
  'webhook',
].map((name) => `test/unit/${name}`);

/** What only tests in workerd notice, by file. They run last because each takes many seconds. */
const WORKERS_TESTS: Readonly<Record<string, readonly string[]>> = {
  'src/attempts/callback.ts': ['rails-callbacks', 'rails-out-of-reach'],
  'src/attempts/plan.ts': ['rails-start'],
  'src/attempts/start-consumer.ts': ['rails-start', 'rails-out-of-reach'],
  'src/attempts/store-result.ts': ['rails-out-of-reach'],
  'src/intent/alarm.ts': ['alarm'],
  'src/intent/ask-rails.ts': ['rails-start', 'rails-not-configured'],
  'src/intent/delivery.ts': ['delivery'],
  'src/intent/payment-intent.ts': ['alarm', 'create'],
  'src/intent/record.ts': ['commit'],
  'src/intent/taken.ts': ['idempotency'],
  'src/read-model/consume.ts': ['read-model'],
  'src/read-model/upsert.ts': ['read-model'],
  'src/refunds/ask-rail.ts': ['refund-settings'],
  'src/refunds/callback.ts': ['rails-refund-callbacks'],
  'src/refunds/claim.ts': ['refund-requests'],
  'src/refunds/request.ts': ['refund-requests'],
};

const SCRIPT = {
  usage: 'npm run mutants',
  about: 'Plants realistic mistakes one by one, and checks that the tests catch each.',
  options: {
    only: { value: 'TEXT', about: 'only mistakes whose file or effect contains the text' },
    seeds: { value: 'N', about: 'how many histories run on each mistake (default: 400)' },
  },
};

async function main(): Promise<boolean> {
  const { only, seeds } = commandLine(SCRIPT, (given) => ({
    only: given.get('only')?.[0] ?? '',
    seeds: givenNumber(given, 'seeds', 400),
  }));
  const chosen = MUTANTS.filter(({ file, breaks }) => `${file} ${breaks}`.includes(only));
  const copy = await RepositoryCopy.create();
  const survivors: Mutant[] = [];
  try {
    for (const mutant of chosen) {
      planted(await copy.read(mutant.file), mutant);
    }
    const inWorkerd = [...new Set(chosen.flatMap(workersTests))];
    const sound =
      (await copy.failingTest('unit', UNIT_TESTS)) ??
      (await copy.failingTest('workers', inWorkerd));
    if (sound !== null) {
      throw new Error(`without any planted bug, ${sound} fails`);
    }
    for (const mutant of chosen) {
      const catcher = await catcherOf(copy, mutant, seeds);
      console.log(`${catcher ?? 'SURVIVED'}: ${mutant.file}: ${mutant.breaks}`);
      if (catcher === null) {
        survivors.push(mutant);
      }
    }
  } finally {
    await copy.remove();
  }
  console.log(`${chosen.length - survivors.length} of ${chosen.length} planted bugs were caught.`);
  return survivors.length === 0;
}

function planted(original: string, { file, find, replace }: Mutant): string {
  if (original.split(find).length !== 2) {
    throw new Error(`${file} must contain this text once: ${find}`);
  }
  return original.replace(find, () => replace);
}

/** What notices the mistake; null: nothing. */
async function catcherOf(
  copy: RepositoryCopy,
  mutant: Mutant,
  seeds: number,
): Promise<string | null> {
  const content = planted(await copy.read(mutant.file), mutant);
  return copy.changed(
    mutant.file,
    content,
    async () =>
      (await simulated(copy.directory, seeds)) ??
      (await copy.failingTest('unit', UNIT_TESTS)) ??
      (await copy.failingTest('workers', workersTests(mutant))),
  );
}

/** The promise that a history finds broken. */
async function simulated(copy: string, seeds: number): Promise<string | null> {
  const bundle = join(copy, 'simulation.mjs');
  try {
    await bundleSimulation(copy, bundle);
    const workers = availableParallelism();
    const run = { from: 1, seeds, workers, failuresMax: 1, shrinks: false, isTraced: false };
    const { failures } = await runSimulation(bundle, copy, run);
    const [failure] = failures;
    return failure === undefined
      ? null
      : `simulation, seed ${failure.seed}, ${failure.violations[0]?.promise}`;
  } catch (error) {
    return `simulation: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function workersTests({ file }: Mutant): readonly string[] {
  return (WORKERS_TESTS[file] ?? []).map((name) => `test/workers/${name}.test.ts`);
}

process.exitCode = (await main()) ? 0 : 1;
