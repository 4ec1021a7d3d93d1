/**
 * `npm run lab -- simulate [--seeds 1000] [--from 1] [--workers N] [--trace]`: runs simulated histories of
 * the whole gateway and checks docs/promises.md after each (docs/reliability.md#simulation). One seed
 * is one history, and gives the same trace hash on every machine. Exits with 1 when a promise is
 * broken, after printing the history with everything cut away that it does not need.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { PROJECT_DIRECTORY } from '../scripts/project/files.ts';
import { numberOption } from '../scripts/project/options.ts';
import { inDirectory } from './harness/directory.ts';
import { runLabScript } from './harness/script.ts';
import { bundleSimulation } from './simulation/bundle.ts';
import { type Run, runSimulation, type Summary } from './simulation/run.ts';

const FAILURES_MAX = 3;

const SCRIPT = {
  usage: 'npm run lab -- simulate',
  about: 'Runs simulated histories of the whole gateway and checks its promises after each.',
  options: {
    seeds: numberOption('N', 'how many histories', 1_000),
    from: numberOption('SEED', 'the first seed', 1),
    workers: numberOption('N', 'how many processes', availableParallelism()),
    trace: { value: null, about: 'print each history' },
  },
};

function simulate(run: Run): Promise<boolean> {
  return inDirectory(async (directory) => {
    const bundle = join(directory, 'simulation.mjs');
    await bundleSimulation(PROJECT_DIRECTORY, bundle);
    const startedAtMs = performance.now();
    const summary = await runSimulation(bundle, PROJECT_DIRECTORY, run);
    report(run, summary, (performance.now() - startedAtMs) / 1_000);
    return summary.failures.length === 0;
  });
}

function report(run: Run, summary: Summary, seconds: number): void {
  const { histories, events, hash, faults, reached, failures } = summary;
  const rate = Math.round(histories / seconds);
  for (const { seed, violations, lines, kept } of failures) {
    console.log(`\nSeed ${seed} broke a promise. What is left of its history, and of its faults:`);
    console.log(`${lines.join('\n')}\n${kept}`);
    for (const { promise, what } of violations) {
      console.log(`BROKEN ${promise}: ${what}`);
    }
  }
  console.log(`faults: ${countsText(faults)}`);
  console.log(`histories that reached: ${countsText(reached)}`);
  console.log(
    `${histories} histories from seed ${run.from}, ${events} events, ${seconds.toFixed(1)} s, ` +
      `${rate}/s with ${run.workers} processes`,
  );
  console.log(`trace hash ${hash.toString(16).padStart(8, '0')}`);
  console.log(failures.length === 0 ? 'All promises were kept.' : `${failures.length} failures.`);
}

function countsText(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
}

await runLabScript(SCRIPT, ({ trace, ...chosen }) =>
  simulate({ ...chosen, failuresMax: FAILURES_MAX, shrinks: true, isTraced: trace }),
);
