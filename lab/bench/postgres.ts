import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, readdir, readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';

/** A new PostgreSQL with fsync on, as Debian ships it. */
export interface Postgres {
  /** For libpq, without a password. */
  readonly environment: Readonly<Record<'PGHOST' | 'PGPORT' | 'PGUSER' | 'PGDATABASE', string>>;
  readonly processId: number;
  stop(): Promise<void>;
}

/** Debian keeps each version in a folder of its own. */
const DEBIAN_DIRECTORY = '/usr/lib/postgresql';
const USER = 'postgres';
const HOST = '127.0.0.1';
const READY_POLL_MS = 100;
const READY_WAIT_MS = 30_000;

const run = promisify(execFile);

/** Throws when PostgreSQL is not installed. */
export async function startPostgres(directory: string): Promise<Postgres> {
  const binaries = await binariesDirectory();
  const data = join(directory, 'data');
  await mkdir(directory, { recursive: true });
  const command = await commandAs(directory);
  const [program, ...args] = command(join(binaries, 'initdb'));
  await run(program, [...args, '-D', data, '-A', 'trust', '-U', USER]);
  const port = String(await freePort());
  const [server, ...serverArgs] = command(join(binaries, 'postgres'));
  const settings = ['-D', data, '-k', directory, '-p', port, '-c', `listen_addresses=${HOST}`];
  const postgres = spawn(server, [...serverArgs, ...settings], { stdio: 'ignore' });
  const ended = once(postgres, 'exit');
  await untilReady(join(binaries, 'pg_isready'), port);
  const [processId] = (await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n');
  // An immediate shutdown, when the run is interrupted.
  const quit = () => process.kill(Number(processId), 'SIGQUIT');
  process.on('exit', quit);
  return {
    environment: { PGHOST: HOST, PGPORT: port, PGUSER: USER, PGDATABASE: USER },
    processId: Number(processId),
    async stop() {
      process.off('exit', quit);
      // A fast shutdown.
      process.kill(Number(processId), 'SIGINT');
      await ended;
    },
  };
}

/** Runs statements by psql. */
export async function runSql({ environment }: Postgres, sql: string): Promise<void> {
  const psql = join(await binariesDirectory(), 'psql');
  await run(psql, ['-q', '-v', 'ON_ERROR_STOP=1', '-c', sql], {
    env: { ...process.env, ...environment },
  });
}

async function binariesDirectory(): Promise<string> {
  const versions = await readdir(DEBIAN_DIRECTORY).catch(() => []);
  const newest = versions.sort((one, other) => Number(other) - Number(one))[0];
  if (newest === undefined) {
    throw new Error('The peers need PostgreSQL: `apt-get install postgresql`');
  }
  return join(DEBIAN_DIRECTORY, newest, 'bin');
}

/** PostgreSQL refuses to run as root, so root hands the directory over to Debian's user. */
async function commandAs(directory: string): Promise<(program: string) => [string, ...string[]]> {
  if (userInfo().uid !== 0) {
    return (program) => [program];
  }
  const { stdout: uid } = await run('id', ['-u', USER]);
  const { stdout: gid } = await run('id', ['-g', USER]);
  await chown(directory, Number(uid), Number(gid));
  return (program) => ['setpriv', '--reuid', USER, '--regid', USER, '--clear-groups', program];
}

async function untilReady(isReady: string, port: string): Promise<void> {
  const deadlineMs = Date.now() + READY_WAIT_MS;
  for (;;) {
    try {
      await run(isReady, ['-h', HOST, '-p', port, '-q']);
      return;
    } catch (error) {
      if (Date.now() > deadlineMs) {
        throw new Error('PostgreSQL does not start', { cause: error });
      }
      await wait(READY_POLL_MS);
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, HOST);
  await once(server, 'listening');
  // A listening TCP server has an address.
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
