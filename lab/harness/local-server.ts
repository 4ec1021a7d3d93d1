import type { Server } from 'node:net';

/** Starts a server on this machine, on any free port unless one is given. Returns its origin. */
export async function listenLocally(server: Server, port = 0, host = '127.0.0.1'): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') {
    throw new Error('a server on a port has an address with a port');
  }
  return `http://${host}:${address.port}`;
}
