import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { untilQuiet } from '../harness/cpu.ts';
import type { BenchServer } from '../harness/worker-server.ts';
import type { CaseName } from './cases.ts';
import type { Load } from './load.ts';
import { CONSUMERS_SILENCE_MS, OBJECT_IDLE_MS } from './measure.ts';

/** The cases that could cost more when many payments exist. */
export const GROWTH_CASES: readonly CaseName[] = [
  ...(['create', 'status', 'list', 'page', '404-id', '409'] as const),
  ...(['express', 'paid', 'webhooks', 'projection'] as const),
];

const FILLING_CLIENTS = 32;
/** Then workerd must close the objects' files: it has some 20,000 file descriptors. */
const FILLED_AT_ONCE = 4_000;

/** Creates payments by the API. Returns a line of what they take, on disk and until D1 has them. */
export async function fillServer(
  server: BenchServer,
  load: Load,
  payments: number,
  stateDirectory: string,
): Promise<string> {
  await load.prepare('kefel', server.url, 'create', 0);
  const before = await untilQuiet(server, CONSUMERS_SILENCE_MS);
  for (let left = payments; left > 0; left -= FILLED_AT_ONCE) {
    const afterSends = Math.min(left, FILLED_AT_ONCE);
    await load.run('kefel', { clients: FILLING_CLIENTS, stop: { afterSends } });
    if (left > FILLED_AT_ONCE) {
      await wait(OBJECT_IDLE_MS);
    }
  }
  const answeredAtMs = Date.now();
  const backlog = payments - (await server.projectedRows());
  const after = await untilQuiet(server, CONSUMERS_SILENCE_MS);
  const rows = await server.projectedRows();
  if (rows !== payments) {
    throw new Error(`${payments} payments, but ${rows} rows in D1`);
  }
  const kibibytes = async (folder: string) =>
    ((await sizeOf(join(stateDirectory, 'v3', folder))) / payments / 1_024).toFixed(1);
  const cpuMs = (after.cpuTimeMs - before.cpuTimeMs) / payments;
  return (
    `${payments} payments: ${cpuMs.toFixed(2)} ms of processor time each, ${await kibibytes('do')} KiB` +
    ` of objects, ${await kibibytes('d1')} KiB of D1; when the last was answered, ${backlog} were not` +
    ` in D1 yet, ${((after.sinceMs - answeredAtMs) / 1_000).toFixed(1)} s later all were`
  );
}

/** Bytes of all databases beneath a folder, with their write-ahead logs. */
async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const databases = entries.filter(({ name }) => /\.sqlite(-wal)?$/.test(name));
  let bytes = 0;
  for (const { parentPath, name } of databases) {
    // An object that leaves memory has its log moved into its database.
    bytes += await stat(join(parentPath, name)).then(
      ({ size }) => size,
      () => 0,
    );
  }
  return bytes;
}
