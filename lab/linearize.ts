/**
 * `npm run linearize -- [--operations 10000] [--seed N]`: clients act on the same few payments at the
 * same time, on the built Worker, and each payment's history is checked: some order of its
 * operations, one at a time, must explain every answer (docs/reliability.md#linearizability). Exits
 * with 1 when none does.
 */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HttpClient } from '../scripts/gateway/http.ts';
import { commandLine } from '../scripts/project/options.ts';
import { givenNumber } from '../scripts/project/whole-number.ts';
import { benchMerchant, buildKefel, startKefel } from './bench/kefel.ts';
import { DIRECTORIES, inDirectory } from './bench/run.ts';
import { OPERATIONS_PER_PAYMENT } from './linearize/clients.ts';
import { type LinearizeResult, linearizePayments } from './linearize/run.ts';

const SCRIPT = {
  usage: 'npm run linearize',
  about: 'Checks that concurrent requests about one payment act as if one came after the other.',
  options: {
    operations: { value: 'N', about: 'how many operations at least (default: 10000)' },
    seed: { value: 'N', about: "decides the clients' choices (default: the time)" },
  },
};

const PAYMENTS_AT_ONCE = 6;
const CONNECTIONS_MAX = 64;
const REPORT_INTERVAL_MS = 30_000;

/** Wrangler's list of bindings would bury the result. */
process.env.WRANGLER_LOG = 'error';

async function main(): Promise<boolean> {
  const { operations, seed } = commandLine(SCRIPT, (given) => ({
    operations: givenNumber(given, 'operations', 10_000),
    seed: givenNumber(given, 'seed', Date.now() % 1_000_000),
  }));
  console.log(`seed ${seed}, ${operations} operations, ${OPERATIONS_PER_PAYMENT} on each payment`);
  let isClean = false;
  await inDirectory(tmpdir(), async (builtDirectory) => {
    await buildKefel(builtDirectory, true);
    await inDirectory(DIRECTORIES.tmpfs, async (stateDirectory) => {
      isClean = await check(builtDirectory, stateDirectory, operations, seed);
    });
  });
  return isClean;
}

async function check(
  builtDirectory: string,
  stateDirectory: string,
  operations: number,
  seed: number,
): Promise<boolean> {
  const server = await startKefel(builtDirectory, join(stateDirectory, 'kefel'));
  const http = new HttpClient(CONNECTIONS_MAX);
  const { sandboxApiKey: apiKey } = await benchMerchant();
  const startedAtMs = performance.now();
  let reportedAtMs = startedAtMs;
  try {
    const result = await linearizePayments(
      { url: server.url, apiKey, http },
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

try {
  process.exit((await main()) ? 0 : 1);
} catch (error) {
  console.error(error);
  process.exit(1);
}
