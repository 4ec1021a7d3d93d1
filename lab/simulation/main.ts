import { runHistory, setUp } from './history.ts';
import { planOf } from './plan.ts';
import type { Share } from './run.ts';
import { shrunk } from './shrink.ts';
import { added, type Failure, NOTHING, type Summary } from './summary.ts';

/**
 * Runs the histories of some seeds and sends their summary: `run.ts` runs the bundle of this file in
 * one process for each core.
 */

const { root, firstSeed, lastSeed, run }: Share = JSON.parse(process.argv[2] ?? '');
const write = process.stdout.write.bind(process.stdout);
const setup = setUp(root);
let summary = NOTHING;
for (let seed = firstSeed; seed <= lastSeed; seed += run.workers) {
  summary = added(summary, await summaryOf(seed));
  if (summary.failures.length >= run.failuresMax) {
    break;
  }
}
process.send?.(summary);

async function summaryOf(seed: number): Promise<Summary> {
  const plan = planOf(seed);
  const { hash, events, faults, reached, lines, violations } = await runHistory(
    plan,
    setup,
    run.isTraced,
  );
  if (lines !== null) {
    write(`${lines.join('\n')}\nhash ${hash.toString(16)}\n`);
  }
  const failures: Failure[] = [];
  const [violation] = violations;
  if (violation !== undefined) {
    const smallest = run.shrinks ? await shrunk(plan, violation.promise, setup) : plan;
    const again = await runHistory(smallest, setup, true);
    const kept = JSON.stringify(smallest.weather);
    failures.push({ seed, violations, lines: again.lines ?? [], kept });
  }
  return {
    histories: 1,
    events,
    hash: (hash ^ Math.imul(seed, 0x9e3779b1)) >>> 0,
    faults: Object.fromEntries(faults),
    reached: Object.fromEntries(reached.map((state) => [state, 1])),
    failures,
  };
}
