import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DeployOptions, DeployTools } from '../../scripts/deploy/context.ts';
import { runDeploy } from '../../scripts/deploy/run.ts';
import { Cloudflare as Client, type CloudflareCall } from '../../scripts/deployment/cloudflare.ts';
import {
  type Deployment,
  requireDeployment,
  writeDeployment,
} from '../../scripts/deployment/deployment-file.ts';
import { SECRETS_OF } from '../../scripts/deployment/keys.ts';
import { writeOperatorsFile } from '../../scripts/deployment/operators-file.ts';
import {
  type RenderedWorkers,
  renderedDirectory,
  writeWorkerConfigs,
} from '../../scripts/deployment/render.ts';
import { WranglerError } from '../../scripts/deployment/wrangler.ts';
import type { WorkerConfig } from '../../scripts/project/worker-config.ts';
import { VERSION_HEADER } from '../../src/kit/http/common-headers.ts';
import type { Script, Version } from './cloudflare/account.ts';
import type { Cloudflare } from './cloudflare/server.ts';
import { changeSecrets, deploy, makeClasses } from './cloudflare/versions.ts';
import { deploymentFixture } from './deployment.ts';

/**
 * `npm run deploy` against the local Cloudflare's API. Wrangler is replaced by what it changes in the
 * account, and the deployed Workers by answers that name their version: `test/e2e/setup.test.ts` runs the
 * real ones.
 */

export const NAME = 'trial';
export const PAYMENTS = `kefel-${NAME}`;
export const BACK_OFFICE = `kefel-back-office-${NAME}`;
export const OLD_COMMIT = '1'.repeat(40);
export const COMMIT = '2'.repeat(40);
const OLD_TAG = `${'a'.repeat(12)}-${'b'.repeat(12)}`;

export class DeployStage {
  readonly cloudflare: Cloudflare;
  readonly said: string[] = [];
  readonly wrangled: string[] = [];
  /** The status of a version's answers; by default 200. */
  readonly statuses = new Map<string, number>();
  /** What `git status --porcelain` prints. */
  changes = '';
  commit = COMMIT;
  /** The older commits that were deployed with today's secrets, and whether that succeeds. */
  readonly deployedCommits: string[] = [];
  canDeployCommits = true;
  /** What the person types; without any, there is no terminal. */
  answers: string[] = [];
  /** The commits that this clone has. */
  readonly known = [OLD_COMMIT, COMMIT];
  /** The migrations that each database has. */
  readonly applied = new Map<string, readonly string[]>();
  selfCheck: DeployTools['selfCheck'] = async () => new Map();
  /** Whether the places have the newest deployment, so that a request can choose its version. */
  isPropagated = true;
  /** Happens before each answer of a Worker. */
  onAnswer: () => void = () => undefined;
  readonly #directory: string;
  #workers: RenderedWorkers | null = null;

  private constructor(cloudflare: Cloudflare, directory: string) {
    this.cloudflare = cloudflare;
    this.#directory = directory;
  }

  /** An account in which an older commit is deployed with all that it needs, and nothing else. */
  static async start(cloudflare: Cloudflare): Promise<DeployStage> {
    cloudflare.recover();
    cloudflare.state.scripts.clear();
    cloudflare.state.dnsRecords.clear();
    const stage = new DeployStage(cloudflare, await mkdtemp(join(tmpdir(), 'kefel-deploy-')));
    const deployment = deploymentFixture({
      account: { id: cloudflare.accountId, name: cloudflare.state.name },
    });
    await writeDeployment(NAME, deployment, stage.#directory);
    const workers = await writeWorkerConfigs(NAME, deployment, stage.#directory);
    stage.#workers = workers;
    for (const plane of ['payments', 'backOffice'] as const) {
      const { config } = workers[plane];
      const database = config.d1_databases?.[0]?.database_name ?? '';
      if (cloudflare.state.databases.every(({ name }) => name !== database)) {
        cloudflare.state.databases.push({
          uuid: randomUUID(),
          name: database,
          created_at: new Date().toISOString(),
          version: 'production',
          jurisdiction: null,
          primary_location_hint: null,
        });
      }
      await stage.#migrate(database);
      const script: Script = {
        name: config.name,
        tag: randomUUID(),
        created_on: new Date().toISOString(),
        versions: [],
        deployments: [],
        namespaces: [],
        schedules: [],
        onWorkersDev: true,
        observability: null,
      };
      cloudflare.state.scripts.set(config.name, script);
      const secrets = SECRETS_OF[plane].map((name) => ({ name, type: 'secret_text', text: 'x' }));
      const version = stage.#upload(script, {
        tag: OLD_TAG,
        message: `commit ${OLD_COMMIT}`,
        bindings: secrets,
        exports: exportsOf(config),
      });
      makeClasses(script, version.exports);
      deploy(script, [{ version_id: version.id, percentage: 100 }], {});
    }
    return stage;
  }

  /** Changes a secret, as `npm run rotate` does. */
  changeSecret(name: string, secret: string): void {
    const script = this.script(name);
    changeSecrets(script, { [secret]: 'changed' });
    Object.assign(script.versions.at(-1) ?? {}, { created_on: this.#nextTime() });
  }

  /** Gives this machine an operator's secret, so that deployments check the gateway. */
  async addOperator(): Promise<void> {
    const operators = { url: 'https://kefel.example.com', name: 'Sara', secret: 'x' };
    await writeOperatorsFile(join(this.#directory, 'none.json'), operators);
  }

  /** Of the deployment file. */
  get directory(): string {
    return this.#directory;
  }

  async stop(): Promise<void> {
    await rm(renderedDirectory(NAME, this.#directory), { recursive: true });
    await rm(this.#directory, { recursive: true });
  }

  /** Makes this folder's code that of another commit: its version in the account gets other tags. */
  release(commit: string): void {
    for (const [index, name] of [PAYMENTS, BACK_OFFICE].entries()) {
      const annotations = this.script(name).versions.at(-1)?.annotations ?? {};
      const tag = `${String(index).repeat(12)}-${'e'.repeat(12)}`;
      Object.assign(annotations, { 'workers/tag': tag });
    }
    this.commit = commit;
    this.known.push(commit);
  }

  /** Makes a deployed version that of another commit. */
  deployCommit(name: string, commit: string): void {
    const annotations = this.script(name).versions.at(-1)?.annotations ?? {};
    Object.assign(annotations, { 'workers/message': `commit ${commit}` });
    this.known.push(commit);
  }

  /** What the deployment file says now. */
  deployment(): Promise<Deployment> {
    return requireDeployment(NAME, this.#directory);
  }

  async changeDeployment(change: (deployment: Deployment) => Deployment): Promise<void> {
    await writeDeployment(NAME, change(await this.deployment()), this.#directory);
  }

  script(name: string): Script {
    const script = this.cloudflare.state.scripts.get(name);
    if (script === undefined) {
      throw new Error(`no Worker ${name}`);
    }
    return script;
  }

  /** The shares of the current deployment, by the commits of their versions. */
  shares(name: string): Readonly<Record<string, number>> {
    return sharesIn(this.script(name), 0);
  }

  /** The shares of the new commit in all deployments of a Worker, the first one first. */
  history(name: string): readonly (number | undefined)[] {
    const script = this.script(name);
    return script.deployments
      .map((_deployment, index) => sharesIn(script, index)[this.commit])
      .toReversed();
  }

  async run(changes: Partial<DeployOptions> = {}): Promise<boolean> {
    this.said.length = 0;
    this.cloudflare.calls.length = 0;
    const options: DeployOptions = {
      name: NAME,
      isYes: true,
      act: 'deploy',
      operatorsFile: join(this.#directory, 'none.json'),
      command: `npm run deploy -- --env ${NAME}`,
      ...changes,
    };
    return runDeploy(options, this.#tools(), this.#directory);
  }

  get output(): string {
    return this.said.join('\n');
  }

  #tools(): DeployTools {
    return {
      terminal: {
        isInteractive: this.answers.length > 0,
        say: (text) => this.said.push(text),
        ask: async () => this.answers.shift() ?? '',
      },
      cloudflare: this.#client(),
      runWrangler: async (args) => this.#wrangle(args),
      git: async (...args) => this.#git(args),
      deployCommit: async (commit) => {
        this.deployedCommits.push(commit);
        return this.canDeployCommits;
      },
      fetch: async (url, init) => this.#answer(new URL(String(url)), new Headers(init?.headers)),
      wait: async () => undefined,
      selfCheck: (...asked) => this.selfCheck(...asked),
    };
  }

  #git(args: readonly string[]): string {
    switch (args[0]) {
      case 'status':
        return args.includes(':!deployments')
          ? this.changes.replaceAll(/^.* deployments\/.*\n/gm, '')
          : this.changes;
      case 'rev-parse':
        return `${this.commit}\n`;
      default:
        if (!this.known.some((commit) => args.at(-1)?.startsWith(commit))) {
          throw new Error('no such commit');
        }
        return '';
    }
  }

  /** As the gateway answers: an override works only for a version of the current deployment. */
  #answer({ hostname }: URL, headers: Headers): Response {
    const name = hostname.startsWith('pay.') ? PAYMENTS : BACK_OFFICE;
    const [, wanted] =
      /="([^"]+)"/.exec(headers.get('cloudflare-workers-version-overrides') ?? '') ?? [];
    const shares = this.script(name).deployments[0]?.versions ?? [];
    const isWanted = (id: string) => this.isPropagated && id === wanted;
    const chosen = shares.find(({ version_id }) => isWanted(version_id)) ?? shares.at(-1);
    const id = chosen?.version_id ?? '';
    const status = this.statuses.get(name) ?? 200;
    this.onAnswer();
    return new Response('', { status, headers: { [VERSION_HEADER]: id } });
  }

  async #wrangle(args: readonly string[]): Promise<string> {
    this.wrangled.push(args.filter((arg) => !arg.startsWith('/')).join(' '));
    const file = args[args.indexOf('-c') + 1] ?? '';
    const worker = file.includes('/backOffice/') ? 'backOffice' : 'payments';
    const config = this.#workers?.[worker].config;
    const script = this.script(config?.name ?? '');
    const optionOf = (option: string) => args[args.indexOf(option) + 1] ?? '';
    if (args[0] === 'd1') {
      await this.#migrate(args[3] ?? '');
    } else if (args[0] === 'versions') {
      this.#upload(script, {
        tag: optionOf('--tag'),
        message: optionOf('--message'),
        bindings: script.versions.at(-1)?.bindings ?? [],
        exports: exportsOf(config),
      });
    } else if (args[0] !== 'triggers') {
      throw new WranglerError(`wrangler ${args.join(' ')} is not played`);
    }
    return '';
  }

  #upload(
    { versions }: Script,
    about: Pick<Version, 'bindings' | 'exports'> & {
      readonly tag: string;
      readonly message: string;
    },
  ): Version {
    const version: Version = {
      id: randomUUID(),
      number: versions.length + 1,
      created_on: this.#nextTime(),
      annotations: { 'workers/tag': about.tag, 'workers/message': about.message },
      bindings: about.bindings,
      mainModule: 'index.js',
      modules: [],
      compatibilityDate: '2026-11-01',
      compatibilityFlags: [],
      exports: about.exports,
      assets: null,
    };
    versions.push(version);
    return version;
  }

  #uploads = 0;

  /** Strictly rising, as Cloudflare's are. */
  #nextTime(): string {
    this.#uploads += 1;
    return new Date(Date.UTC(2026, 10, 27) + this.#uploads * 1_000).toISOString();
  }

  /** The API, except D1's queries, which would start the Workers. */
  #client(): Client {
    const { state, token, url } = this.cloudflare;
    const { applied } = this;
    return new (class extends Client {
      override async call<Result>(call: CloudflareCall): Promise<Result> {
        const id = /\/d1\/database\/([^/]+)\/query$/.exec(call.path)?.[1];
        const database = state.databases.find(({ uuid }) => uuid === id);
        if (database === undefined) {
          return super.call(call);
        }
        const results = applied.get(database.name)?.map((name) => ({ name })) ?? [];
        return [{ results }] as Result;
      }
    })(token, url);
  }

  /** Records all migrations of a database as applied. */
  async #migrate(name: string): Promise<void> {
    const workers = Object.values(this.#workers ?? {});
    const folder = workers
      .flatMap(({ config }) => config.d1_databases ?? [])
      .find((database) => database.database_name === name)?.migrations_dir;
    const files = await readdir(folder ?? '');
    this.applied.set(
      name,
      files.filter((file) => file.endsWith('.sql')),
    );
  }
}

/** As the API gets them, as JSON. */
function exportsOf(config: WorkerConfig | undefined): Version['exports'] {
  return JSON.parse(JSON.stringify(config?.exports ?? {}));
}

function sharesIn(script: Script, index: number): Readonly<Record<string, number>> {
  const shares = script.deployments[index]?.versions ?? [];
  return Object.fromEntries(
    shares.map(({ version_id, percentage }) => {
      const version = script.versions.find(({ id }) => id === version_id);
      const message = version?.annotations['workers/message'] ?? '';
      return [message.replace('commit ', ''), percentage] as const;
    }),
  );
}
