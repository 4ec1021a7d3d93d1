import { join } from 'node:path';
import { kefelWorker } from '../harness/built-worker.ts';
import { type ServerOptions, startServer } from '../harness/worker-server.ts';
import type { Measurement, Round, Sample } from './table.ts';

const REQUEST = {
  method: 'POST',
  headers: { apiKey: 'invented', 'content-type': 'application/json' },
  body: '{}',
};

/** The same bindings as Kefel's, but no code. */
const HOLLOW = `
import { DurableObject } from 'cloudflare:workers';
export class PaymentIntent extends DurableObject {}
export default { fetch: () => Response.json({ status: 401 }, { status: 401 }) };
`;

/**
 * Starts workerd and sends one request, in turn with Kefel's code and without. The CPU time is that of
 * workerd from its start to the answer, the latency that of the request alone.
 */
export async function measureFresh(
  builtDirectory: string,
  directory: string,
  roundCount: number,
): Promise<Measurement> {
  const worker = kefelWorker(builtDirectory);
  const { modules: _, modulesRoot: __, ...settings } = worker;
  const hollow = { ...settings, modules: true, script: HOLLOW } as const;
  const rounds: Round[] = [];
  for (let round = 0; round < roundCount; round += 1) {
    const kefel = await firstRequest(worker, join(directory, `kefel-${round}`));
    const floor = await firstRequest(hollow, join(directory, `hollow-${round}`));
    rounds.push({ kefel, floor });
  }
  return { about: 'start of workerd and a first request, 401', clients: 1, rounds };
}

async function firstRequest(
  worker: ServerOptions['worker'],
  stateDirectory: string,
): Promise<Sample> {
  const server = await startServer({ worker, stateDirectory });
  try {
    const sentAtMs = performance.now();
    const response = await fetch(`${server.url}/api/v1/payment/sandbox/intent`, REQUEST);
    await response.arrayBuffer();
    const ms = performance.now() - sentAtMs;
    if (response.status !== 401) {
      throw new Error(`The first request was answered ${response.status}`);
    }
    const cpuMsPerUnit = await server.cpuTimeMs();
    return { ratePerSecond: 1_000 / ms, cpuMsPerUnit, p50Ms: ms, p95Ms: ms };
  } finally {
    await server.stop();
  }
}
