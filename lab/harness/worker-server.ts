import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { convertV4MiniflareOptions, Miniflare, type V4WorkerOptions } from 'miniflare';
import { WRANGLER_ENVIRONMENT } from '../../scripts/project/wrangler.ts';
import { childrenOf, cpuTimeMs } from './cpu.ts';

/** Something that takes load. */
export interface LoadedServer {
  readonly url: string;
  /** Of all its processes since they started. */
  cpuTimeMs(): Promise<number>;
  /** How many payments D1 holds. */
  projectedRows?(): Promise<number>;
  stop(): Promise<void>;
}

/**
 * A Worker on a workerd of its own. Miniflare's queues and D1 run in the same process, so its CPU time
 * includes them.
 */
export interface BenchServer extends LoadedServer {
  /** Leads straight to the Worker, past Miniflare's entry Worker and assets router. */
  readonly url: string;
  readonly inspectorUrl: URL | null;
  projectedRows(): Promise<number>;
}

export interface ServerOptions {
  readonly worker: V4WorkerOptions & { readonly name: string };
  /** A statement for the new database, or null when it is ready. */
  readonly schema: string | null;
  /** The table of D1 with a row for each payment. */
  readonly projectedTable: string;
  /** Holds the databases of D1 and the objects. */
  readonly stateDirectory: string;
  readonly hasInspector: boolean;
}

/**
 * A direct socket of a Worker with assets leads to the assets router. This one has none, and its
 * socket leads to the other Worker's own service.
 */
const DOOR = 'door';

export async function startServer(options: ServerOptions): Promise<BenchServer> {
  Object.assign(process.env, WRANGLER_ENVIRONMENT);
  const { worker, schema, projectedTable, stateDirectory, hasInspector } = options;
  const others = new Set(await workerdChildren());
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      resourcePersistencePath: join(stateDirectory, 'v3'),
      cf: false,
      logRequests: false,
      // A log line is part of the Worker's work, printing it is not.
      handleStructuredLogs: () => undefined,
      ...(hasInspector ? { inspectorPort: 0 } : {}),
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
  const [processId] = (await workerdChildren()).filter((child) => !others.has(child));
  if (processId === undefined) {
    throw new Error('workerd has not started');
  }
  const database = () => miniflare.getD1Database('DB', worker.name);
  if (schema !== null) {
    await (await database()).exec(schema);
  }
  return {
    url: origin,
    cpuTimeMs: () => cpuTimeMs(processId),
    inspectorUrl: hasInspector ? await miniflare.getInspectorURL() : null,
    async projectedRows() {
      const statement = `SELECT count(*) AS n FROM ${projectedTable}`;
      return Number(await (await database()).prepare(statement).first('n'));
    },
    stop: () => miniflare.dispose(),
  };
}

/** Ids of this process's children that are workerd. */
async function workerdChildren(): Promise<readonly number[]> {
  const names = await Promise.all(
    (await childrenOf('self')).map(async (id) => ({
      id,
      name: await readFile(`/proc/${id}/comm`, 'utf8').catch(() => ''),
    })),
  );
  return names.filter(({ name }) => name === 'workerd\n').map(({ id }) => id);
}
