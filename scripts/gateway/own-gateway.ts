import { randomInt } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { demoMerchant } from '../dev/demo-merchant.ts';
import { localSecrets } from '../dev/local-secrets.ts';
import { isTaken } from '../dev/ports.ts';
import { prepareLocalGateway } from '../dev/prepare.ts';
import { PROJECT_DIRECTORY } from '../project/files.ts';
import { buildWorkers } from './built-workers.ts';
import { Gateway, type RunningGateway } from './gateway.ts';

export interface GatewayOptions {
  /** The name of its log in `test-artefacts/e2e`. */
  readonly name: string;
  /** Runs before the gateway starts, to write more into its database. */
  readonly prepare?: (stateDirectory: string) => Promise<void>;
  /** Any free port by default. */
  readonly port?: number;
  /** What `buildGateway` has put there; by default the gateway has a build of its own. */
  readonly builtDirectory?: string | undefined;
  /** More options of `npm run dev`. */
  readonly args?: readonly string[];
  /** `NAME:VALUE`, in place of those in wrangler.toml. */
  readonly variables?: readonly string[];
}

/** Within the directory of a build. */
const STATE = 'state';
/** Some tests read the gateway's log. */
const ALL_LOGS = ['--verbose'];
/** Git-ignored. */
const LOGS_DIRECTORY = join(PROJECT_DIRECTORY, 'test-artefacts', 'e2e');

/** The Workers, and a state with the demo merchant, for any number of gateways. */
export async function buildGateway(directory: string): Promise<void> {
  await Promise.all([
    buildWorkers(directory),
    prepareLocalGateway(join(directory, STATE), 'http://localhost'),
  ]);
}

/** Like `npm run dev -- --no-stand-ins --port N --persist-to DIR`, of built Workers. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { name, prepare, args = [], variables = [] } = options;
  const port = options.port ?? (await freePort());
  const stateDirectory = await mkdtemp(join(tmpdir(), 'kefel-e2e-'));
  const builtDirectory = options.builtDirectory ?? join(stateDirectory, 'built');
  if (options.builtDirectory === undefined) {
    await buildGateway(builtDirectory);
  }
  await cp(join(builtDirectory, STATE), stateDirectory, { recursive: true });
  const outputFile = join(LOGS_DIRECTORY, `${name}.log`);
  await mkdir(LOGS_DIRECTORY, { recursive: true });
  await rm(outputFile, { force: true });
  // docs/reliability.md#back-office: with this, tests show that payments need no back office.
  const planes = process.env.KEFEL_PAYMENTS_ONLY === 'true' ? ['--payments-only'] : [];
  const given = variables.flatMap((variable) => ['--var', variable]);
  const otherArgs = ['--no-stand-ins', ...ALL_LOGS, ...planes, ...args, ...given];
  const launch = { builtDirectory, otherArgs };
  const gateway = await Gateway.prepare({ port, stateDirectory, outputFile, ...launch });
  try {
    await prepare?.(stateDirectory);
    await gateway.restart();
    return gateway;
  } catch (error) {
    await gateway.stop();
    throw error;
  }
}

/** The gateway at `baseUrl`, whose output goes to `outputFile`. */
export async function gatewayAt(baseUrl: string, outputFile: string): Promise<RunningGateway> {
  const merchant = await demoMerchant(baseUrl, await localSecrets());
  return { baseUrl, merchant, logs: () => readFile(outputFile, 'utf8') };
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
