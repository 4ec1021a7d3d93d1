import { runHistory, setUp } from './history.ts';
import { planOf } from './plan.ts';
import type { Failure, Report, Share } from './run.ts';
import { shrunk } from './shrink.ts';

/**
 * Runs the histories of some seeds and sends a report of each: `run.ts` runs the bundle of this file
 * in one process for each core.
 */

const { root, firstSeed, lastSeed, run }: Share = JSON.parse(process.argv[2] ?? '');
const setup = setUp(root);
for (let seed = firstSeed; seed <= lastSeed; seed += run.workers) {
  const plan = planOf(seed);
  const { hash, events, faults, reached, lines, violations } = await runHistory(
    plan,
    setup,
    run.isTraced,
  );
  let failure: Failure | null = null;
  const [violation] = violations;
  if (violation !== undefined) {
    const smallest = run.shrinks ? await shrunk(plan, violation.promise, setup) : plan;
    const again = await runHistory(smallest, setup, true);
    const kept = JSON.stringify(smallest.weather);
    failure = { seed, violations, lines: again.lines ?? [], kept };
  }
  await send({
    ...{ seed, hash, events, lines, failure },
    faults: Object.fromEntries(faults),
    reached: Object.fromEntries(reached.map((state) => [state, 1])),
  });
}
await send(null);

function send(report: Report): Promise<void> {
  return new Promise((resolve) => process.send?.(report, undefined, undefined, () => resolve()));
}
