import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type PublishedMerchant, publishedMerchant, serves } from '../scripts/dev/demo-merchant.ts';
import { DEFAULT_PORT } from '../scripts/dev/options.ts';
import { PROJECT_DIRECTORY } from '../scripts/project/files.ts';

/** A local gateway that takes the demo merchant's key. */
export interface LocalGateway {
  readonly baseUrl: string;
  readonly merchant: PublishedMerchant;
}

const POLL_MS = 200;

/** The gateway that `npm run dev` runs here, or a new one that ends with this process. */
export async function findOrStartGateway(port: number): Promise<LocalGateway> {
  const running = await findGateway();
  if (running !== null) {
    return running;
  }
  console.log('No gateway is running here: starting one, as `npm run dev` does.');
  return untilFound(startGateway(port));
}

async function findGateway(): Promise<LocalGateway | null> {
  const merchant = await publishedMerchant();
  if (merchant === null) {
    return null;
  }
  // Plain `wrangler dev` does not say where it listens.
  const baseUrl = merchant.baseUrl ?? `http://localhost:${DEFAULT_PORT}`;
  return (await serves(baseUrl, merchant)) ? { baseUrl, merchant } : null;
}

function startGateway(port: number): ChildProcess {
  const script = join(PROJECT_DIRECTORY, 'scripts', 'dev.ts');
  const gateway = spawn(process.execPath, [script, '--port', String(port)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => gateway.kill(signal));
  }
  process.on('exit', () => gateway.kill());
  // It has said why. A shop without its gateway is of no use.
  gateway.once('exit', (exitCode) => process.exit(exitCode ?? 0));
  return gateway;
}

async function untilFound(gateway: ChildProcess): Promise<LocalGateway> {
  while (gateway.exitCode === null) {
    const found = await findGateway();
    if (found !== null) {
      return found;
    }
    await wait(POLL_MS);
  }
  throw new Error('The gateway ended.');
}
