/**
 * `npm run lab -- cloudflare`: a local Cloudflare with an empty account, in which a person rehearses setup,
 * deployments and restores as docs/deploy.md describes them.
 */
import { rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import '../../../scripts/project/exit-on-signals.ts';
import { commandLine, numberOption } from '../../../scripts/project/options.ts';
import { quoted } from '../../../scripts/setup/terminal.ts';
import { startCloudflare } from './server.ts';

/** A Worker that is still ending may write once more. */
const RETRIES = 3;

const { port, gateway } = commandLine({
  usage: 'npm run lab -- cloudflare',
  about: `Starts a local Cloudflare with an empty account, until Ctrl-C. It prints the command that leads
setup, deployments and wrangler of another terminal to it.`,
  options: {
    port: numberOption('NUMBER', 'of its API (default: any free one)', null),
    gateway: numberOption('NUMBER', "port of the Workers' proxy (default: any free one)", null),
  },
});

const cloudflare = await startCloudflare({
  ...(port !== null && { port }),
  ...(gateway !== null && { gatewayPort: gateway }),
});
const { environment, gatewayUrl, state } = cloudflare;
const file = join(environment.HOME, 'environment.sh');
const lines = Object.entries(environment).map(([name, value]) => `export ${name}=${quoted(value)}`);
await writeFile(file, `${lines.join('\n')}\n`);

console.log(`A local Cloudflare with an empty account and the domain ${state.zones[0]?.name}. In another terminal:

  . ${file}
  npm run setup -- --env trial

That terminal is then without internet, and recovery files go to ${environment.HOME}.
To see the gateway's pages, let a browser use the proxy ${gatewayUrl} and accept its certificate.

At the end, run this there, and then press Ctrl-C here, which deletes all the rest:

  npm run teardown -- --env trial --with-backups

After Ctrl-C alone, delete deployments/trial.json: the next rehearsal has no recovery file for it.`);

// Miniflare ends this process at a signal, so that only what runs at its exit cleans up for sure.
process.once('exit', () => {
  rmSync(environment.HOME, { recursive: true, force: true, maxRetries: RETRIES });
});
