import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, readdir, readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../scripts/gateway/own-gateway.ts';
import { until } from '../harness/until.ts';

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
  const isReady = () => run(join(binaries, 'pg_isready'), ['-h', HOST, '-p', port, '-q']);
  await until('answer of PostgreSQL', () => isReady().catch(() => null));
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
