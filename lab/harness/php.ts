import { EventEmitter } from 'node:events';
import { connect, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { getPHPLoaderModule } from '@php-wasm/node-8-4';
import { loadPHPRuntime, PHP } from '@php-wasm/universal';

/**
 * PHP, compiled to WebAssembly, with curl. Code that runs in it sees only the files that are written
 * into it; its connections are real.
 */
export async function startPhp(): Promise<PHP> {
  const loader = await getPHPLoaderModule();
  const websocket = { decorator: () => WebSocketOverTcp };
  return new PHP(await loadPHPRuntime(loader, { websocket }));
}

/** What a script prints. Throws with PHP's own message when it fails. */
export async function runPhp(php: PHP, request: Parameters<PHP['run']>[0]): Promise<string> {
  const { text, errors, exitCode } = await php.run(request);
  if (exitCode !== 0 || errors !== '') {
    throw new Error(`${errors}${text}`);
  }
  return text;
}

/** Writes a file that the runtime's scripts see. */
export function writeIntoPhp(php: PHP, file: string, content: string | Uint8Array): void {
  php.mkdirTree(dirname(file));
  php.writeFile(file, content);
}

/**
 * The runtime expects that its sockets are WebSockets to a proxy, as a browser needs. In Node a
 * socket of TCP takes the place of the WebSocket.
 */
class WebSocketOverTcp extends EventEmitter {
  readonly CONNECTING = 0;
  readonly OPEN = 1;
  readonly CLOSING = 2;
  readonly CLOSED = 3;
  readyState: number = this.CONNECTING;
  readonly #socket: Socket;

  /** `url`: `ws://127.0.0.1:8787/`. */
  constructor(url: string) {
    super();
    const { hostname, port } = new URL(url);
    this.#socket = connect(Number(port), hostname);
    this.#socket.on('connect', () => {
      this.readyState = this.OPEN;
      this.emit('open');
    });
    this.#socket.on('data', (bytes) => this.emit('message', bytes, true));
    this.#socket.on('error', (error) => this.emit('error', error));
    this.#socket.on('close', () => {
      this.readyState = this.CLOSED;
      this.emit('close');
    });
  }

  addEventListener(name: string, listener: () => void): void {
    this.on(name, listener);
  }

  removeEventListener(name: string, listener: () => void): void {
    this.off(name, listener);
  }

  /** Copies the bytes: they lie in the runtime's memory. */
  send(bytes: ArrayBuffer | Uint8Array): void {
    this.#socket.write(Buffer.from(new Uint8Array(bytes)));
  }

  close(): void {
    this.readyState = this.CLOSING;
    this.#socket.end();
  }
}
