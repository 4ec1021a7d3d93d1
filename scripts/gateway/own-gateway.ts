import { randomInt } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DemoMerchant, demoMerchant } from '../dev/demo-merchant.ts';
import { localSecrets } from '../dev/local-secrets.ts';
import { isTaken } from '../dev/ports.ts';
import { PROJECT_DIRECTORY } from '../project/files.ts';
import { Gateway as DevGateway } from './gateway.ts';

/** A running gateway. */
export interface Gateway {
  readonly baseUrl: string;
  readonly demo: DemoMerchant;
  /** The output of its processes so far. */
  logs(): Promise<string>;
}

/** A gateway that a test or a measurement started, and may kill. */
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
  /** `NAME:VALUE`, in place of those in wrangler.toml. */
  readonly variables?: readonly string[];
}

/** Some tests read the gateway's log. */
const ALL_LOGS = ['--verbose'];
/** Git-ignored. */
const LOGS_DIRECTORY = join(PROJECT_DIRECTORY, 'test-artefacts', 'e2e');

/** Started as in the documentation: `npm run dev -- --no-stand-ins --port N --persist-to DIR`. */
export async function startGateway(options: GatewayOptions): Promise<OwnGateway> {
  const { name, prepare, args = [], variables = [] } = options;
  const port = options.port ?? (await freePort());
  const stateDirectory = await mkdtemp(join(tmpdir(), 'kefel-e2e-'));
  const outputFile = join(LOGS_DIRECTORY, `${name}.log`);
  await mkdir(LOGS_DIRECTORY, { recursive: true });
  await rm(outputFile, { force: true });
  // `npm run test:payments` shows that payments need no back office.
  const planes = process.env.KEFEL_PAYMENTS_ONLY === 'true' ? ['--payments-only'] : [];
  const given = variables.flatMap((variable) => ['--var', variable]);
  const otherArgs = ['--no-stand-ins', ...ALL_LOGS, ...planes, ...args, ...given];
  const dev = await DevGateway.prepare({ port, stateDirectory, outputFile, otherArgs });
  const start = () => {
    dev.start();
    return dev.untilReady();
  };
  const stop = async () => {
    await dev.kill();
    await rm(stateDirectory, { recursive: true, force: true });
  };
  try {
    await prepare?.(stateDirectory);
    await start();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    ...gatewayOf(dev.merchant, outputFile),
    outputFile,
    kill: () => dev.kill(),
    restart: start,
    stop,
  };
}

/** The gateway at `baseUrl`, whose output goes to `outputFile`. */
export async function gatewayAt(baseUrl: string, outputFile: string): Promise<Gateway> {
  return gatewayOf(await demoMerchant(baseUrl, await localSecrets()), outputFile);
}

function gatewayOf(demo: DemoMerchant, outputFile: string): Gateway {
  return { baseUrl: demo.baseUrl, demo, logs: () => readFile(outputFile, 'utf8') };
}

/** Below the ports that the system gives to connections and to servers that accept any port. */
const PORT_MIN = 10_000;
const PORT_MAX = 30_000;

/** A port without a listener, which the system gives to no other process meanwhile. */
export async function freePort(): Promise<number> {
  const port = randomInt(PORT_MIN, PORT_MAX);
  const isFree = !(await isTaken(port, '127.0.0.1')) && !(await isTaken(port, '::1'));
  return isFree ? port : freePort();
}
