/**
 * `npm run dev`: from a fresh clone to a gateway that takes payments. Creates what is missing
 * (local secrets, tables, a demo merchant), starts stand-ins for the providers, runs `wrangler
 * dev` and prints the first steps. `--help` lists the options.
 */
import { type ChildProcess, execFile } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { demoInvitation } from './dev/demo-invitation.ts';
import { publishDemoMerchant } from './dev/demo-merchant.ts';
import { firstSteps } from './dev/first-steps.ts';
import { DEV_HELP, type DevOptions, devOptions } from './dev/options.ts';
import { expectFreePort } from './dev/ports.ts';
import { prepareLocalGateway } from './dev/prepare.ts';
import { writeWorkers } from './dev/workers.ts';
import { PROJECT_DIRECTORY } from './project/files.ts';
import { startWrangler } from './project/wrangler.ts';
import { startStandIns } from './stand-ins/start-all.ts';

const POLL_MS = 100;
const PARENT_POLL_MS = 500;
const SIGNAL_EXIT_CODE = 128;

async function main(): Promise<void> {
  const options = devOptions(process.argv.slice(2));
  if (options === null) {
    console.log(DEV_HELP);
    return;
  }
  const baseUrl = `http://localhost:${options.port}`;
  await expectFreePort(options.port);
  const prepared = await prepareLocalGateway(options.stateDirectory, baseUrl);
  const joinUrl = await demoInvitation(options.stateDirectory, prepared.merchant);
  const standIns = options.hasStandIns ? await startStandIns(baseUrl, { hasRefunds: true }) : null;
  await buildDocuments();
  const configFiles = await writeWorkers({
    directory: join(options.stateDirectory, 'workers'),
    secrets: prepared.secrets,
    // The only place where webhooks may go to this machine (docs/decisions.md#18). The developer's own
    // variables come last, and replace a stand-in.
    variables: ['LOCAL_CALLBACKS:true', ...(standIns?.variables ?? []), ...options.variables],
    paymentsConfigFile: options.configFile,
    hasBackOffice: options.hasBackOffice,
  });
  const args = [
    'dev',
    ...configFiles.flatMap((file) => ['--config', file]),
    ...wranglerArgs(options),
  ];
  const wrangler = startWrangler(args, PROJECT_DIRECTORY, {
    // The Workers of gateways that run at the same time have the same names.
    WRANGLER_REGISTRY_PATH: join(options.stateDirectory, 'registry'),
  });
  liveAndDieWith(wrangler);
  await untilAnswered(baseUrl);
  const isPublished = await publishDemoMerchant(prepared.merchant);
  console.log(firstSteps({ ...prepared, joinUrl, standIns, isPublished }));
}

/** The back office serves them. */
async function buildDocuments(): Promise<void> {
  await promisify(execFile)(process.execPath, ['scripts/build-docs.ts'], {
    cwd: PROJECT_DIRECTORY,
  });
}

function wranglerArgs(options: DevOptions): readonly string[] {
  return [
    ...['--port', String(options.port), '--persist-to', options.stateDirectory],
    '--show-interactive-dev-session=false',
    ...options.wranglerArgs,
  ];
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
      // Any answer shows that the gateway runs.
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
