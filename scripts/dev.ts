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
import { METHODS } from '../src/engine/domain/method.ts';
import { demoInvitation } from './dev/demo-invitation.ts';
import { publishDemoMerchant } from './dev/demo-merchant.ts';
import { firstSteps } from './dev/first-steps.ts';
import { DEV, type DevOptions } from './dev/options.ts';
import { withoutStacks } from './dev/output.ts';
import { expectFreePort, fixedPorts } from './dev/ports.ts';
import { prepareLocalGateway } from './dev/prepare.ts';
import { writeWorkers } from './dev/workers.ts';
import { PROJECT_DIRECTORY } from './project/files.ts';
import { failed, runScript } from './project/options.ts';
import { startWrangler } from './project/wrangler.ts';
import { startStandIns } from './stand-ins/start-all.ts';
import { TelegramStandIn } from './stand-ins/telegram.ts';

const POLL_MS = 100;
/** 8800 beside the default port, the providers' stand-ins from 8801 on, and Telegram's after them. */
const PHONES_PORT_OFFSET = 13;
const PARENT_POLL_MS = 500;
const SIGNAL_EXIT_CODE = 128;
/** Wrangler does not end while it starts. */
const GRACE_MS = 3_000;

await runScript(DEV, async (options) => {
  const stateDirectory = options['persist-to'];
  const baseUrl = `http://localhost:${options.port}`;
  await expectFreePort(options.port, DEV.usage);
  const prepared = await prepareLocalGateway(stateDirectory, baseUrl, options.empty);
  const joinUrl = options.empty ? null : await demoInvitation(stateDirectory, prepared.merchant);
  const ports = await fixedPorts(options.port + PHONES_PORT_OFFSET, METHODS.length + 2);
  const standIns = options['no-stand-ins']
    ? null
    : await startStandIns(baseUrl, { hasRefunds: true, hasAppForms: true, ports });
  // A bot of the developer's own must reach Telegram itself.
  const hasOwnBot = options.var.some((variable) => /^\w+_TELEGRAM:/.test(variable));
  const telegram =
    options['no-stand-ins'] || hasOwnBot ? null : await TelegramStandIn.start(ports.at(-1));
  await buildDocuments();
  const configFiles = await writeWorkers({
    directory: join(stateDirectory, 'workers'),
    secrets: prepared.secrets,
    // The only place where webhooks may go to this machine (docs/decisions.md#18). The developer's own
    // variables come last, and replace a stand-in.
    variables: [
      'LOCAL_CALLBACKS:true',
      ...(standIns?.variables ?? []),
      ...(telegram?.variables ?? []),
      ...options.var,
    ],
    paymentsConfigFile: options.config,
    hasBackOffice: !options['payments-only'],
  });
  const args = [
    'dev',
    ...configFiles.flatMap((file) => ['--config', file]),
    ...wranglerArgs(options),
  ];
  const wrangler = startWrangler(
    args,
    PROJECT_DIRECTORY,
    {
      // The Workers of gateways that run at the same time have the same names.
      WRANGLER_REGISTRY_PATH: join(stateDirectory, 'registry'),
      ...(process.stderr.isTTY && { FORCE_COLOR: '1' }),
    },
    'pipe',
  );
  wrangler.stdout?.pipe(process.stdout);
  wrangler.stderr?.setEncoding('utf8').pipe(withoutStacks()).pipe(process.stderr);
  liveAndDieWith(wrangler);
  await untilAnswered(baseUrl);
  const isPublished = await publishDemoMerchant(prepared.merchant);
  console.log(
    joinUrl === null
      ? `The empty gateway runs at ${baseUrl}`
      : firstSteps({ ...prepared, joinUrl, standIns, telegram, isPublished }),
  );
});

/** The back office serves them. */
async function buildDocuments(): Promise<void> {
  await promisify(execFile)(process.execPath, ['scripts/build-docs.ts'], {
    cwd: PROJECT_DIRECTORY,
  });
}

function wranglerArgs(options: DevOptions): readonly string[] {
  const logLevel = options['log-level'] ?? (options.verbose ? null : 'warn');
  return [
    ...['--port', String(options.port), '--persist-to', options['persist-to']],
    '--show-interactive-dev-session=false',
    // Any free port: two gateways must not fight over the debugger's.
    ...['--inspector-port', options['inspector-port'] ?? '0'],
    ...(logLevel === null ? [] : ['--log-level', logLevel]),
  ];
}

/** Passes on signals and the end of npm, and ends when wrangler ends, the same way. */
function liveAndDieWith(wrangler: ChildProcess): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      wrangler.kill(signal);
      setTimeout(() => wrangler.kill('SIGKILL'), GRACE_MS).unref();
    });
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
  wrangler.once('error', failed);
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
