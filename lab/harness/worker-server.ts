import { join } from 'node:path';
import { convertV4MiniflareOptions, Miniflare, type V4WorkerOptions } from 'miniflare';
import { WRANGLER_ENVIRONMENT } from '../../scripts/project/wrangler.ts';
import { childrenOf, treeCpuTimeMs } from './cpu.ts';
import { peakMiB, resetPeakMiB } from './memory.ts';

/**
 * A Worker on a workerd of its own. Miniflare's queues and D1 run in the same process, so its CPU time
 * includes them.
 */
export interface BenchServer {
  /** Leads straight to the Worker, past Miniflare's entry Worker and assets router. */
  readonly url: string;
  /** Since its start. */
  cpuTimeMs(): Promise<number>;
  /** Memory of the process, after its peak is set back to what it has now. */
  resetPeakMiB(): Promise<number>;
  /** The most memory since then. */
  peakMiB(): Promise<number>;
  /** How many rows a table of D1 has. */
  databaseRows(table: string): Promise<number>;
  stop(): Promise<void>;
}

export interface ServerOptions {
  readonly worker: V4WorkerOptions & { readonly name: string };
  /** A statement for the new database, unless it is ready. */
  readonly schema?: string;
  /** Holds the databases of D1 and the objects. */
  readonly stateDirectory: string;
}

/**
 * A direct socket of a Worker with assets leads to the assets router. This one has none, and its
 * socket leads to the other Worker's own service.
 */
const DOOR = 'door';

export async function startServer(options: ServerOptions): Promise<BenchServer> {
  Object.assign(process.env, WRANGLER_ENVIRONMENT);
  const { worker, schema, stateDirectory } = options;
  const others = await childrenOf('self');
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      resourcePersistencePath: join(stateDirectory, 'v3'),
      cf: false,
      logRequests: false,
      // A log line is part of the Worker's work, printing it is not.
      handleStructuredLogs: () => undefined,
      workers: [
        {
          name: DOOR,
          modules: true,
          script: 'export default {}',
          compatibilityDate: '2026-11-01',
          unsafeDirectSockets: [{ host: '127.0.0.1', port: 0, serviceName: worker.name }],
        },
        worker,
      ],
    }),
  );
  const { origin } = await miniflare.unsafeGetDirectURL(DOOR);
  const processIds = (await childrenOf('self')).filter((child) => !others.includes(child));
  const database = await miniflare.getD1Database('DB', worker.name);
  if (schema !== undefined) {
    await database.exec(schema);
  }
  return {
    url: origin,
    cpuTimeMs: () => treeCpuTimeMs(processIds),
    resetPeakMiB: () => resetPeakMiB(processIds),
    peakMiB: () => peakMiB(processIds),
    databaseRows: async (table) =>
      Number(await database.prepare(`SELECT count(*) AS n FROM ${table}`).first('n')),
    stop: () => miniflare.dispose(),
  };
}
