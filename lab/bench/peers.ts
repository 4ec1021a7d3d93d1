import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cp, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { benchMerchant } from '../harness/built-worker.ts';
import { treeCpuTimeMs } from '../harness/cpu.ts';
import { runProgram } from '../harness/program.ts';
import type { LoadedServer } from '../harness/worker-server.ts';
import type { CaseName } from './cases.ts';
import { type Postgres, runSql, startPostgres } from './postgres.ts';

/** A program in `peers`. Its packages are no dependencies of Kefel. */
export interface Peer {
  readonly name: string;
  readonly about: string;
  readonly file: string;
  readonly hasWorker: boolean;
  readonly cases: readonly CaseName[];
}

export const PEERS: readonly Peer[] = [
  {
    name: 'ordinary',
    about: 'an ordinary Fastify and PostgreSQL',
    file: 'ordinary.mjs',
    hasWorker: true,
    cases: ['create', 'express'],
  },
  {
    name: 'tuned',
    about: 'a tuned Fastify and PostgreSQL',
    file: 'tuned.mjs',
    hasWorker: true,
    cases: ['create', 'express'],
  },
  {
    name: 'Medusa',
    about: "Medusa's payment module behind Fastify, on PostgreSQL",
    file: 'medusa.mjs',
    hasWorker: false,
    cases: ['create'],
  },
];

/** Copies the peers to a folder and installs their packages there. */
export async function installPeers(directory: string): Promise<void> {
  await cp(join(import.meta.dirname, 'peers'), directory, { recursive: true });
  const install = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--silent'];
  await runProgram('npm', install, directory);
}

/** Starts a peer with a PostgreSQL of its own. */
export async function startPeer(
  peer: Peer,
  installedDirectory: string,
  stateDirectory: string,
): Promise<LoadedServer> {
  const postgres = await startPostgres(stateDirectory);
  await runSql(postgres, await readFile(join(installedDirectory, 'schema.sql'), 'utf8'));
  const { sandboxApiKey, merchantId } = await benchMerchant();
  const digest = createHash('sha256').update(sandboxApiKey).digest('hex');
  await runSql(postgres, `INSERT INTO api_keys VALUES ('${digest}', '${merchantId}')`);
  const file = join(installedDirectory, peer.file);
  const server = await startProgram(file, 'server', postgres);
  const worker = peer.hasWorker ? await startProgram(file, 'worker', postgres) : null;
  const programs = [server, ...(worker === null ? [] : [worker])].map(({ program }) => program);
  const processIds = [...programs.flatMap(({ pid }) => pid ?? []), postgres.processId];
  return {
    url: server.url,
    cpuTimeMs: () => treeCpuTimeMs(processIds),
    async stop() {
      for (const program of programs) {
        const ended = once(program, 'exit');
        program.kill('SIGKILL');
        await ended;
      }
      await postgres.stop();
    },
  };
}

interface Started {
  readonly program: ChildProcess;
  readonly url: string;
}

async function startProgram(
  file: string,
  role: 'server' | 'worker',
  { environment }: Postgres,
): Promise<Started> {
  const program = fork(file, [role], {
    // Medusa looks for its modules there.
    cwd: dirname(file),
    env: { ...process.env, ...environment, NODE_ENV: 'production' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ready = new Promise<{ url: string }>((resolve) => program.once('message', resolve));
  const ended = once(program, 'exit').then(() => {
    throw new Error(`${file} ended`);
  });
  ended.catch(() => undefined);
  return { program, url: (await Promise.race([ready, ended])).url };
}
