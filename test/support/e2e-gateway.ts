import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type DemoMerchant, demoMerchant } from '../../scripts/dev/demo-merchant.ts';
import { localSecrets } from '../../scripts/dev/local-secrets.ts';
import { ProcessGroup } from '../../scripts/gateway/process-group.ts';
import { PROJECT_DIRECTORY } from '../../scripts/project/files.ts';

/** A running gateway. */
export interface Gateway {
  readonly baseUrl: string;
  readonly demo: DemoMerchant;
  /** The output of its processes so far. */
  logs(): Promise<string>;
}

/** A gateway that a test started, and may kill. */
export interface OwnGateway extends Gateway {
  readonly outputFile: string;
  /** SIGKILL to npm, wrangler and workerd at once; resolves when all of them have exited. */
  kill(): Promise<void>;
  /** On the same port and state directory, after `kill`. */
  restart(): Promise<void>;
  /** Kills it and removes the state directory. */
  stop(): Promise<void>;
}

export interface GatewayOptions {
  /** The name of its log in `test-artefacts/e2e`. */
  readonly name: string;
  /** Runs before the gateway starts, to write more into its database. */
  readonly prepare?: (stateDirectory: string) => Promise<void>;
  /** Any free port by default. */
  readonly port?: number;
  /** More options of `npm run dev`. */
  readonly args?: readonly string[];
}

const START_TIMEOUT_MS = 110_000;
const POLL_MS = 50;
/** Some tests read the gateway's log. */
const ALL_LOGS = ['--verbose'];
/** Git-ignored. */
const LOGS_DIRECTORY = join(PROJECT_DIRECTORY, 'test-artefacts', 'e2e');

/** Started as in the documentation: `npm run dev -- --no-stand-ins --port N --persist-to DIR`. */
export async function startGateway(options: GatewayOptions): Promise<OwnGateway> {
  const { name, prepare, args = [] } = options;
  const port = options.port ?? (await freePort());
  const stateDirectory = await mkdtemp(join(tmpdir(), 'kefel-e2e-'));
  const outputFile = join(LOGS_DIRECTORY, `${name}.log`);
  await mkdir(LOGS_DIRECTORY, { recursive: true });
  await rm(outputFile, { force: true });
  const state = ['--port', String(port), '--persist-to', stateDirectory];
  const gateway = await gatewayAt(`http://localhost:${port}`, outputFile);
  let group: ProcessGroup | null = null;
  const kill = async () => group?.kill();
  const start = async () => {
    group = new ProcessGroup({
      command: 'npm',
      args: ['run', 'dev', '--', '--no-stand-ins', ...state, ...ALL_LOGS, ...args],
      directory: PROJECT_DIRECTORY,
      outputFile,
    });
    await untilAnswered(gateway, group);
  };
  const stop = async () => {
    await kill();
    await rm(stateDirectory, { recursive: true, force: true });
  };
  try {
    await prepare?.(stateDirectory);
    await start();
  } catch (error) {
    await stop();
    throw error;
  }
  return { ...gateway, outputFile, kill, restart: start, stop };
}

/** The gateway at `baseUrl`, whose output goes to `outputFile`. */
export async function gatewayAt(baseUrl: string, outputFile: string): Promise<Gateway> {
  return {
    baseUrl,
    demo: await demoMerchant(baseUrl, await localSecrets()),
    logs: () => readFile(outputFile, 'utf8'),
  };
}

async function untilAnswered({ baseUrl, logs }: Gateway, group: ProcessGroup): Promise<void> {
  const signal = AbortSignal.timeout(START_TIMEOUT_MS);
  for (;;) {
    try {
      await fetch(baseUrl, { method: 'HEAD', redirect: 'manual', signal });
      return;
    } catch {
      if (signal.aborted || group.hasExited) {
        throw new Error(`The gateway did not start:\n${await logs()}`);
      }
      await wait(POLL_MS);
    }
  }
}

/** A port without a listener at the moment. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') {
    throw new Error('no port');
  }
  return address.port;
}
