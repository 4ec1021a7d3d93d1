import { join } from 'node:path';
import { build } from 'esbuild';
import { type BenchServer, startServer } from '../harness/worker-server.ts';

const QUEUE_SETTINGS = {
  // As Kefel's queues in wrangler.toml.
  'floor-messages': { maxBatchSize: 5, maxBatchTimeout: 0 },
  'floor-changes': { maxBatchSize: 100, maxBatchTimeout: 1 },
};

/** Starts the floor's Worker with a new database. */
export async function startFloor(stateDirectory: string): Promise<BenchServer> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'floor-worker.ts')],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2024',
    external: ['cloudflare:*'],
    write: false,
  });
  return startServer({
    worker: {
      name: 'floor',
      modules: true,
      script: outputFiles.map(({ text }) => text).join(''),
      compatibilityDate: '2026-11-01',
      compatibilityFlags: ['no_nodejs_compat', 'queue_consumer_no_wait_for_wait_until'],
      durableObjects: { FLOOR_OBJECT: { className: 'FloorObject', useSQLite: true } },
      d1Databases: { DB: 'floor' },
      queueProducers: { MESSAGES: 'floor-messages', CHANGES: 'floor-changes' },
      queueConsumers: QUEUE_SETTINGS,
      stripCfConnectingIp: false,
    },
    schema: 'CREATE TABLE changes (id TEXT PRIMARY KEY, body TEXT NOT NULL)',
    stateDirectory,
  });
}
