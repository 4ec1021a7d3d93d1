import {
  type Account,
  type AssetsConfig,
  type Binding,
  newId,
  newUuid,
  now,
  type Script,
  type Version,
} from './account.ts';
import { ApiError, type Call, partsOf } from './api.ts';
import type { AssetSessions } from './assets.ts';

interface Metadata {
  readonly main_module: string;
  readonly bindings: readonly Binding[];
  readonly compatibility_date?: string;
  readonly compatibility_flags?: readonly string[];
  readonly exports?: Readonly<Record<string, unknown>>;
  /** Types of bindings that the new version has from the latest one. */
  readonly keep_bindings?: readonly string[];
  readonly assets?: { readonly jwt: string; readonly config?: AssetsConfig };
  readonly annotations?: Readonly<Record<string, string>>;
  readonly observability?: unknown;
}

export function newScript(name: string): Script {
  return {
    name,
    tag: newId(),
    created_on: now(),
    versions: [],
    deployments: [],
    namespaces: [],
    schedules: [],
    onWorkersDev: false,
    observability: null,
  };
}

/** The version that a multipart upload describes. The caller adds it to the script. */
export function uploadedVersion(
  call: Call,
  script: Script,
  account: Account,
  sessions: AssetSessions,
): Version {
  const parts = partsOf(call);
  const metadata: Metadata = JSON.parse(
    String(parts.find(({ name }) => name === 'metadata')?.content),
  );
  const modules = parts
    .filter(({ type }) => type === 'application/javascript+module')
    .map(({ name, content }) => ({ name, content: content.toString() }));
  if (!modules.some(({ name }) => name === metadata.main_module)) {
    throw new ApiError(10021, `No such module "${metadata.main_module}".`);
  }
  const exported = metadata.exports ?? {};
  return {
    id: newUuid(),
    number: script.versions.length + 1,
    created_on: now(),
    annotations: { 'workers/triggered_by': 'upload', ...metadata.annotations },
    bindings: resolved(metadata, script).map((binding) => checked(binding, account, exported)),
    mainModule: metadata.main_module,
    modules,
    compatibilityDate: metadata.compatibility_date ?? '2026-11-01',
    compatibilityFlags: metadata.compatibility_flags ?? [],
    exports: exported,
    assets:
      metadata.assets === undefined
        ? null
        : {
            manifest: sessions.manifestOf(metadata.assets.jwt),
            config: metadata.assets.config ?? {},
          },
  };
}

function resolved(metadata: Metadata, script: Script): readonly Binding[] {
  const latest = script.versions.at(-1)?.bindings ?? [];
  const given = metadata.bindings.map((binding) => {
    if (binding.type !== 'inherit') {
      return binding;
    }
    const inherited = latest.find(({ name }) => name === binding.name);
    if (inherited === undefined) {
      throw new ApiError(10057, `The binding "${binding.name}" has nothing to inherit from`);
    }
    return inherited;
  });
  const kept = latest.filter(
    ({ name, type }) =>
      metadata.keep_bindings?.includes(type) && !given.some((binding) => binding.name === name),
  );
  return [...given, ...kept];
}

/** Returns the binding if what it names exists. */
function checked(binding: Binding, account: Account, exported: Readonly<Record<string, unknown>>) {
  const exists = ((): boolean => {
    switch (binding.type) {
      case 'd1':
        return account.databases.some(({ uuid }) => uuid === binding.id);
      case 'queue':
        return account.queues.some(({ queue_name }) => queue_name === binding.queue_name);
      case 'r2_bucket':
        return account.buckets.some(({ name }) => name === binding.bucket_name);
      case 'service':
        return account.scripts.has(String(binding.service));
      case 'durable_object_namespace':
        return String(binding.class_name) in exported;
      default:
        return true;
    }
  })();
  if (!exists) {
    const { name, type, ...target } = binding;
    const what = Object.values(target).join(' ');
    throw new ApiError(10021, `binding ${name} of type ${type}: ${what} does not exist`);
  }
  return binding;
}
