import { join } from 'node:path';
import { unstable_getMiniflareWorkerOptions } from 'wrangler';
import {
  type DemoMerchant,
  demoMerchant,
  seedDemoMerchant,
} from '../../scripts/dev/demo-merchant.ts';
import { localSecrets } from '../../scripts/dev/local-secrets.ts';
import { PROJECT_DIRECTORY, WRANGLER_CONFIG_FILE } from '../../scripts/project/files.ts';
import { runWrangler } from '../../scripts/project/wrangler.ts';
import { type BenchServer, type ServerOptions, startServer } from './worker-server.ts';

/** Builds the Worker as for a deployment. */
export async function buildKefel(directory: string): Promise<void> {
  const bundling = ['deploy', '--dry-run', '--outdir', directory];
  await runWrangler(bundling, PROJECT_DIRECTORY, { WRANGLER_LOG: 'warn' });
}

/** The merchant on whose behalf the load acts. */
export async function benchMerchant(): Promise<DemoMerchant> {
  return demoMerchant('http://localhost', await localSecrets());
}

/** Starts the built Worker with a new database. */
export async function startKefel(
  builtDirectory: string,
  stateDirectory: string,
): Promise<BenchServer> {
  await seedDemoMerchant(stateDirectory, await benchMerchant(), await localSecrets());
  return startServer({ worker: kefelWorker(builtDirectory), stateDirectory });
}

/** The built Worker with the settings of wrangler.toml and the local secrets, which must exist. */
export function kefelWorker(builtDirectory: string): ServerOptions['worker'] {
  const { workerOptions } = unstable_getMiniflareWorkerOptions(WRANGLER_CONFIG_FILE);
  const { modulesRules: _, bindings, ...options } = workerOptions;
  return {
    ...options,
    name: 'kefel',
    modules: [{ type: 'ESModule', path: join(builtDirectory, 'index.js') }],
    modulesRoot: builtDirectory,
    // The load comes from one merchant and one address, and its webhooks stay on this machine.
    bindings: { ...Object(bindings), RATE_LIMITS: 'off', LOCAL_CALLBACKS: 'true' },
    // Production has no Worker between ours and the internet.
    stripCfConnectingIp: false,
  };
}
