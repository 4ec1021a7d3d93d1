import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { afterEach } from 'vitest';
import { listenLocally } from '../../lab/harness/local-server.ts';

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
    const origin = await listenLocally(server);
    servers.push(server);
    return new URL(`${origin}/hook?a=1`);
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
