import { createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** A server that was killed needs a moment to let go of its port. */
const RELEASE_TRIES = 20;
const RELEASE_WAIT_MS = 100;

/** Throws, saying what to do, when something else keeps listening on `port` of this machine. */
export async function expectFreePort(port: number): Promise<void> {
  for (let tries = 0; tries < RELEASE_TRIES; tries++) {
    if (!(await isTaken(port, '127.0.0.1')) && !(await isTaken(port, '::1'))) {
      return;
    }
    await wait(RELEASE_WAIT_MS);
  }
  throw new Error(
    `Port ${port} is taken. Stop what listens there, or choose another: npm run dev -- --port ${port + 1}`,
  );
}

function isTaken(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    // Any other failure (a machine without IPv6, a port for root only) is wrangler's to explain.
    server.once('error', (error) => resolve('code' in error && error.code === 'EADDRINUSE'));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(false)));
  });
}
