import {
  type Account,
  type Binding,
  type Deployment,
  newId,
  newUuid,
  now,
  type Script,
  type Share,
  type Version,
} from './account.ts';
import { ApiError, type Call, type Handlers, jsonOf } from './api.ts';
import type { AssetSessions } from './assets.ts';
import type { Runtime } from './runtime.ts';
import { uploadedVersion } from './upload.ts';

const SCRIPTS = '/accounts/{account}/workers/scripts';
const DEPLOYMENTS_SHOWN = 10;
const WHOLE = 100;

interface NewDeployment {
  readonly strategy: 'percentage';
  readonly versions: readonly Share[];
  readonly annotations?: Readonly<Record<string, string>>;
}

export function scriptOf(account: Account, { params }: Call): Script {
  const name = params.script ?? params.service ?? params.worker ?? '';
  const script = account.scripts.get(name);
  if (script === undefined) {
    throw new ApiError(10007, 'This Worker does not exist on your account.', 404);
  }
  return script;
}

/** Versions and the deployments that split the requests among them. */
export function versionHandlers(
  account: Account,
  sessions: AssetSessions,
  runtime: Runtime,
): Handlers {
  const find = (call: Call) => scriptOf(account, call);
  return {
    [`GET ${SCRIPTS}/{script}/versions`]: (call) => ({
      items: find(call).versions.toReversed().map(shownVersion),
    }),
    [`POST ${SCRIPTS}/{script}/versions`]: (call) => {
      const script = find(call);
      const version = uploadedVersion(call, script, account, sessions);
      const made = script.namespaces.map((namespace) => namespace.class);
      const classes = version.bindings.flatMap(({ type, class_name }) =>
        type === 'durable_object_namespace' ? [String(class_name)] : [],
      );
      const missing = classes.find((name) => !made.includes(name));
      if (missing !== undefined) {
        throw new ApiError(
          100406,
          `The class ${missing} is made by a deployment, not by a version`,
        );
      }
      script.versions.push(version);
      const shown = { ...shownVersion(version), startup_time_ms: 10, ...resourcesOf(version) };
      return { ...shown, metadata: { ...shown.metadata, has_preview: false } };
    },
    [`GET ${SCRIPTS}/{script}/deployments`]: (call) => ({
      deployments: find(call).deployments.slice(0, DEPLOYMENTS_SHOWN),
    }),
    [`POST ${SCRIPTS}/{script}/deployments`]: (call) => {
      const { versions, annotations = {} } = jsonOf<NewDeployment>(call);
      if (call.query.get('force') !== 'true') {
        refuseOldSecrets(find(call), versions);
      }
      const deployment = deploy(find(call), versions, annotations);
      runtime.changed();
      return deployment;
    },
  };
}

/** An older version keeps the secrets that it was uploaded with. */
function refuseOldSecrets(script: Script, shares: readonly Share[]): void {
  const secretsOf = ({ bindings }: Version) =>
    new Map(
      bindings.filter(({ type }) => type === 'secret_text').map((one) => [one.name, one.text]),
    );
  const deployed = (script.deployments[0]?.versions ?? [])
    .map(({ version_id }) => versionOf(script, version_id))
    .toSorted((one, other) => other.number - one.number)[0];
  if (deployed === undefined) {
    return;
  }
  const current = secretsOf(deployed);
  const older = shares
    .map(({ version_id }) => versionOf(script, version_id))
    .filter(({ number }) => number < deployed.number);
  const changed = [...current.keys()].filter((name) =>
    older.some((version) => secretsOf(version).get(name) !== current.get(name)),
  );
  if (changed.length > 0) {
    throw new ApiError(
      10220,
      `The deployed version has other secrets. The following secrets have changed: ${changed.join(', ')}`,
    );
  }
}

export function versionOf(script: Script, id: string): Version {
  const found = script.versions.find((version) => version.id === id);
  if (found === undefined) {
    throw new ApiError(10092, `The version ${id} does not exist`, 404);
  }
  return found;
}

/** Makes a deployment the current one. Classes of its versions that are new begin to exist. */
export function deploy(
  script: Script,
  shares: readonly Share[],
  annotations: Readonly<Record<string, string>>,
): Deployment {
  const versions = shares.map(({ version_id }) => versionOf(script, version_id));
  if (shares.reduce((sum, { percentage }) => sum + percentage, 0) !== WHOLE) {
    throw new ApiError(10021, 'The percentages must sum to 100');
  }
  const [first] = versions;
  if (versions.some((version) => !hasSameExports(version, first))) {
    throw new ApiError(100405, 'All versions of a deployment must have the same exports');
  }
  makeClasses(script, first?.exports ?? {});
  const deployment: Deployment = {
    id: newUuid(),
    created_on: now(),
    source: 'wrangler',
    author_email: 'operator@example.com',
    annotations: { 'workers/triggered_by': 'deployment', ...annotations },
    strategy: 'percentage',
    versions: shares,
  };
  script.deployments.unshift(deployment);
  return deployment;
}

function hasSameExports({ exports }: Version, other: Version | undefined): boolean {
  const text = (value: unknown) => JSON.stringify(Object.entries(Object(value)).sort());
  return text(exports) === text(other?.exports);
}

/** Returns the names of new classes. A class goes only with a line that says that it is deleted. */
export function makeClasses(
  script: Script,
  exported: Readonly<Record<string, unknown>>,
): readonly string[] {
  const missing = script.namespaces.filter((namespace) => !(namespace.class in exported));
  if (missing.length > 0) {
    const details = missing.map((namespace) => ({
      class: namespace.class,
      scenario: 'missing_export',
      message: `${namespace.class} has objects, and the configuration does not name it`,
    }));
    const message = 'Durable Object exports could not be reconciled';
    throw new ApiError(100402, message, 400, { meta: { details } });
  }
  const made = Object.keys(exported).filter(
    (name) => !script.namespaces.some((namespace) => namespace.class === name),
  );
  for (const name of made) {
    script.namespaces.push({ id: newId(), class: name, use_sqlite: true });
  }
  return made;
}

/** Changes secrets: a version with other bindings, which is deployed at once. Null removes one. */
export function changeSecrets(
  script: Script,
  secrets: Readonly<Record<string, string | null>>,
): void {
  const latest = script.versions.at(-1);
  const current = script.deployments[0]?.versions.map(({ version_id }) => version_id) ?? [];
  if (latest === undefined || !current.includes(latest.id)) {
    throw new ApiError(10215, 'The latest version of the Worker is not deployed');
  }
  const added = Object.entries(secrets).flatMap(([name, text]): readonly Binding[] =>
    text === null ? [] : [{ name, text, type: 'secret_text' }],
  );
  const version: Version = {
    ...latest,
    id: newUuid(),
    number: script.versions.length + 1,
    created_on: now(),
    annotations: { 'workers/triggered_by': 'secret' },
    bindings: [...latest.bindings.filter(({ name }) => !(name in secrets)), ...added],
  };
  script.versions.push(version);
  deploy(script, [{ version_id: version.id, percentage: WHOLE }], {
    'workers/triggered_by': 'secret',
  });
}

/** A binding as the API shows it: without the text of a secret. */
export function shownBinding(binding: Binding): Binding {
  const { text: _, ...shown } = binding;
  return binding.type === 'secret_text' ? shown : binding;
}

function shownVersion({ id, number, created_on, annotations }: Version) {
  const metadata = { created_on, author_email: 'operator@example.com', source: 'wrangler' };
  return { id, number, metadata: { ...metadata, modified_on: created_on }, annotations };
}

function resourcesOf({ bindings, compatibilityDate, compatibilityFlags, id }: Version) {
  return {
    resources: {
      bindings: bindings.map(shownBinding),
      script: { etag: id, handlers: ['fetch'], last_deployed_from: 'wrangler' },
      script_runtime: {
        compatibility_date: compatibilityDate,
        compatibility_flags: compatibilityFlags,
        usage_model: 'standard',
      },
    },
  };
}
