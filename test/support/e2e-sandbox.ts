import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import type { Gateway } from '../../scripts/gateway/gateway.ts';
import { buildGateway, startGateway } from '../../scripts/gateway/own-gateway.ts';
import { PROJECT_DIRECTORY } from '../../scripts/project/files.ts';
import { newMerchant, seedMerchants, type TestMerchant } from './e2e-merchant.ts';
import { faultsIn } from './output/gateway-log.ts';

/**
 * Global setup: one build for all gateways, and one gateway without rails for all files that pay in
 * the sandbox. Files that count, list or change a merchant's data have their own merchant; all others
 * use the demo merchant.
 */

declare module 'vitest' {
  interface ProvidedContext {
    readonly sandbox: Sandbox;
  }
}

/** The merchants that belong to one file each, by purpose. */
export type SandboxMerchant =
  | 'dashboard'
  | 'operator'
  | 'stuck'
  | 'conformance'
  | 'down'
  | 'plugin'
  | 'typescript'
  | 'php'
  | 'python'
  | 'samples'
  | 'cli'
  | 'commandLine'
  | 'guides'
  | 'documents'
  | 'reference';

/** A test file's connection to the shared gateway. */
export interface Sandbox {
  readonly baseUrl: string;
  readonly outputFile: string;
  /** Files add the phones that they have paid with. */
  readonly phonesFile: string;
  readonly merchants: Readonly<Record<SandboxMerchant, TestMerchant>>;
  /** The project whose Workers are built, because a test may copy and change it. */
  readonly project: string;
  /** For gateways that belong to one file. */
  readonly builtDirectory: string;
}

interface Shared {
  readonly sandbox: Sandbox;
  readonly gateway: Gateway;
}

/** Projects run this file in separate module graphs, but share one gateway. */
const registry = globalThis as { kefelSandbox?: { users: number; shared: Promise<Shared> } };

export default async function setUp({ provide }: TestProject): Promise<() => Promise<void>> {
  registry.kefelSandbox ??= { users: 0, shared: start() };
  const running = registry.kefelSandbox;
  running.users += 1;
  const { sandbox, gateway } = await running.shared;
  provide('sandbox', sandbox);
  return async () => {
    running.users -= 1;
    if (running.users === 0) {
      await gateway.stop();
      await rm(sandbox.builtDirectory, { recursive: true });
      await expectGoodLog(sandbox);
    }
  };
}

async function start(): Promise<Shared> {
  const merchants: Sandbox['merchants'] = {
    dashboard: await newMerchant('Dashboard Shop'),
    operator: await newMerchant('Operated Shop'),
    stuck: await newMerchant('Stuck Shop'),
    conformance: await newMerchant('Conforming Shop'),
    down: await newMerchant('Flooded Shop'),
    plugin: await newMerchant('Plugged Shop'),
    typescript: await newMerchant('TypeScript Shop'),
    php: await newMerchant('PHP Shop'),
    python: await newMerchant('Python Shop'),
    samples: await newMerchant('Sample Shop'),
    cli: await newMerchant('Terminal Shop'),
    commandLine: await newMerchant('Scripting Shop'),
    guides: await newMerchant('Guided Shop'),
    documents: await newMerchant('Documented Shop'),
    reference: await newMerchant('Referenced Shop'),
  };
  const builtDirectory = await mkdtemp(join(tmpdir(), 'kefel-built-'));
  await buildGateway(builtDirectory);
  const gateway = await startGateway({
    name: 'sandbox',
    builtDirectory,
    prepare: (stateDirectory) => seedMerchants(stateDirectory, Object.values(merchants)),
  });
  const { baseUrl, outputFile } = gateway;
  const phonesFile = `${outputFile}.phones`;
  await writeFile(phonesFile, '');
  const built = { project: PROJECT_DIRECTORY, builtDirectory };
  return { gateway, sandbox: { baseUrl, outputFile, phonesFile, merchants, ...built } };
}

async function expectGoodLog({ outputFile, phonesFile }: Sandbox): Promise<void> {
  const phones = await readFile(phonesFile, 'utf8');
  const faults = faultsIn(await readFile(outputFile, 'utf8'), phones.trim().split('\n'));
  if (faults.length > 0) {
    throw new Error(`${outputFile} has ${faults.join('\n')}`);
  }
}
