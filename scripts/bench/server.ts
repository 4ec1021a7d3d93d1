import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { convertV4MiniflareOptions, Miniflare, type V4WorkerOptions } from 'miniflare';
import { WRANGLER_ENVIRONMENT } from '../project/wrangler.ts';

/** A Worker on a workerd of its own. */
export interface BenchServer {
  /** Leads straight to the Worker, past Miniflare's entry Worker and assets router. */
  readonly url: string;
  /** Of workerd. Miniflare's queues and D1 run in the same process, so its CPU time includes them. */
  readonly processId: number;
  readonly inspectorUrl: URL | null;
  /** Runs a statement on the Worker's D1 database. */
  query<Row>(sql: string): Promise<readonly Row[]>;
  stop(): Promise<void>;
}

export interface ServerOptions {
  readonly worker: V4WorkerOptions & { readonly name: string };
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
  const { worker, stateDirectory, hasInspector } = options;
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
  return {
    url: origin,
    processId,
    inspectorUrl: hasInspector ? await miniflare.getInspectorURL() : null,
    async query<Row>(sql: string) {
      const database = await miniflare.getD1Database('DB', worker.name);
      return (await database.prepare(sql).all<Row>()).results;
    },
    stop: () => miniflare.dispose(),
  };
}

/** Ids of this process's children that are workerd. */
async function workerdChildren(): Promise<readonly number[]> {
  const found: number[] = [];
  for (const thread of await readdir('/proc/self/task')) {
    const children = await readFile(`/proc/self/task/${thread}/children`, 'utf8');
    for (const child of children.split(' ').filter((text) => text !== '')) {
      if ((await readFile(`/proc/${child}/comm`, 'utf8')) === 'workerd\n') {
        found.push(Number(child));
      }
    }
  }
  return found;
}
