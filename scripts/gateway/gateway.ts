import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type DemoMerchant, demoMerchant } from '../dev/demo-merchant.ts';
import { localSecrets } from '../dev/local-secrets.ts';
import { PROJECT_DIRECTORY } from '../project/files.ts';
import { ProcessGroup } from './process-group.ts';

const SERVE = join(import.meta.dirname, 'serve.ts');
const READY_POLL_MS = 100;
const READY_WAIT_MS = 120_000;
const ANSWER_TIMEOUT_MS = 20_000;
const OUTPUT_SHOWN_LENGTH = 1_500;
/**
 * Wrangler's error when another process takes the port of an inner socket between its choice and
 * workerd's start. Connections of the load take ports too, so it happens; a restart helps.
 */
const PORT_RACE = 'Address already in use (socket "direct:';
const PORT_RACES_MAX = 5;

/** For load, which comes from one merchant and one address. */
export const NO_RATE_LIMITS = ['--var', 'RATE_LIMITS:off'] as const;

export interface GatewayOptions {
  readonly port: number;
  readonly stateDirectory: string;
  readonly outputFile: string;
  /** Where `buildWorkers` has put the Workers; without it, `npm run dev` builds them at each start. */
  readonly builtDirectory?: string;
  /** More options of `npm run dev`. */
  readonly otherArgs?: readonly string[];
}

/** A running gateway. */
export interface RunningGateway {
  readonly baseUrl: string;
  readonly merchant: DemoMerchant;
  /** The output of its processes so far. */
  logs(): Promise<string>;
}

/** A gateway in processes of its own, which may be killed and started again. */
export class Gateway implements RunningGateway {
  readonly merchant: DemoMerchant;
  readonly #options: GatewayOptions;
  #group: ProcessGroup | null = null;
  #isServing = false;
  #portRaces = 0;
  #serving = Promise.withResolvers<void>();

  private constructor(options: GatewayOptions, merchant: DemoMerchant) {
    this.#options = options;
    this.merchant = merchant;
  }

  static async prepare(options: GatewayOptions): Promise<Gateway> {
    // Not from the file that `npm run dev` writes: another one may run at the same time.
    const merchant = await demoMerchant(`http://localhost:${options.port}`, await localSecrets());
    return new Gateway(options, merchant);
  }

  get baseUrl(): string {
    return this.merchant.baseUrl;
  }

  get outputFile(): string {
    return this.#options.outputFile;
  }

  logs(): Promise<string> {
    return readFile(this.outputFile, 'utf8');
  }

  start(): void {
    const { port, stateDirectory, outputFile, builtDirectory, otherArgs = [] } = this.#options;
    const [command, ...first] =
      builtDirectory === undefined
        ? (['npm', 'run', 'dev', '--'] as const)
        : ([process.execPath, SERVE, '--built', builtDirectory] as const);
    this.#group = new ProcessGroup({
      command,
      args: [...first, '--port', String(port), '--persist-to', stateDirectory, ...otherArgs],
      directory: PROJECT_DIRECTORY,
      outputFile,
    });
  }

  /** Waits until the API answers, then resolves what `whenServing` returned. */
  async untilReady(): Promise<void> {
    const deadlineMs = performance.now() + READY_WAIT_MS;
    while (!(await this.#answers())) {
      if (performance.now() > deadlineMs) {
        throw new Error('the gateway does not answer');
      }
      if (this.#group?.hasExited !== false) {
        await this.#startAfterPortRace();
      }
      await wait(READY_POLL_MS);
    }
    this.#isServing = true;
    this.#serving.resolve();
  }

  /** How often wrangler lost one of its inner ports and had to be started again. */
  get portRaces(): number {
    return this.#portRaces;
  }

  async #startAfterPortRace(): Promise<void> {
    const lastOutput = (await this.logs()).slice(-OUTPUT_SHOWN_LENGTH);
    this.#portRaces += 1;
    if (!lastOutput.includes(PORT_RACE) || this.#portRaces > PORT_RACES_MAX) {
      throw new Error(`the gateway did not start:\n${lastOutput}`);
    }
    await this.#group?.kill();
    this.start();
  }

  /** Resolves when the gateway is ready, at once unless it was killed. */
  whenServing(): Promise<void> {
    return this.#serving.promise;
  }

  /** On the same port and state directory, after `kill`. */
  restart(): Promise<void> {
    this.start();
    return this.untilReady();
  }

  /** Kills it and removes the state directory. */
  async stop(): Promise<void> {
    await this.kill();
    await rm(this.#options.stateDirectory, { recursive: true, force: true });
  }

  /** SIGKILL to workerd and what runs it, at once; resolves when all of them have exited. */
  async kill(): Promise<void> {
    if (this.#isServing) {
      this.#isServing = false;
      this.#serving = Promise.withResolvers<void>();
    }
    await this.#group?.kill();
    this.#group = null;
  }

  async #answers(): Promise<boolean> {
    const url = `${this.merchant.baseUrl}/api/v1/payment/banks`;
    const headers = { apiKey: this.merchant.sandboxApiKey };
    try {
      const answer = await fetch(url, { headers, signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
      await answer.body?.cancel();
      // An empty gateway knows no key.
      return answer.ok || answer.status === 401;
    } catch {
      return false;
    }
  }
}
