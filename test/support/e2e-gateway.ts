import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type DemoMerchant, readDemoMerchant } from '../../scripts/dev/demo-merchant.ts';
import { PROJECT_DIRECTORY } from '../../scripts/project/files.ts';

/**
 * The gateway as a newcomer starts it: `npm run dev -- --port N --persist-to DIR`, in a process
 * group of its own, so that a SIGKILL takes npm, wrangler and workerd at the same moment.
 */
export interface Gateway {
  /** The same over restarts. */
  readonly baseUrl: string;
  readonly merchant: DemoMerchant;
  readonly stateDirectory: string;
  /** Everything the processes have printed so far. */
  logs(): string;
  /** SIGKILL to the whole group; resolves when all of it is gone. */
  kill(): Promise<void>;
  /** On the same port and state directory, after `kill`. */
  restart(): Promise<void>;
  /** Ends the group and removes the state directory. */
  stop(): Promise<void>;
}

export interface GatewayOptions {
  /** Runs before the gateway does: what else belongs into its database. */
  readonly prepare?: (stateDirectory: string) => Promise<void>;
  /** Any free one unless somebody has to know it before. */
  readonly port?: number;
  /** More options of `npm run dev`. */
  readonly args?: readonly string[];
}

const START_TIMEOUT_MS = 50_000;
const POLL_MS = 50;
/** Most tests pay in the sandbox. */
const NO_STAND_INS = ['--no-stand-ins'];
/** Some tests read the gateway's log. */
const ALL_LOGS = ['--verbose'];
/** Enough to see what went wrong; a long run prints much. */
const LOG_CHARACTERS_MAX = 200_000;

export async function startGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const { prepare, args = NO_STAND_INS } = options;
  const port = options.port ?? (await freePort());
  const baseUrl = `http://localhost:${port}`;
  const stateDirectory = await mkdtemp(join(tmpdir(), 'kefel-e2e-'));
  const group = new ProcessGroup();
  const remove = () => rm(stateDirectory, { recursive: true, force: true });
  const devArgs = ['--port', String(port), '--persist-to', stateDirectory, ...ALL_LOGS];
  const start = async () => {
    group.start(['run', 'dev', '--', ...devArgs, ...args]);
    await untilAnswered(baseUrl, group);
  };
  try {
    await prepare?.(stateDirectory);
    await start();
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    baseUrl,
    // The keys come from a seed: they are right even if another gateway has written the file.
    merchant: await readDemoMerchant(),
    stateDirectory,
    logs: () => group.logs,
    kill: () => group.end('SIGKILL'),
    restart: start,
    stop: async () => {
      await group.end('SIGKILL');
      await remove();
    },
  };
}

/** `npm …` as the leader of a process group. */
class ProcessGroup {
  logs = '';
  #leader: ChildProcess | null = null;
  #ended: Promise<number | null> = Promise.resolve(null);
  #isRunning = false;

  get isRunning(): boolean {
    return this.#isRunning;
  }

  start(args: readonly string[]): void {
    const leader = spawn('npm', [...args], {
      cwd: PROJECT_DIRECTORY,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#leader = leader;
    this.#isRunning = true;
    for (const stream of [leader.stdout, leader.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.logs = (this.logs + text).slice(-LOG_CHARACTERS_MAX);
      });
    }
    // `close` and not `exit`: it comes when the last of the group has let go of its output.
    this.#ended = new Promise((resolve, reject) => {
      leader.once('error', reject);
      leader.once('close', (exitCode) => {
        this.#isRunning = false;
        process.off('exit', onExit);
        resolve(exitCode);
      });
    });
    const onExit = () => this.#signal('SIGKILL');
    process.once('exit', onExit);
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    this.#signal(signal);
    await this.#ended;
  }

  #signal(signal: NodeJS.Signals): void {
    const groupId = this.#leader?.pid;
    if (groupId === undefined || !this.#isRunning) {
      return;
    }
    try {
      process.kill(-groupId, signal);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) {
        throw error;
      }
    }
  }
}

async function untilAnswered(baseUrl: string, group: ProcessGroup): Promise<void> {
  const signal = AbortSignal.timeout(START_TIMEOUT_MS);
  for (;;) {
    try {
      await fetch(baseUrl, { method: 'HEAD', redirect: 'manual', signal });
      return;
    } catch {
      if (signal.aborted || !group.isRunning) {
        await group.end('SIGKILL');
        throw new Error(`The gateway did not start:\n${group.logs}`);
      }
      await wait(POLL_MS);
    }
  }
}

/** A port that nobody listens on at the moment. */
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
