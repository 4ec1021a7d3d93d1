/**
 * `npm run dev`: from a fresh clone to a gateway that takes payments. Makes local secrets, prepares
 * the local database and its demo merchant, starts stand-ins for production's rails (unless
 * `--no-stand-ins`), then runs `wrangler dev`. All other options are wrangler's; `--port` and
 * `--persist-to` are also understood here.
 */
import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { demoInvitation } from './demo-invitation.ts';
import { demoMerchant, seedDemoMerchant, writeDemoMerchant } from './demo-merchant.ts';
import { type DevOptions, devOptions } from './dev-options.ts';
import { PROJECT_DIRECTORY } from './files.ts';
import { firstSteps, productionSteps } from './first-steps.ts';
import { localSecrets } from './local-secrets.ts';
import { expectFreePort } from './ports.ts';
import { startStandIns } from './stand-ins/start-all.ts';
import { startWrangler } from './wrangler.ts';

const POLL_MS = 100;
const PARENT_POLL_MS = 500;
const SIGNAL_EXIT_CODE = 128;

async function main(): Promise<void> {
  const options = devOptions(process.argv.slice(2));
  const baseUrl = `http://localhost:${options.port}`;
  await expectFreePort(options.port);
  const secrets = await localSecrets();
  const merchant = await demoMerchant(baseUrl, secrets);
  await seedDemoMerchant(options.stateDirectory, merchant, secrets);
  const joinUrl = await demoInvitation(options.stateDirectory, merchant);
  // Before the port answers: whoever waits for the port may read the file at once.
  await writeDemoMerchant(merchant);
  const standIns = options.hasStandIns ? await startStandIns(baseUrl) : null;
  const args = [...wranglerArgs(options), ...(standIns?.wranglerArgs ?? [])];
  const wrangler = startWrangler(args, PROJECT_DIRECTORY);
  liveAndDieWith(wrangler);
  await untilAnswered(baseUrl);
  console.log(firstSteps(merchant, joinUrl));
  if (standIns !== null) {
    console.log(productionSteps(standIns));
  }
}

function wranglerArgs(options: DevOptions): readonly string[] {
  return [
    'dev',
    ...['--port', String(options.port), '--persist-to', options.stateDirectory],
    // The only place where webhooks may go to this machine (docs/decisions.md#18).
    ...['--var', 'LOCAL_CALLBACKS:true'],
    ...inspectorArgs(options),
    '--show-interactive-dev-session=false',
    ...options.otherArgs,
  ];
}

/** Any free port unless told: two gateways must not fight over the debugger's. */
function inspectorArgs({ otherArgs }: DevOptions): readonly string[] {
  const isGiven = otherArgs.some((argument) => argument.startsWith('--inspector-port'));
  return isGiven ? [] : ['--inspector-port', '0'];
}

/** Passes on signals and the end of npm, and ends when wrangler ends, the same way. */
function liveAndDieWith(wrangler: ChildProcess): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => wrangler.kill(signal));
  }
  if (process.env.npm_lifecycle_event !== undefined) {
    // npm's shell keeps a SIGTERM to itself: being orphaned is the only sign that we get.
    const parent = process.ppid;
    setInterval(() => {
      if (process.ppid !== parent) {
        wrangler.kill('SIGTERM');
      }
    }, PARENT_POLL_MS).unref();
  }
  wrangler.once('error', fail);
  wrangler.once('exit', (exitCode, signal) => {
    process.exit(exitCode ?? SIGNAL_EXIT_CODE + (signal === null ? 0 : constants.signals[signal]));
  });
}

async function untilAnswered(baseUrl: string): Promise<void> {
  for (;;) {
    try {
      // Any answer will do: the gateway is there.
      await fetch(baseUrl, { method: 'HEAD', redirect: 'manual' });
      return;
    } catch {
      await wait(POLL_MS);
    }
  }
}

function fail(error: unknown): void {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

main().catch(fail);
