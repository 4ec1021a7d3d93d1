import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { V4WorkerOptions } from 'miniflare';
import type { Account, Binding, Script, Version } from './account.ts';

/** A version of a Worker that the current deployment runs. */
export interface Running {
  readonly script: Script;
  readonly version: Version;
  /** The version in which the script's objects live. */
  readonly host: Version;
}

/** The versions of all current deployments. */
export function runningVersions(
  account: Account,
  hosts: ReadonlyMap<string, string>,
): readonly Running[] {
  return [...account.scripts.values()].flatMap((script) => {
    const shares = script.deployments[0]?.versions ?? [];
    const versions = shares.flatMap(({ version_id }) =>
      script.versions.filter(({ id }) => id === version_id),
    );
    const largest = shares.toSorted((one, other) => other.percentage - one.percentage)[0];
    const chosen = versions.find(({ id }) => id === hosts.get(script.name));
    const host = chosen ?? versions.find(({ id }) => id === largest?.version_id);
    return host === undefined ? [] : versions.map((version) => ({ script, version, host }));
  });
}

export function workerName(script: Script, { id }: Version): string {
  return `${script.name}.${id}`;
}

/** How Miniflare runs a version with what it was uploaded with. */
export function workerOptions(
  running: Running,
  all: readonly Running[],
  account: Account,
  directory: string,
): V4WorkerOptions & { readonly name: string } {
  const { script, version, host } = running;
  const bindings: Record<string, string | { id: string; tag: string; timestamp: string }> = {};
  const d1Databases: Record<string, string> = {};
  const r2Buckets: Record<string, string> = {};
  const queueProducers: Record<string, string> = {};
  const mail: { readonly name: string; readonly destination_address: string }[] = [];
  const ratelimits: NonNullable<V4WorkerOptions['ratelimits']> = {};
  const durableObjects: NonNullable<V4WorkerOptions['durableObjects']> = {};
  const serviceBindings: NonNullable<V4WorkerOptions['serviceBindings']> = {};
  for (const binding of version.bindings) {
    const { name } = binding;
    switch (binding.type) {
      case 'plain_text':
      case 'secret_text':
        bindings[name] = String(binding.text);
        break;
      case 'version_metadata':
        bindings[name] = {
          id: version.id,
          tag: version.annotations['workers/tag'] ?? '',
          timestamp: version.created_on,
        };
        break;
      case 'd1':
        d1Databases[name] = String(binding.id);
        break;
      case 'r2_bucket':
        r2Buckets[name] = String(binding.bucket_name);
        break;
      case 'queue':
        queueProducers[name] = String(binding.queue_name);
        break;
      case 'ratelimit':
        ratelimits[name] = rateLimit(binding);
        break;
      case 'durable_object_namespace':
        durableObjects[name] = {
          className: String(binding.class_name),
          useSQLite: true,
          unsafeUniqueKey: namespaceId(script, String(binding.class_name)),
          // The other versions of the deployment call the objects of the host.
          ...(version !== host && { scriptName: workerName(script, host) }),
        };
        break;
      case 'service':
        serviceBindings[name] = service(binding, all);
        break;
      case 'send_email':
        mail.push({ name, destination_address: String(binding.destination_address) });
        break;
      case 'assets':
        break;
      default:
        throw new Error(`no binding of the type ${binding.type} runs locally`);
    }
  }
  return {
    name: workerName(script, version),
    compatibilityDate: version.compatibilityDate,
    compatibilityFlags: [...version.compatibilityFlags],
    modulesRoot: '/',
    modules: version.modules.toSorted(mainFirst(version)).map(({ name, content }) => ({
      type: 'ESModule',
      path: `/${name}`,
      contents: content,
    })),
    bindings,
    d1Databases,
    r2Buckets,
    queueProducers,
    ratelimits,
    ...(mail.length > 0 && { email: { send_email: mail } }),
    durableObjects,
    serviceBindings,
    queueConsumers: version === host ? consumers(account, script) : {},
    ...(version.assets !== null && { assets: assets(version, account, directory) }),
    // Production has no Worker between ours and the internet.
    stripCfConnectingIp: false,
  };
}

const mainFirst =
  ({ mainModule }: Version) =>
  (one: { readonly name: string }, other: { readonly name: string }) =>
    Number(other.name === mainModule) - Number(one.name === mainModule);

function namespaceId(script: Script, className: string): string {
  const namespace = script.namespaces.find((known) => known.class === className);
  if (namespace === undefined) {
    throw new Error(`no deployment of ${script.name} has made the class ${className}`);
  }
  return namespace.id;
}

function rateLimit({ namespace_id, simple }: Binding) {
  return {
    namespace_id: String(namespace_id),
    simple: simple as { limit: number; period: 10 | 60 },
  };
}

/** A service binding leads to the version that has the objects. */
function service({ service: name, entrypoint }: Binding, all: readonly Running[]) {
  const target = all.find(({ script }) => script.name === name);
  if (target === undefined) {
    throw new Error(`no Worker ${name} is deployed`);
  }
  return {
    name: workerName(target.script, target.host),
    ...(typeof entrypoint === 'string' && { entrypoint }),
  };
}

const MS_PER_SECOND = 1000;

function consumers({ queues }: Account, { name }: Script) {
  const own = queues.flatMap(({ queue_name, consumers }) =>
    consumers.filter(({ script }) => script === name).map((consumer) => ({ queue_name, consumer })),
  );
  return Object.fromEntries(
    own.map(({ queue_name, consumer: { settings, dead_letter_queue } }) => {
      const { batch_size, max_retries, max_wait_time_ms, retry_delay } = settings;
      const options = {
        ...(batch_size !== undefined && { maxBatchSize: batch_size }),
        ...(max_wait_time_ms !== undefined && {
          maxBatchTimeout: max_wait_time_ms / MS_PER_SECOND,
        }),
        ...(max_retries !== undefined && { maxRetries: max_retries }),
        ...(retry_delay !== undefined && { retryDelay: retry_delay }),
        ...(dead_letter_queue !== null && { deadLetterQueue: dead_letter_queue }),
      };
      return [queue_name, options];
    }),
  );
}

/** Writes the uploaded files where Miniflare looks for them. */
function assets({ id, assets, bindings }: Version, { files }: Account, directory: string) {
  const folder = join(directory, 'assets', id);
  for (const [path, hash] of Object.entries(assets?.manifest ?? {})) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, files.get(hash) ?? '');
  }
  const { _headers, run_worker_first } = assets?.config ?? {};
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, '_headers'), _headers ?? '');
  const binding = bindings.find(({ type }) => type === 'assets')?.name;
  return {
    directory: folder,
    routerConfig: { has_user_worker: true },
    ...(binding !== undefined && { binding }),
    ...(run_worker_first !== undefined && {
      run_worker_first:
        typeof run_worker_first === 'boolean' ? run_worker_first : [...run_worker_first],
    }),
  };
}
