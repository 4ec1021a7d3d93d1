import type { Cloudflare } from './cloudflare.ts';
import { parseVersionTag } from './version-tag.ts';

/** An uploaded version of a Worker, with what `npm run deploy` wrote about it. */
export interface WorkerVersion {
  readonly id: string;
  readonly createdOn: string;
  /** Of its code and configuration; null for a version that was uploaded in another way. */
  readonly tag: string | null;
  /** The commit that it was built from; null if it is unknown. */
  readonly commit: string | null;
}

export interface Share {
  readonly version: WorkerVersion;
  readonly percentage: number;
}

/** What Cloudflare has and runs of a Worker. */
export interface DeployedWorker {
  readonly name: string;
  /** The current deployment, its oldest version first. */
  readonly shares: readonly Share[];
  /** False after a step of a deployment whose checks have not all passed yet. */
  readonly isProved: boolean;
  /** False while only a change of secrets has given the newest version all requests. */
  readonly isWhole: boolean;
  /** The newest first. */
  readonly versions: readonly WorkerVersion[];
  /** The last older version that had all requests and kept them; null: none. */
  readonly previous: WorkerVersion | null;
  /** The same with other code: another configuration alone is no other version to go back to. */
  readonly olderCode: WorkerVersion | null;
  readonly secrets: readonly string[];
  /** Of its objects. */
  readonly classes: readonly string[];
}

interface DeploymentRow {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly versions: readonly { readonly version_id: string; readonly percentage: number }[];
}

interface VersionRow {
  readonly id: string;
  readonly metadata: { readonly created_on: string };
  readonly annotations?: Readonly<Record<string, string>>;
}

/** What a version's message says of its commit. */
export function commitMessage(commit: string): string {
  return `commit ${commit}`;
}

/** The way to one account. */
interface AccountAccess {
  readonly cloudflare: Cloudflare;
  /** Of the account. */
  path(below: string): string;
}

/** Null for a Worker that was never deployed. `released`: by the deployment file, the newest first. */
export async function deployedWorker(
  access: AccountAccess,
  name: string,
  released: readonly string[] = [],
): Promise<DeployedWorker | null> {
  const { cloudflare } = access;
  const script = access.path(`workers/scripts/${name}`);
  const secrets = await cloudflare.getIfPresent<readonly { readonly name: string }[]>(
    `${script}/secrets`,
  );
  if (secrets === null) {
    return null;
  }
  const { deployments } = await cloudflare.get<{ readonly deployments: readonly DeploymentRow[] }>(
    `${script}/deployments`,
  );
  const items = await cloudflare.listWhole<VersionRow>(`${script}/versions?deployable=true`);
  const namespaces = await cloudflare.list<{ readonly class: string; readonly script: string }>(
    access.path('workers/durable_objects/namespaces'),
  );
  const versions = items.map((_row, index) => versionAt(items, index));
  const versionOf = (id: string) =>
    versions.find((version) => version.id === id) ?? { id, createdOn: '', tag: null, commit: null };
  const shares = (deployments[0]?.versions ?? [])
    .map(({ version_id, percentage }) => ({ version: versionOf(version_id), percentage }))
    .sort((one, other) => one.version.createdOn.localeCompare(other.version.createdOn));
  if (shares.length === 0) {
    return null;
  }
  const current = shares.at(-1)?.version;
  const whole = withoutAbandoned(deployments);
  const proved = new Set(whole.filter(isProof).map(idOf));
  // Of a version that Cloudflare no longer has, nothing is known.
  const kept = released.filter((id) => items.some((item) => item.id === id));
  // A newer version was left for this one.
  const before = [...whole.map(idOf), ...kept]
    .map(versionOf)
    .filter(({ createdOn }) => createdOn < (current?.createdOn ?? ''));
  // A change of secrets alone makes a version, too: the one before it is as little proved.
  const isOther = ({ id, tag }: WorkerVersion) =>
    tag === null || tag !== current?.tag || proved.has(id);
  // A change of secrets proves nothing, and ends no deployment.
  const last = deployments.find((one) => !isOfSecrets(one));
  return {
    name,
    shares,
    isProved: messageOf(last) !== DEPLOYMENT_MESSAGES.step,
    isWhole: last?.versions.length === 1,
    versions,
    previous: before.find(isOther) ?? null,
    olderCode: before.find((version) => !hasSameCode(version, current)) ?? null,
    secrets: secrets.map((secret) => secret.name),
    classes: namespaces.filter((one) => one.script === name).map((one) => one.class),
  };
}

/** Whether the versions differ at most in their configuration and secrets. */
export function hasSameCode(one: WorkerVersion, other: WorkerVersion | undefined): boolean {
  const code = parseVersionTag(one.tag ?? undefined)?.code;
  return code !== undefined && code === parseVersionTag(other?.tag ?? undefined)?.code;
}

/**
 * The deployments of one version, the newest first, without those that a rollback took back: they
 * stand between it and the last time that its version had all requests.
 */
function withoutAbandoned(deployments: readonly DeploymentRow[]): readonly DeploymentRow[] {
  const kept: DeploymentRow[] = [];
  let backTo: string | undefined;
  for (const deployment of deployments.filter(({ versions }) => versions.length === 1)) {
    const id = idOf(deployment);
    if (backTo === undefined || backTo === id) {
      kept.push(deployment);
      backTo = messageOf(deployment) === DEPLOYMENT_MESSAGES.back ? id : undefined;
    }
  }
  return kept;
}

/** Of a deployment of one version. */
function idOf({ versions }: DeploymentRow): string {
  return versions[0]?.version_id ?? '';
}

function isProof(deployment: DeploymentRow): boolean {
  const { proved, back } = DEPLOYMENT_MESSAGES;
  return [proved, back].includes(messageOf(deployment) ?? '');
}

/** Whether a change of secrets made the version or deployment. */
function isOfSecrets({ annotations }: Pick<VersionRow, 'annotations'>): boolean {
  return /secret/i.test(annotations?.['workers/triggered_by'] ?? '');
}

function messageOf(deployment: DeploymentRow | undefined): string | undefined {
  return deployment?.annotations?.['workers/message'];
}

/**
 * A change of secrets makes a version of the same code. If it has no tag, the one before has it: Cloudflare
 * documents neither the name of such a change nor what becomes of the tag.
 */
function versionAt(rows: readonly VersionRow[], index: number): WorkerVersion {
  const { id, metadata } = rows[index] as VersionRow;
  const source = rows
    .slice(index)
    .find((row) => row.annotations?.['workers/tag'] !== undefined || !isOfSecrets(row));
  const message = source?.annotations?.['workers/message'] ?? '';
  return {
    id,
    createdOn: metadata.created_on,
    tag: source?.annotations?.['workers/tag'] ?? null,
    commit: /^commit ([0-9a-f]{40})$/.exec(message)?.[1] ?? null,
  };
}

/** Whether a deployment of the Worker has not given all requests to a version that passed its checks. */
export function isUnderWay({ shares, isProved }: DeployedWorker): boolean {
  return shares.length > 1 || !isProved;
}

/** Sets secrets in one call. Each makes a version with all requests. */
export async function setSecrets(
  { cloudflare, path }: AccountAccess,
  worker: string,
  values: Readonly<Record<string, string>>,
): Promise<void> {
  const secrets = Object.entries(values).map(([name, text]) => [
    name,
    { name, text, type: 'secret_text' },
  ]);
  await cloudflare.call({
    method: 'PATCH',
    path: path(`workers/scripts/${worker}/secrets-bulk`),
    headers: { 'content-type': 'application/merge-patch+json' },
    body: { secrets: Object.fromEntries(secrets) },
  });
}

/** Wrangler's default: a busy object finishes its requests first, for up to 5 minutes. */
const OBJECTS_CHANGE = { mode: 'deferred', max_delay: 300 };

/** What a deployment says of itself: nothing else remembers how far a run came. */
const DEPLOYMENT_MESSAGES = {
  step: 'npm run deploy',
  proved: 'npm run deploy: proved',
  back: 'npm run deploy: went back',
};

/** Makes versions of a Worker the current deployment. */
export async function setShares(
  { cloudflare, path, changed }: AccountAccess & { readonly changed: Set<string> },
  name: string,
  shares: readonly { readonly id: string; readonly percentage: number }[],
  message: keyof typeof DEPLOYMENT_MESSAGES = 'step',
): Promise<void> {
  await cloudflare.call({
    method: 'POST',
    path: path(`workers/scripts/${name}/deployments`),
    body: {
      strategy: 'percentage',
      versions: shares.map(({ id, percentage }) => ({ version_id: id, percentage })),
      annotations: { 'workers/message': DEPLOYMENT_MESSAGES[message] },
      code_update_strategy: OBJECTS_CHANGE,
    },
  });
  changed.add(name);
}
