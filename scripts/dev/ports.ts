import { createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** A killed server needs a moment to release its port. */
const RELEASE_TRIES = 20;
const RELEASE_WAIT_MS = 100;
const PORT_MAX = 65_535;

/** Throws an error that says what to do when another process listens on the `port` of a script. */
export async function expectFreePort(port: number, usage = 'npm run dev'): Promise<void> {
  for (let tries = 0; tries < RELEASE_TRIES; tries++) {
    if (!(await isTaken(port, '127.0.0.1')) && !(await isTaken(port, '::1'))) {
      return;
    }
    await wait(RELEASE_WAIT_MS);
  }
  throw new Error(
    `Port ${port} is taken. Stop what listens there, or choose another: ${usage} -- --port ${port + 1}`,
  );
}

/** `count` ports from `first` on, so that addresses stay the same. 0 for one that is taken: any free one. */
export function fixedPorts(first: number, count: number): Promise<readonly number[]> {
  const ports = Array.from({ length: count }, (_, index) => first + index);
  return Promise.all(
    ports.map(async (port) => (port > PORT_MAX || (await isTaken(port, '127.0.0.1')) ? 0 : port)),
  );
}

export function isTaken(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    // Wrangler explains any other failure, such as a port for root only.
    server.once('error', (error) => resolve('code' in error && error.code === 'EADDRINUSE'));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(false)));
  });
}
