/**
 * `npm run lab -- fuzz [--seed N] [--requests N]`: starts a gateway with stand-ins for the providers, records what
 * its users send, and sends it again with mutations (docs/reliability.md#fuzzing). The seed decides every
 * mutation. Exits with 1 when an answer is not as it must be, after printing the request as a command.
 */

import { numberOption } from '../scripts/project/options.ts';
import { growthFaults } from './fuzz/growth.ts';
import { fuzz, type Report } from './fuzz/run.ts';
import { startStage } from './fuzz/stage.ts';
import { runLabScript, seedOption } from './harness/script.ts';

const FINDINGS_SHOWN = 30;
const PROGRESS_EVERY = 5_000;

const SCRIPT = {
  usage: 'npm run lab -- fuzz',
  about: 'Sends mutated requests to a gateway with stand-ins, and checks every answer.',
  options: {
    seed: seedOption('decides every mutation'),
    requests: numberOption('N', 'how many mutated requests, after one for each route', 50_000),
  },
};

await runLabScript(SCRIPT, async ({ seed, requests }) => {
  console.log(`seed ${seed}, ${requests} mutated requests`);
  const stage = await startStage('fuzz-script');
  try {
    const startedAtMs = performance.now();
    const report = await fuzz(stage, {
      seed,
      mutatedRequests: requests,
      onProgress: (sent, findings) => {
        if (sent % PROGRESS_EVERY === 0) {
          console.log(`${sent} requests, ${findings.length} findings`);
        }
      },
    });
    show(report, (performance.now() - startedAtMs) / 1_000);
    const growth = await growthFaults(stage);
    console.log(growth.length === 0 ? 'Time is linear in size.' : growth.join('\n'));
    return report.findings.length === 0 && growth.length === 0;
  } finally {
    await stage.stop();
  }
});

function show(report: Report, seconds: number): void {
  const { requests, statuses, templates, routes, unreached, findings } = report;
  // One of each kind.
  const kinds = new Map(findings.map((finding) => [finding.faults.join('; '), finding]));
  for (const { number, faults, mutations, curl } of [...kinds.values()].slice(0, FINDINGS_SHOWN)) {
    console.log(`\nrequest ${number}: ${faults.join('; ')}\n  ${mutations.join(', ')}\n  ${curl}`);
  }
  const counts = [...statuses].sort(([one], [other]) => one.localeCompare(other));
  console.log(`\nanswers: ${counts.map(([status, count]) => `${status}: ${count}`).join(', ')}`);
  console.log(
    `${routes - unreached.length} of ${routes} routes, from ${templates} requests of users`,
  );
  if (unreached.length > 0) {
    console.log(`not reached: ${unreached.join(', ')}`);
  }
  console.log(`${requests} requests in ${seconds.toFixed(1)} s, ${findings.length} findings`);
}
