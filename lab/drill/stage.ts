import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildWorkers } from '../../scripts/gateway/built-workers.ts';
import { Gateway, NO_RATE_LIMITS } from '../../scripts/gateway/gateway.ts';
import { type StandIns, startStandIns } from '../../scripts/stand-ins/start-all.ts';

/** The gateway of the drill: its processes, its state, and the stand-ins for providers. */

const STAND_INS = { ethswitch: 'cards', hasRefunds: true, hasStatusQueries: true } as const;

export class Stage {
  readonly directory: string;
  readonly standIns: StandIns;
  readonly #port: number;
  #gateway: Gateway;
  /** The state directories so far: each disaster leads to a new one. */
  #states = 0;

  private constructor(directory: string, standIns: StandIns, port: number, gateway: Gateway) {
    this.directory = directory;
    this.standIns = standIns;
    this.#port = port;
    this.#gateway = gateway;
  }

  static async open(port: number): Promise<Stage> {
    const directory = await mkdtemp(join(tmpdir(), 'kefel-drill-'));
    await buildWorkers(join(directory, 'built'));
    const standIns = await startStandIns(`http://localhost:${port}`, STAND_INS);
    const gateway = await gatewayOf(directory, standIns, port, 0, []);
    const stage = new Stage(directory, standIns, port, gateway);
    await gateway.restart();
    return stage;
  }

  get gateway(): Gateway {
    return this.#gateway;
  }

  get stateDirectory(): string {
    return join(this.directory, `state-${this.#states}`);
  }

  /** Where the fetched copy of the backup is: the only thing that survives. */
  get copyDirectory(): string {
    return join(this.directory, 'copy');
  }

  /**
   * Destroys the gateway with its state, and starts an empty one at the same address. As at
   * Cloudflare, its objects have a new namespace, which refuses the ids of the old one.
   */
  async loseEverything(): Promise<void> {
    await this.#gateway.stop();
    this.#states += 1;
    this.#gateway = await gatewayOf(this.directory, this.standIns, this.#port, this.#states, [
      ...['--empty', '--namespace', `kefel-${this.#states}`],
    ]);
    await this.#gateway.restart();
  }

  async close(): Promise<void> {
    await this.#gateway.kill();
    await this.standIns.stop();
    await rm(this.directory, { recursive: true, force: true });
  }
}

async function gatewayOf(
  directory: string,
  { variables }: StandIns,
  port: number,
  state: number,
  args: readonly string[],
): Promise<Gateway> {
  const stateDirectory = join(directory, `state-${state}`);
  await mkdir(stateDirectory, { recursive: true });
  return Gateway.prepare({
    ...{ port, stateDirectory, outputFile: join(directory, 'gateway.log') },
    builtDirectory: join(directory, 'built'),
    otherArgs: [
      ...['--no-stand-ins', ...variables.flatMap((variable) => ['--var', variable])],
      ...[...NO_RATE_LIMITS, '--verbose', ...args],
    ],
  });
}
