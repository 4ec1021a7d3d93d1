/**
 * `npm run linearize -- [--operations 10000] [--seed N]`: clients act on the same few payments at the
 * same time, on the built Worker, and each payment's history is checked: some order of its
 * operations, one at a time, must explain every answer (docs/reliability.md#linearizability). Exits
 * with 1 when none does.
 */
import { join } from 'node:path';
import { HttpClient } from '../scripts/gateway/http.ts';
import { numberOption } from '../scripts/project/options.ts';
import { benchMerchant, buildKefel, startKefel } from './harness/built-worker.ts';
import { inDirectory, MEMORY_DIRECTORY } from './harness/directory.ts';
import { MerchantApi } from './harness/merchant-api.ts';
import { runScript, seedOption } from './harness/script.ts';
import { OPERATIONS_PER_PAYMENT } from './linearize/clients.ts';
import { type LinearizeResult, linearizePayments } from './linearize/run.ts';

const SCRIPT = {
  usage: 'npm run linearize',
  about: 'Checks that concurrent requests about one payment act as if one came after the other.',
  options: {
    operations: numberOption('N', 'how many operations at least', 10_000),
    seed: seedOption("decides the clients' choices"),
  },
};

const PAYMENTS_AT_ONCE = 6;
const CONNECTIONS_MAX = 64;
const REPORT_INTERVAL_MS = 30_000;

/** Wrangler's list of bindings would bury the result. */
process.env.WRANGLER_LOG = 'error';

await runScript(SCRIPT, ({ operations, seed }) => {
  console.log(`seed ${seed}, ${operations} operations, ${OPERATIONS_PER_PAYMENT} on each payment`);
  return inDirectory(async (builtDirectory) => {
    await buildKefel(builtDirectory, true);
    return inDirectory(
      (stateDirectory) => check(builtDirectory, stateDirectory, operations, seed),
      MEMORY_DIRECTORY,
    );
  });
});

async function check(
  builtDirectory: string,
  stateDirectory: string,
  operations: number,
  seed: number,
): Promise<boolean> {
  const server = await startKefel(builtDirectory, join(stateDirectory, 'kefel'));
  const http = new HttpClient(CONNECTIONS_MAX);
  const merchant = { ...(await benchMerchant()), baseUrl: server.url };
  const startedAtMs = performance.now();
  let reportedAtMs = startedAtMs;
  try {
    const result = await linearizePayments(
      { api: new MerchantApi(merchant, 'sandbox'), http },
      { operations, seed, paymentsAtOnce: PAYMENTS_AT_ONCE },
      (soFar) => {
        if (performance.now() - reportedAtMs >= REPORT_INTERVAL_MS) {
          reportedAtMs = performance.now();
          console.log(summary(soFar, startedAtMs));
        }
      },
    );
    for (const [type, count] of [...result.byType].sort()) {
      console.log(`  ${type}: ${count}`);
    }
    console.log(summary(result, startedAtMs));
    for (const contradiction of result.contradictions) {
      console.log(contradiction);
    }
    return result.contradictions.length === 0;
  } finally {
    http.close();
    await server.stop();
  }
}

function summary(result: LinearizeResult, startedAtMs: number): string {
  const seconds = (performance.now() - startedAtMs) / 1_000;
  return (
    `${seconds.toFixed(0)} s: ${result.operations} operations on ${result.payments} payments` +
    ` (${(result.operations / seconds).toFixed(0)} a second, ${result.unanswered} unanswered),` +
    ` ${result.contradictions.length} histories contradict the model, ${result.undecided} undecided`
  );
}
