import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DemoMerchant } from '../dev/demo-merchant.ts';
import { expectFreePort } from '../dev/ports.ts';
import { Gateway, NO_RATE_LIMITS } from './gateway.ts';
import { HttpClient } from './http.ts';

export interface OwnGateway {
  readonly merchant: DemoMerchant;
  readonly client: HttpClient;
}

/** A line of output for each request would be part of the measured time. */
const QUIET = ['--log-level', 'error'] as const;

/**
 * Runs `use` with a gateway of its own and a new database, then ends the gateway's processes. State
 * and output stay behind only after a failure.
 */
export async function withOwnGateway<Result>(
  port: number,
  use: (gateway: OwnGateway) => Promise<Result>,
): Promise<Result> {
  await expectFreePort(port);
  const directory = await mkdtemp(join(tmpdir(), 'kefel-gateway-'));
  const outputFile = join(directory, 'gateway.log');
  const stateDirectory = join(directory, 'state');
  const client = new HttpClient(1);
  const gateway = await Gateway.prepare(
    { port, stateDirectory, outputFile, otherArgs: [...NO_RATE_LIMITS, ...QUIET] },
    client,
  );
  let result: Result;
  try {
    gateway.start();
    await gateway.untilReady();
    result = await use({ merchant: gateway.merchant, client });
  } catch (error) {
    console.error(`State and output of the gateway: ${directory}`);
    throw error;
  } finally {
    await gateway.kill();
    client.close();
  }
  await rm(directory, { recursive: true });
  return result;
}
