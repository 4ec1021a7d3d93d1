import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listenLocally } from '../harness/local-server.ts';
import type { Template } from './template.ts';

/** Headers of one connection, and those that say nothing to the gateway. Compression would hide answers. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...['connection', 'content-length', 'transfer-encoding', 'keep-alive', 'accept-encoding'],
  ...['accept', 'sec-fetch-mode', 'user-agent', 'host'],
]);

/**
 * A proxy in front of the gateway that records what merchants, customers, members, operators and
 * providers send.
 */
export class Recorder {
  readonly recorded: Template[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(port: number, gatewayPort: number): Promise<Recorder> {
    const server = createServer();
    const recorder = new Recorder(server);
    server.on('request', async (received, answer) => {
      const chunks: Buffer[] = [];
      for await (const bytes of received) {
        chunks.push(bytes);
      }
      const body = Buffer.concat(chunks);
      const { method = '', url: target = '' } = received;
      const headers = Object.fromEntries(
        Object.entries(received.headers).flatMap(([name, value]) =>
          LEFT_OUT.has(name) || value === undefined ? [] : [[name, String(value)]],
        ),
      );
      recorder.recorded.push({ method, target, headers, body: body.length === 0 ? null : body });
      const forwarded = request(
        { host: '127.0.0.1', port: gatewayPort, method, path: target, headers: received.headers },
        (answered) => {
          answer.writeHead(answered.statusCode ?? 502, answered.headers);
          answered.pipe(answer);
        },
      );
      forwarded.on('error', () => answer.destroy());
      forwarded.end(body.length === 0 ? undefined : body);
    });
    await listenLocally(server, port, 'localhost');
    return recorder;
  }

  get origin(): string {
    return `http://localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
