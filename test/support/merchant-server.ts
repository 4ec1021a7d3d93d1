import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach } from 'vitest';

const servers: Server[] = [];

/** Merchants' servers on real sockets, closed after each test. */
export function useMerchantServers(): (listener: RequestListener) => Promise<URL> {
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      await closed(server);
    }
  });
  return async (listener) => {
    const server = createServer(listener);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    servers.push(server);
    return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?a=1`);
  };
}

/** Closes the server that was started last, so that its URL refuses connections. */
export async function closeLastServer(): Promise<void> {
  const server = servers.pop();
  if (server !== undefined) {
    await closed(server);
  }
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}

/** The body of a request. */
export async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
