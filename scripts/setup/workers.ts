import { rmSync } from 'node:fs';
import { mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  commitMessage,
  type DeployedWorker,
  deployedWorker,
  isUnderWay,
  setSecrets,
} from '../deployment/deployed-worker.ts';
import {
  newestKeyOf,
  type Plane,
  SECRETS_OF,
  secretsOf,
  secretVersion,
} from '../deployment/keys.ts';
import { longestExpiry, type RenderedWorker } from '../deployment/render.ts';
import {
  formatVersionTag,
  parseVersionTag,
  type VersionTag,
  versionTagOf,
} from '../deployment/version-tag.ts';
import '../project/exit-on-signals.ts';
import { SetupProblem } from '../deployment/explain.ts';
import type { SecretName } from '../project/secrets.ts';
import { rememberReversal, toVersion } from './check-step.ts';
import type { AccountAccess, Setup } from './context.ts';
import { databaseOf } from './resources.ts';
import type { Step, Work } from './step.ts';
import { keepingWorkersDev } from './triggers.ts';

/** Creates the tables that are missing, before a Worker reads them. */
export function tablesStep(setup: Setup): Step {
  return {
    title: 'tables',
    why: 'Each database gets the migrations that it lacks; none is ever undone.',
    look: async () => {
      const workers = await setup.workers();
      const works = await Promise.all(
        [workers.payments, workers.backOffice].map((worker) => missingMigrations(setup, worker)),
      );
      return works.flat();
    },
  };
}

/** Applies the migrations that a Worker's database lacks. */
export async function missingMigrations(
  setup: AccountAccess,
  { config, file }: RenderedWorker,
): Promise<readonly Work[]> {
  const [database] = config.d1_databases ?? [];
  if (database === undefined) {
    return [];
  }
  const { database_name: name, migrations_dir: folder } = database;
  const files = (await readdir(folder)).filter((entry) => entry.endsWith('.sql')).sort();
  const applied = await appliedMigrations(setup, name);
  const pending = files.filter((entry) => !applied.includes(entry));
  return pending.length === 0
    ? []
    : [
        {
          what: `apply to the database ${name}: ${pending.join(', ')}`,
          make: async () => {
            await setup.runWrangler(['d1', 'migrations', 'apply', name, '--remote', '-c', file]);
          },
        },
      ];
}

/** The names of the migrations that a database has; none for one that is not there. */
async function appliedMigrations(setup: AccountAccess, name: string): Promise<readonly string[]> {
  const database = await databaseOf(setup, name);
  if (database === null) {
    return [];
  }
  const query = async <Row>(sql: string) => {
    const [answer] = await setup.cloudflare.call<readonly { readonly results: readonly Row[] }[]>({
      method: 'POST',
      path: setup.path(`d1/database/${database.uuid}/query`),
      body: { sql },
    });
    return answer?.results ?? [];
  };
  const tables = await query("SELECT name FROM sqlite_master WHERE name = 'd1_migrations'");
  if (tables.length === 0) {
    return [];
  }
  const rows = await query<{ readonly name: string }>('SELECT name FROM d1_migrations');
  return rows.map((row) => row.name);
}

/** Gives a Worker its secrets, and deploys it where its code or configuration is missing. */
export function workerStep(setup: Setup, plane: Plane): Step {
  return {
    title: plane === 'payments' ? "the payments' Worker" : "the back office's Worker",
    why:
      plane === 'payments'
        ? 'It takes payments, and runs before the back office, which asks it.'
        : 'It has the dashboard, the desk and the documentation.',
    look: async () => {
      const worker = (await setup.workers())[plane];
      const deployed = await deployedWorker(setup, worker.config.name);
      const secrets = SECRETS_OF[plane].filter((name) => !isUploaded(setup, deployed, name));
      const tag = versionTagOf(plane, worker.config);
      if (deployed === null) {
        return [firstDeployment(setup, plane, worker, tag)];
      }
      const works = secrets.length > 0 ? [upload(setup, worker, secrets)] : [];
      const { shares } = deployed;
      const known = parseVersionTag(shares.at(-1)?.version.tag ?? undefined);
      const isOtherCode = known?.code !== tag.code;
      if (known?.config !== tag.config) {
        return [...works, redeployment(setup, worker, tag, { shares, isOtherCode })];
      }
      if (isOtherCode) {
        setup.terminal.say(
          `  It runs other code than this folder has: ${deployCommand(setup)} changes it in safe steps.`,
        );
      }
      return works;
    },
  };
}

/** Whether Cloudflare has the secret, and by the deployment file with exactly these keys. */
function isUploaded(setup: Setup, deployed: DeployedWorker | null, name: SecretName): boolean {
  const { deployment } = setup;
  return (
    deployed?.secrets.includes(name) === true &&
    deployment.uploaded[name] === secretVersion(deployment, name)
  );
}

/** Uploads the code together with all secrets, which a new Worker needs at once. */
function firstDeployment(
  setup: Setup,
  plane: Plane,
  { config, uploadFile }: RenderedWorker,
  tag: VersionTag,
): Work {
  const names = SECRETS_OF[plane];
  return {
    what: `deploy the Worker ${config.name} with ${names.join(', ')}`,
    make: async () => {
      const values = await secretsOf(setup.deployment, await setup.recoveryKey());
      const directory = await mkdtemp(join(tmpdir(), 'kefel-setup-'));
      const clean = () => rmSync(directory, { recursive: true, force: true });
      // A person may stop setup while wrangler runs.
      process.once('exit', clean);
      try {
        const secretsFile = join(directory, 'secrets.json');
        const own = Object.fromEntries(names.map((name) => [name, values[name]]));
        await recordExpiry(setup);
        await writeFile(secretsFile, JSON.stringify(own), { mode: 0o600 });
        await setup.runWrangler([
          ...(await deployArguments(setup, uploadFile, tag)),
          ...['--secrets-file', secretsFile],
        ]);
      } finally {
        process.off('exit', clean);
        clean();
      }
      await recordUploads(setup, names, new Date());
    },
  };
}

function upload(setup: Setup, { config }: RenderedWorker, names: readonly SecretName[]): Work {
  return {
    what: `set ${names.join(', ')} of the Worker ${config.name}`,
    make: () => uploadSecrets(setup, config.name, names),
  };
}

/** Sets secrets of a deployed Worker in one call. */
export async function uploadSecrets(
  setup: Setup,
  worker: string,
  names: readonly SecretName[],
  now = new Date(),
): Promise<void> {
  await checkNotSplit(setup, worker);
  const values = await secretsOf(setup.deployment, await setup.recoveryKey());
  const own = Object.fromEntries(names.map((name) => [name, values[name]]));
  await setSecrets(access(setup), worker, own);
  await recordUploads(setup, names, now);
}

function deployCommand({ options }: Setup): string {
  return `\`npm run deploy -- --env ${options.name}\``;
}

/** A new secret makes a version with all requests, so it would end a deployment that is under way. */
export async function checkNotSplit(setup: Setup, worker: string): Promise<void> {
  const deployed = await deployedWorker(setup, worker);
  if (deployed !== null && isUnderWay(deployed)) {
    throw new SetupProblem(
      `a deployment of ${worker} is under way, and a changed secret would end it`,
      `Finish it or roll it back with ${deployCommand(setup)}.`,
    );
  }
}

function access(setup: Setup) {
  return { cloudflare: setup.cloudflare, path: (below: string) => setup.path(below) };
}

async function recordUploads(setup: Setup, names: readonly SecretName[], now: Date): Promise<void> {
  const { deployment } = setup;
  const uploaded = names.map((name) => [name, secretVersion(deployment, name)] as const);
  const renewed = uploaded.filter(
    ([name, version]) => newestKeyOf(version) !== newestKeyOf(deployment.uploaded[name]),
  );
  const times = renewed.map(([name]) => [name, now.toISOString()]);
  await setup.store({
    ...deployment,
    uploaded: { ...deployment.uploaded, ...Object.fromEntries(uploaded) },
    uploadedAt: { ...deployment.uploadedAt, ...Object.fromEntries(times) },
  });
}

function redeployment(
  setup: Setup,
  worker: RenderedWorker,
  tag: VersionTag,
  { shares, isOtherCode }: Pick<DeployedWorker, 'shares'> & { readonly isOtherCode: boolean },
): Work {
  const { config, uploadFile } = worker;
  return {
    what: `deploy the Worker ${config.name}, whose configuration has changed`,
    make: async () => {
      const [before, another] = shares;
      if (before === undefined || another !== undefined) {
        throw new SetupProblem(
          `a deployment of ${config.name} is under way, and this one would end it`,
          `Finish it or roll it back with ${deployCommand(setup)}.`,
        );
      }
      if (isOtherCode) {
        throw new SetupProblem(
          `${config.name} runs other code than this folder has, or was not deployed by setup or \`npm run deploy\`; this folder's code would replace it at once`,
          `Run ${deployCommand(setup)}, which changes code and configuration in safe steps.`,
        );
      }
      const file = await keepingWorkersDev(setup, worker, uploadFile);
      await rememberReversal(setup, toVersion(setup, config.name, before.version));
      await recordExpiry(setup);
      await setup.runWrangler(await deployArguments(setup, file, tag));
    },
  };
}

/** Links that the Worker makes from now on may live longer than all before. */
async function recordExpiry(setup: Setup): Promise<void> {
  const { deployment } = setup;
  const expireInSecondsMax = longestExpiry(deployment, await setup.workers());
  if (expireInSecondsMax > deployment.expireInSecondsMax) {
    await setup.store({ ...deployment, expireInSecondsMax });
  }
}

/** Names the commit as `npm run deploy` does, which compares the next version with it. */
async function deployArguments(
  setup: Setup,
  file: string,
  tag: VersionTag,
): Promise<readonly string[]> {
  const commit = await setup.commitOfCode();
  const message = commit === null ? 'npm run setup' : commitMessage(commit);
  return ['deploy', '-c', file, '--tag', formatVersionTag(tag), '--message', message];
}
