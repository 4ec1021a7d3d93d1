import { type ChildProcess, spawn } from 'node:child_process';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { PROJECT_DIRECTORY } from '../../scripts/project/files.ts';

const PROGRAM = join(PROJECT_DIRECTORY, 'clients', 'cli', 'kefel.ts');
const WAIT_TIMEOUT_MS = 100_000;

export interface Finished {
  readonly exitCode: number | null;
  readonly output: string;
  readonly errors: string;
}

/** One run of `kefel`, with no settings but those that the test gives. */
export class CliRun {
  output = '';
  errors = '';
  readonly finished: Promise<Finished>;
  readonly #process: ChildProcess;
  readonly #waiting = new Set<() => void>();

  constructor(
    words: readonly string[],
    env: Readonly<Record<string, string>> = {},
    cwd = '/',
    program = PROGRAM,
  ) {
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    this.#process = spawn(process.execPath, [program, ...words], {
      cwd,
      env: { PATH, NODE_COMPILE_CACHE, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#process.stdout?.on('data', (chunk) => {
      this.output += chunk;
      this.#changed();
    });
    this.#process.stderr?.on('data', (chunk) => {
      this.errors += chunk;
      this.#changed();
    });
    this.finished = new Promise((resolve, reject) => {
      this.#process.once('error', reject);
      this.#process.once('close', (exitCode) =>
        resolve({ exitCode, output: this.output, errors: this.errors }),
      );
    });
  }

  /** Resolves once the output and the errors together have this text. */
  until(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(look);
        reject(new Error(`no "${text}" in:\n${this.output}${this.errors}`));
      }, WAIT_TIMEOUT_MS);
      const look = () => {
        if (`${this.output}${this.errors}`.includes(text)) {
          clearTimeout(timer);
          this.#waiting.delete(look);
          resolve();
        }
      };
      this.#waiting.add(look);
      look();
    });
  }

  async stop(): Promise<void> {
    this.#process.kill();
    await this.finished;
  }

  #changed(): void {
    for (const look of [...this.#waiting]) {
      look();
    }
  }
}

/** A network between the command line and the gateway that a test can cut. */
export class Network {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isUp = true;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async to(baseUrl: string): Promise<Network> {
    const { hostname, port } = new URL(baseUrl);
    const server = createServer();
    const network = new Network(server);
    server.on('connection', (near) => {
      const far = createConnection({ host: hostname, port: Number(port) });
      for (const socket of [near, far]) {
        network.#sockets.add(socket);
        // A cut is not an error of the test's.
        socket.on('error', () => undefined);
        socket.once('close', () => network.#sockets.delete(socket));
      }
      near.pipe(far).pipe(near);
      if (!network.#isUp) {
        near.destroy();
        far.destroy();
      }
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return network;
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') {
      throw new Error('no port');
    }
    return `http://127.0.0.1:${address.port}`;
  }

  /** Breaks all connections, and new ones until `mend`. */
  cut(): void {
    this.#isUp = false;
    for (const socket of this.#sockets) {
      socket.destroy();
    }
  }

  mend(): void {
    this.#isUp = true;
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
