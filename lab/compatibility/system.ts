import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { convertV4MiniflareOptions, Miniflare, type V4WorkerOptions } from 'miniflare';
import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from 'wrangler';
import { databaseIds, migrate } from '../../scripts/dev/d1.ts';
import { OF_BACK_OFFICE } from '../../scripts/dev/front/paths.ts';
import { type LocalDatabase, localDatabase, SQL_SCRIPT } from '../../scripts/dev/sql-worker.ts';
import { WRANGLERS_BUILD_OPTIONS } from '../../scripts/project/bundling.ts';
import { BACK_OFFICE_CONFIG_FILE, WRANGLER_CONFIG_FILE } from '../../scripts/project/files.ts';
import type { Secrets } from '../../scripts/project/secrets.ts';
import { WRANGLER_ENVIRONMENT } from '../../scripts/project/wrangler.ts';
import type { VersionCode } from './bundles.ts';
import { type Assignment, RECORDED_PATH, type Version } from './host/choose.ts';
import type { Crossing } from './host/record.ts';

/** Both versions of both Workers, written to a folder. */
export interface Versions {
  readonly directory: string;
}

/** Writes the bundles of both versions, and the hosts that choose between them. */
export async function writeVersions(
  directory: string,
  codes: Readonly<Record<Version, VersionCode>>,
): Promise<Versions> {
  for (const worker of ['payments', 'backOffice'] as const) {
    for (const version of ['old', 'new'] as const) {
      await writeFile(moduleFile(directory, worker, version), codes[version][worker]);
    }
  }
  const hosts = { payments: 'payments.ts', backOffice: 'back-office.ts' } as const;
  for (const [worker, source] of Object.entries(hosts)) {
    await build({
      ...WRANGLERS_BUILD_OPTIONS,
      entryPoints: [join(import.meta.dirname, 'host', source)],
      outfile: moduleFile(directory, worker, 'host'),
      external: ['cloudflare:*', 'bundle-*'],
      minify: false,
      write: true,
    });
  }
  return { directory };
}

function moduleFile(directory: string, worker: string, name: string): string {
  return join(directory, `${worker}-${name}.js`);
}

/** The Workers with an assignment of versions, on storage that outlives them. */
export interface System {
  readonly origin: string;
  readonly payments: LocalDatabase;
  readonly backOffice: LocalDatabase;
  /** The id of the payment's object with this name. */
  paymentObjectId(name: string): Promise<string>;
  /** All that crossed between the parts since the start. */
  crossings(): Promise<readonly Crossing[]>;
  stop(): Promise<void>;
}

export interface SystemOptions {
  readonly versions: Versions;
  readonly assignment: Assignment;
  readonly secrets: Secrets;
  /** The rails' secrets. */
  readonly variables: Readonly<Record<string, string>>;
  readonly stateDirectory: string;
  readonly port: number;
}

/** Sends each request to its Worker, as a deployment's routes do. */
const FRONT = `export default {
  fetch(request, env) {
    const { pathname } = new URL(request.url);
    const isOfBackOffice = ${String(OF_BACK_OFFICE)}.test(pathname);
    return (isOfBackOffice ? env.BACK_OFFICE : env.PAYMENTS).fetch(request);
  },
}`;

/** A front for what the hosts recorded: requests to it are part of no scenario. */
const DOOR = `export default {
  async fetch(_request, env) {
    const hosts = [env.PAYMENTS, env.BACK_OFFICE];
    const url = 'http://host${RECORDED_PATH}';
    return Response.json((await Promise.all(hosts.map(async (host) => (await host.fetch(url)).json()))).flat());
  },
}`;

export async function startSystem(options: SystemOptions): Promise<System> {
  Object.assign(process.env, WRANGLER_ENVIRONMENT);
  const { assignment, secrets, stateDirectory, variables, port } = options;
  const ids = await databaseIds();
  const planes = { PAYMENTS: 'kefel', BACK_OFFICE: 'kefel-back-office' };
  const front = {
    modules: true,
    compatibilityDate: '2026-11-01',
    serviceBindings: planes,
  } as const;
  const shared = { ...secrets, VERSIONS: assignment, RATE_LIMITS: 'off' };
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      resourcePersistencePath: join(stateDirectory, 'v3'),
      port,
      cf: false,
      logRequests: false,
      handleStructuredLogs: () => undefined,
      workers: [
        { ...front, name: 'front', script: FRONT },
        {
          ...front,
          name: 'door',
          script: DOOR,
          unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
        },
        {
          ...front,
          name: 'sql',
          script: SQL_SCRIPT,
          d1Databases: [...ids],
          unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
        },
        hostWorker(options, 'payments', WRANGLER_CONFIG_FILE, {
          ...shared,
          ...variables,
          LOCAL_CALLBACKS: 'true',
        }),
        hostWorker(options, 'backOffice', BACK_OFFICE_CONFIG_FILE, shared),
      ],
    }),
  );
  await miniflare.ready;
  const door = await miniflare.unsafeGetDirectURL('door');
  const sql = await miniflare.unsafeGetDirectURL('sql');
  const [payments, backOffice] = ids.map((id) => localDatabase(id, (init) => fetch(sql, init))) as [
    LocalDatabase,
    LocalDatabase,
  ];
  await migrate(payments, backOffice);
  return {
    origin: `http://localhost:${port}`,
    payments,
    backOffice,
    paymentObjectId: async (name) =>
      (await miniflare.getDurableObjectNamespace('PAYMENT_INTENT', 'kefel'))
        .idFromName(name)
        .toString(),
    crossings: async () => (await (await fetch(door)).json()) as readonly Crossing[],
    stop: () => miniflare.dispose(),
  };
}

/** A host with the bindings of a wrangler.toml. */
function hostWorker(
  { versions: { directory } }: SystemOptions,
  worker: string,
  configFile: string,
  more: Readonly<Record<string, unknown>>,
): V4WorkerOptions {
  // Without `secrets`, wrangler looks for none and warns of none: `more` has them.
  const { secrets: _secrets, ...config } = unstable_readConfig({ config: configFile });
  const { workerOptions } = unstable_getMiniflareWorkerOptions({ ...config, secrets: undefined });
  const { modulesRules: _rules, bindings, ...options } = workerOptions;
  return {
    ...options,
    name: config.name,
    modules: Object.entries({ 'index.js': 'host', 'bundle-old': 'old', 'bundle-new': 'new' }).map(
      ([path, name]) => ({
        type: 'ESModule',
        path: join(directory, path),
        contents: readFileSync(moduleFile(directory, worker, name)),
      }),
    ),
    modulesRoot: directory,
    bindings: { ...Object(bindings), ...more },
    stripCfConnectingIp: false,
  } as unknown as V4WorkerOptions;
}
