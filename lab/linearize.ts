/**
 * `npm run lab -- linearize [--operations 10000] [--seed N]`: clients act on the same few payments at the
 * same time, on the built Worker, and each payment's history is checked: some order of its
 * operations, one at a time, must explain every answer (docs/reliability.md#linearizability). Exits
 * with 1 when none does.
 */
import { numberOption } from '../scripts/project/options.ts';
import { runLabScript, seedOption } from './harness/script.ts';
import { type LinearizeResult, linearizeBuilt } from './linearize/run.ts';

const SCRIPT = {
  usage: 'npm run lab -- linearize',
  about: 'Checks that concurrent requests about one payment act as if one came after the other.',
  options: {
    operations: numberOption('N', 'how many operations at least', 10_000),
    seed: seedOption("decides the clients' choices"),
  },
};

const REPORT_INTERVAL_MS = 30_000;

/** Wrangler's list of bindings would bury the result. */
process.env.WRANGLER_LOG = 'error';

await runLabScript(SCRIPT, async (options) => {
  console.log(`seed ${options.seed}`);
  const startedAtMs = performance.now();
  let reportedAtMs = startedAtMs;
  const result = await linearizeBuilt(options, (soFar) => {
    if (performance.now() - reportedAtMs >= REPORT_INTERVAL_MS) {
      reportedAtMs = performance.now();
      console.log(summary(soFar, startedAtMs));
    }
  });
  for (const [type, count] of [...result.byType].sort()) {
    console.log(`  ${type}: ${count}`);
  }
  console.log(summary(result, startedAtMs));
  for (const contradiction of result.contradictions) {
    console.log(contradiction);
  }
  return result.contradictions.length === 0;
});

function summary(result: LinearizeResult, startedAtMs: number): string {
  const seconds = (performance.now() - startedAtMs) / 1_000;
  return (
    `${seconds.toFixed(0)} s: ${result.operations} operations on ${result.payments} payments` +
    ` (${(result.operations / seconds).toFixed(0)} a second, ${result.unanswered} unanswered),` +
    ` ${result.contradictions.length} histories contradict the model, ${result.undecided} undecided`
  );
}
