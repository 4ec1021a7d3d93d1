import type { Account, Script } from './account.ts';
import { ApiError, type Call, type Handlers, jsonOf } from './api.ts';
import type { AssetSessions } from './assets.ts';
import type { Runtime } from './runtime.ts';
import { newScript, uploadedVersion } from './upload.ts';
import { changeSecrets, deploy, makeClasses, scriptOf, shownBinding } from './versions.ts';

const WORKERS = '/accounts/{account}/workers';
const SCRIPT = `${WORKERS}/scripts/{script}`;

interface Secret {
  readonly name: string;
  readonly text: string;
}

/** Workers: their code, settings, secrets and address on workers.dev. */
export function scriptHandlers(
  account: Account,
  sessions: AssetSessions,
  runtime: Runtime,
): Handlers {
  const find = (call: Call) => scriptOf(account, call);
  const change = (call: Call, secrets: Readonly<Record<string, string | null>>) => {
    changeSecrets(find(call), secrets);
    runtime.changed();
  };
  return {
    [`GET ${WORKERS}/scripts`]: () => [...account.scripts.values()].map(shownScript),
    [`GET ${WORKERS}/services/{service}`]: (call) => {
      const script = find(call);
      return {
        id: script.name,
        default_environment: {
          environment: 'production',
          script: { ...shownScript(script), last_deployed_from: 'wrangler' },
        },
      };
    },
    [`GET ${WORKERS}/workers/{worker}`]: (call) => {
      const script = find(call);
      return { id: script.tag, name: script.name, subdomain: shownSubdomain(script) };
    },
    [`PUT ${SCRIPT}`]: (call) => {
      const name = call.params.script ?? '';
      const script = account.scripts.get(name) ?? newScript(name);
      const version = uploadedVersion(call, script, account, sessions);
      const created = makeClasses(script, version.exports);
      script.versions.push(version);
      const share = { version_id: version.id, percentage: 100 };
      deploy(script, [share], { 'workers/triggered_by': 'upload' });
      account.scripts.set(name, script);
      runtime.changed();
      return {
        ...shownScript(script),
        etag: version.id.replaceAll('-', ''),
        handlers: ['fetch'],
        startup_time_ms: 10,
        deployment_id: version.id.replaceAll('-', ''),
        exports_reconciliation: reconciliation(created),
      };
    },
    [`DELETE ${SCRIPT}`]: (call) => remove(account, call, runtime),
    [`GET ${SCRIPT}/settings`]: (call) => settingsOf(find(call)),
    [`GET ${SCRIPT}/script-settings`]: ({ params, ...call }) => {
      const { observability } = find({ ...call, params });
      return { observability };
    },
    [`PATCH ${SCRIPT}/script-settings`]: (call) => {
      const script = find(call);
      script.observability = jsonOf<{ observability: unknown }>(call).observability;
      return { observability: script.observability };
    },
    [`GET ${SCRIPT}/subdomain`]: (call) => shownSubdomain(find(call)),
    [`POST ${SCRIPT}/subdomain`]: (call) => {
      const script = find(call);
      const { enabled } = jsonOf<{ enabled: boolean }>(call);
      if (enabled && account.subdomain === null) {
        throw new ApiError(10007, 'workers.api.error.subdomain_not_found', 404);
      }
      script.onWorkersDev = enabled;
      return shownSubdomain(script);
    },
    [`GET ${SCRIPT}/secrets`]: (call) =>
      bindingsOf(find(call))
        .filter(({ type }) => type === 'secret_text')
        .map(({ name, type }) => ({ name, type })),
    [`PUT ${SCRIPT}/secrets`]: (call) => {
      const { name, text } = jsonOf<Secret>(call);
      change(call, { [name]: text });
      return { name, type: 'secret_text' };
    },
    [`DELETE ${SCRIPT}/secrets/{secret}`]: (call) => {
      change(call, { [call.params.secret ?? '']: null });
      return null;
    },
    [`PATCH ${SCRIPT}/secrets-bulk`]: (call) => {
      const { secrets } = jsonOf<{ secrets: Readonly<Record<string, Secret | null>> }>(call);
      const entries = Object.entries(secrets);
      change(
        call,
        Object.fromEntries(entries.map(([name, secret]) => [name, secret?.text ?? null])),
      );
      return { secrets: entries.map(([name]) => ({ name, type: 'secret_text' })) };
    },
  };
}

function bindingsOf({ versions }: Script) {
  return versions.at(-1)?.bindings ?? [];
}

function settingsOf(script: Script) {
  const latest = script.versions.at(-1);
  return {
    bindings: bindingsOf(script).map(shownBinding),
    compatibility_date: latest?.compatibilityDate,
    compatibility_flags: latest?.compatibilityFlags,
    observability: script.observability,
  };
}

function shownScript({ name, tag, created_on }: Script) {
  return { id: name, tag, tags: null, created_on, modified_on: created_on };
}

function shownSubdomain({ onWorkersDev }: Script) {
  return { enabled: onWorkersDev, previews_enabled: false };
}

/** Wrangler needs all of the lists. */
function reconciliation(created: readonly string[]) {
  const none: readonly string[] = [];
  return {
    created,
    updated: none,
    deleted: none,
    renamed: none,
    transferred: none,
    transfer_pending: none,
    warnings: none,
    info: none,
    removable_entries: none,
  };
}

/** What leads to the Worker goes with it. Objects of a later Worker of its name are other ones. */
function remove(account: Account, call: Call, runtime: Runtime): null {
  const script = scriptOf(account, call);
  const binders = [...account.scripts.values()].filter((other) =>
    bindingsOf(other).some(({ type, service }) => type === 'service' && service === script.name),
  );
  if (binders.length > 0 && call.query.get('force') !== 'true') {
    const names = binders.map(({ name }) => name).join(', ');
    throw new ApiError(10064, `Cannot delete ${script.name}: ${names} has a binding to it`);
  }
  if (account.queues.some(({ consumers }) => consumers.some((one) => one.script === script.name))) {
    throw new ApiError(10064, `Cannot delete ${script.name}: it is the consumer of a queue`);
  }
  account.scripts.delete(script.name);
  for (const list of [account.domains, account.routes]) {
    const others = list.filter(
      (one) => ('service' in one ? one.service : one.script) !== script.name,
    );
    list.splice(0, list.length, ...(others as never[]));
  }
  runtime.changed();
  return null;
}
