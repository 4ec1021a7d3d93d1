/**
 * `npm run benchmark [-- --port N]`: measures the time budgets of docs/benchmarks.md. It compares
 * creates on the gateway and on a bare Worker of the same workerd, in turn, and measures the time of
 * a webhook from commit to merchant on an idle gateway. Prints a Markdown table. A missed budget
 * is not an error, because a busy machine must not fail a build.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import {
  bareCreates,
  type Comparison,
  compare,
  comparisonRows,
  gatewayCreates,
  warmUp,
} from './benchmark/create-load.ts';
import { median, quantile } from './benchmark/statistics.ts';
import {
  ArrivalServer,
  measureWebhooks,
  type WebhookLatencies,
} from './benchmark/webhook-latency.ts';
import { expectFreePort } from './dev/ports.ts';
import { Gateway, NO_RATE_LIMITS } from './gateway/gateway.ts';
import { HttpClient, NoAnswer } from './gateway/http.ts';
import { ProcessGroup } from './gateway/process-group.ts';
import { PROJECT_DIRECTORY } from './project/files.ts';
import { WRANGLER_ENVIRONMENT } from './project/wrangler.ts';

const DEFAULT_PORT = 8795;
const MANY_CLIENTS = 16;
const WARM_UP_MS = 2_000;
const MANY = { clients: MANY_CLIENTS, rounds: 7, sliceMs: 1_500 } as const;
const ONE = { clients: 1, rounds: 7, sliceMs: 700 } as const;
const WEBHOOK_WARM_UPS = 10;
const WEBHOOKS = 100;
const RATE_RATIO_MIN = 0.8;
const WEBHOOK_P50_MS_MAX = 50;

/** The machine's load average in the minute before the run. */
const [loadBefore = Number.NaN] = loadavg();

/** A line of output for each request would be part of the measured time. */
const QUIET = ['--log-level', 'error'] as const;

interface Servers {
  readonly gateway: Gateway;
  readonly gatewayClient: HttpClient;
  readonly bareUrl: string;
  readonly bareClient: HttpClient;
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { port: { type: 'string' } } });
  const port = Number(values.port ?? DEFAULT_PORT);
  const barePort = port + 1;
  await expectFreePort(port);
  await expectFreePort(barePort);
  const directory = await mkdtemp(join(tmpdir(), 'kefel-benchmark-'));
  // Separate connections: the load of one server must not wait for the other.
  const gatewayClient = new HttpClient(MANY_CLIENTS);
  const bareClient = new HttpClient(MANY_CLIENTS);
  const gateway = await Gateway.prepare(
    {
      port,
      stateDirectory: join(directory, 'gateway'),
      outputFile: join(directory, 'gateway.log'),
      otherArgs: [...NO_RATE_LIMITS, ...QUIET],
    },
    gatewayClient,
  );
  const bareUrl = `http://localhost:${barePort}`;
  const bare = startBareWorker(barePort, directory);
  try {
    gateway.start();
    await gateway.untilReady();
    await untilAnswered(bare, bareUrl, bareClient);
    await measure({ gateway, gatewayClient, bareUrl, bareClient });
  } finally {
    await gateway.kill();
    await bare.kill();
    gatewayClient.close();
    bareClient.close();
  }
  await rm(directory, { recursive: true });
}

async function measure({ gateway, gatewayClient, bareUrl, bareClient }: Servers): Promise<void> {
  const arrivals = new ArrivalServer();
  const callbackUrl = await arrivals.listen();
  const creates = gatewayCreates(gateway.merchant, callbackUrl);
  const ours = { requests: creates, client: gatewayClient };
  const theirs = { requests: bareCreates(bareUrl, callbackUrl), client: bareClient };
  // Webhooks first: after the creates, the leases and alarms of thousands of objects are pending.
  await measureWebhooks(WEBHOOK_WARM_UPS, creates, gatewayClient, arrivals);
  const webhooks = await measureWebhooks(WEBHOOKS, creates, gatewayClient, arrivals);
  arrivals.close();
  await warmUp(ours, MANY_CLIENTS, WARM_UP_MS);
  await warmUp(theirs, MANY_CLIENTS, WARM_UP_MS);
  const many = await compare(ours, theirs, MANY);
  const one = await compare(ours, theirs, ONE);
  report([many, one], webhooks);
}

function startBareWorker(port: number, directory: string): ProcessGroup {
  const configuration = join(PROJECT_DIRECTORY, 'scripts', 'benchmark', 'wrangler.toml');
  return new ProcessGroup({
    command: process.execPath,
    args: [
      ...['--no-warnings', createRequire(import.meta.url).resolve('wrangler'), 'dev'],
      ...['--config', configuration, '--port', String(port)],
      ...['--persist-to', join(directory, 'bare'), '--show-interactive-dev-session=false'],
      ...QUIET,
    ],
    directory: PROJECT_DIRECTORY,
    environment: WRANGLER_ENVIRONMENT,
    outputFile: join(directory, 'bare.log'),
  });
}

async function untilAnswered(group: ProcessGroup, url: string, client: HttpClient): Promise<void> {
  for (;;) {
    try {
      await client.send({ method: 'POST', url: `${url}/first`, body: '{}' });
      return;
    } catch (error) {
      if (!(error instanceof NoAnswer) || group.hasExited) {
        throw error;
      }
      await wait(100);
    }
  }
}

function report(comparisons: readonly Comparison[], webhooks: WebhookLatencies): void {
  console.log(`Node ${process.versions.node}, ${cpus().length} cores, wrangler dev, local disk;`);
  console.log(
    `load average before the run: ${loadBefore.toFixed(1)} (above 0.5 the figures are unreliable)\n`,
  );
  console.log('| create | clients | requests/s (median) | p50 ms | p95 ms | p99 ms |');
  console.log('|---|---:|---:|---:|---:|---:|');
  for (const row of comparisons.flatMap((comparison) => comparisonRows(comparison))) {
    console.log(row);
  }
  console.log('\n| webhook, idle, 1 merchant on loopback | p50 ms | p95 ms |\n|---|---:|---:|');
  console.log(latencyRow('from sending the approval to arrival', webhooks.sinceApprovalMs));
  console.log(latencyRow("from the approval's answer to arrival", webhooks.sinceAnswerMs));
  console.log('\n| budget | target | measured | |\n|---|---:|---:|---|');
  for (const { clients, rateRatios } of comparisons) {
    const ratio = median(rateRatios);
    const name = `create rate / bare rate, clients: ${clients}`;
    const rounds = `rounds ${Math.min(...rateRatios).toFixed(2)} to ${Math.max(...rateRatios).toFixed(2)}`;
    const judgment = verdict(ratio >= RATE_RATIO_MIN);
    console.log(
      `| ${name} | >= ${RATE_RATIO_MIN} | ${ratio.toFixed(2)} (${rounds}) | ${judgment} |`,
    );
  }
  const webhookMs = quantile(webhooks.sinceApprovalMs, 0.5);
  const isMet = webhookMs <= WEBHOOK_P50_MS_MAX;
  console.log(
    `| webhook p50 | <= ${WEBHOOK_P50_MS_MAX} ms | ${webhookMs.toFixed(1)} ms | ${verdict(isMet)} |`,
  );
}

function latencyRow(name: string, latenciesMs: readonly number[]): string {
  const p50 = quantile(latenciesMs, 0.5).toFixed(1);
  const p95 = quantile(latenciesMs, 0.95).toFixed(1);
  return `| ${name} | ${p50} | ${p95} |`;
}

function verdict(isMet: boolean): string {
  return isMet ? 'met' : 'MISSED';
}

try {
  await main();
  process.exit(0);
} catch (error) {
  console.error(error);
  process.exit(1);
}
