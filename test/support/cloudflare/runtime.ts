import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { type LocalDatabase, localDatabase, SQL_SCRIPT } from '../../../scripts/dev/sql-worker.ts';
import { WRANGLER_ENVIRONMENT } from '../../../scripts/project/wrangler.ts';
import type { Account, Namespace, Script } from './account.ts';
import { runningVersions, workerName, workerOptions } from './worker-options.ts';

/** Passes each request on to the version that the gateway has chosen. */
const DOOR = 'door';
const SQL = 'sql';
const TARGET = 'kefel-test-target';
const DOOR_SCRIPT = `export default {
  async fetch(request, env) {
    const target = request.headers.get('${TARGET}');
    const passed = new Request(request);
    passed.headers.delete('${TARGET}');
    try {
      return await env[target].fetch(passed);
    } catch (error) {
      return new Response('error code: 1101 ' + error.stack, { status: 500 });
    }
  },
}`;

/**
 * One workerd with the account's databases and buckets, and with all versions that current
 * deployments name. All versions of a Worker share its objects: these run in the version with the
 * largest share, or in the one that `hostObjects` names, and the others call them there. Queues,
 * schedules and service bindings lead to that version, too. The runtime starts again, over the same
 * data, when something has changed and the next request or statement comes; messages that wait in
 * queues are then lost, which Cloudflare may do as well; alarms are kept.
 */
export class Runtime {
  /** Lines that Workers have logged. */
  readonly logs: string[] = [];
  readonly #hosts = new Map<string, string>();
  #miniflare: Miniflare | null = null;
  #started: Promise<Miniflare> | null = null;
  #options = '';

  readonly account: Account;
  readonly directory: string;

  constructor(account: Account, directory: string) {
    this.account = account;
    this.directory = directory;
  }

  /** To be called after a change of what runs. */
  changed(): void {
    this.#started = null;
  }

  /** Lets a Worker's objects live in one version of its current deployment; null: the largest. */
  hostObjects(script: string, version: string | null): void {
    if (version === null) {
      this.#hosts.delete(script);
    } else {
      this.#hosts.set(script, version);
    }
    this.changed();
  }

  database(id: string): LocalDatabase {
    return localDatabase(id, async (init) => {
      const headers = { [TARGET]: SQL };
      return (await this.#ready()).dispatchFetch('http://sql', { ...init, headers });
    });
  }

  async bucket(name: string): Promise<R2Bucket> {
    return (await this.#ready()).getR2Bucket(name, DOOR) as unknown as Promise<R2Bucket>;
  }

  /** Sends a request to a version of a Worker in its current deployment. */
  async fetch(
    script: Script,
    versionId: string,
    url: string,
    init: RequestInit,
  ): Promise<Response> {
    const miniflare = await this.#ready();
    const headers = new Headers(init.headers);
    headers.set(TARGET, `${script.name}.${versionId}`);
    return (await miniflare.dispatchFetch(url, {
      ...init,
      headers,
      redirect: 'manual',
    } as never)) as unknown as Response;
  }

  /** Runs a Worker's schedule now. */
  async schedule(script: string, cron: string, at: Date = new Date()): Promise<void> {
    const miniflare = await this.#ready();
    const running = this.#running().find((one) => one.script.name === script);
    if (running === undefined || !running.script.schedules.includes(cron)) {
      throw new Error(`${script} has no schedule ${cron}`);
    }
    const worker = await miniflare.getWorker(workerName(running.script, running.host));
    await worker.scheduled({ cron, scheduledTime: at });
  }

  /** The ids of a class's objects that have stored something. */
  async objects({ id }: Namespace): Promise<readonly string[]> {
    const folder = join(this.directory, 'v3', 'do', id);
    const files = await readdir(folder).catch(() => []);
    return files.filter((name) => name.endsWith('.sqlite')).map((name) => name.slice(0, -7));
  }

  async stop(): Promise<void> {
    await this.#started?.catch(() => undefined);
    await this.#miniflare?.dispose();
  }

  #running() {
    return runningVersions(this.account, this.#hosts);
  }

  #ready(): Promise<Miniflare> {
    const { databases, buckets } = this.account;
    // A database or bucket needs no deployment to be used.
    const resources = [...databases.map(({ uuid }) => uuid), ...buckets.map(({ name }) => name)];
    if (this.#options !== String(resources)) {
      this.#options = String(resources);
      this.changed();
    }
    const before = this.#miniflare;
    this.#started ??= this.#start(before);
    return this.#started;
  }

  async #start(before: Miniflare | null): Promise<Miniflare> {
    const { account, directory } = this;
    const running = this.#running();
    const options = convertV4MiniflareOptions({
      resourcePersistencePath: join(directory, 'v3'),
      cf: false,
      logRequests: false,
      handleStructuredLogs: ({ message }) => {
        this.logs.push(message);
      },
      workers: [
        {
          name: DOOR,
          modules: true,
          script: DOOR_SCRIPT,
          compatibilityDate: '2026-11-01',
          r2Buckets: Object.fromEntries(account.buckets.map(({ name }) => [name, name])),
          serviceBindings: Object.fromEntries(
            [SQL, ...running.map(({ script, version }) => workerName(script, version))].map(
              (name) => [name, name],
            ),
          ),
        },
        {
          name: SQL,
          modules: true,
          script: SQL_SCRIPT,
          compatibilityDate: '2026-11-01',
          d1Databases: account.databases.map(({ uuid }) => uuid),
        },
        ...running.map((one) => workerOptions(one, running, account, directory)),
      ],
    });
    Object.assign(process.env, WRANGLER_ENVIRONMENT);
    if (before === null) {
      this.#miniflare = new Miniflare(options);
      await this.#miniflare.ready;
      return this.#miniflare;
    }
    await before.setOptions(options);
    return before;
  }
}
