import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Cloudflare as Client, type CloudflareCall } from '../../scripts/deployment/cloudflare.ts';
import { requireDeployment } from '../../scripts/deployment/deployment-file.ts';
import { renderedDirectory } from '../../scripts/deployment/render.ts';
import { WranglerError } from '../../scripts/deployment/wrangler.ts';
import type { WorkerConfig } from '../../scripts/project/worker-config.ts';
import type { SetupOptions } from '../../scripts/setup/answers.ts';
import { type RunOptions, Setup, type Tools } from '../../scripts/setup/context.ts';
import { runSetup } from '../../scripts/setup/run.ts';
import { WrongChecks } from '../../scripts/setup/self-check.ts';
import { runSteps, type Step } from '../../scripts/setup/step.ts';
import { runTeardown, type TeardownOptions } from '../../scripts/setup/teardown.ts';
import { newId, newUuid, now, type Script } from './cloudflare/account.ts';
import { type CloudflareOptions, startCloudflare } from './cloudflare/server.ts';
import { newScript } from './cloudflare/upload.ts';

/** How the next run of wrangler fails: before it did its work, or after that. */
interface WranglerFault {
  readonly command: string;
  readonly at: 'start' | 'end';
}

/** The API, with databases in memory: a statement in the local Cloudflare restarts workerd. */
class ClientWithDatabases extends Client {
  readonly #databases = new Map<string, DatabaseSync>();

  database(uuid: string): DatabaseSync {
    const database = this.#databases.get(uuid) ?? new DatabaseSync(':memory:');
    this.#databases.set(uuid, database);
    return database;
  }

  override async call<Result>(call: CloudflareCall): Promise<Result> {
    const [, uuid] = /\/d1\/database\/([^/]+)\/query$/.exec(call.path) ?? [];
    if (uuid === undefined) {
      return super.call(call);
    }
    const { sql } = call.body as { readonly sql: string };
    return [{ results: this.database(uuid).prepare(sql).all() }] as Result;
  }
}

export type SetupScene = Awaited<ReturnType<typeof setupScene>>;

/**
 * Setup in this process against the local Cloudflare. In place of wrangler, whose runs take seconds, it
 * changes the account as wrangler would.
 */
export async function setupScene(options: CloudflareOptions = {}) {
  const home = await mkdtemp(join(tmpdir(), 'kefel-setup-'));
  const cloudflare = await startCloudflare(options);
  const { state } = cloudflare;
  const client = new ClientWithDatabases(cloudflare.token, cloudflare.url);
  const said: string[] = [];
  const wranglerRuns: string[] = [];
  const checked: string[] = [];
  const scene = {
    cloudflare,
    home,
    directory: join(home, 'deployments'),
    recoveryFile: join(home, 'recovery.txt'),
    operatorsFile: join(home, 'operators.json'),
    /** What a person answers, in order; null: there is no terminal. */
    answers: null as string[] | null,
    wranglerFault: null as WranglerFault | null,
    /** The commit of the project's code; null when it has changes. */
    commit: 'c'.repeat(40) as string | null,
    /** Commands of wrangler since the last run of setup began. */
    wranglerRuns,
    /** Addresses of gateways that checked themselves. */
    checked,
    /** What is wrong with the gateway before the changes of a run, and after them. */
    wrong: { before: [] as string[], after: [] as string[] },
    database: (name: string) =>
      client.database(state.databases.find((known) => known.name === name)?.uuid ?? ''),
    deployment: () => requireDeployment('production', scene.directory),
    recoveryText: () => readFile(scene.recoveryFile, 'utf8'),
    /** Runs setup. Returns whether it succeeded, and what it printed. */
    setup: (given: Partial<SetupOptions> = {}) =>
      run((tools) => runSetup({ ...places(), ...SETUP_DEFAULTS, ...given }, tools)),
    teardown: (given: Partial<TeardownOptions>) =>
      run((tools) => runTeardown({ ...places(), ...TEARDOWN_DEFAULTS, ...given }, tools)),
    /** Runs other steps about the deployment, such as those of a rotation. */
    steps: (stepsOf: (setup: Setup) => readonly Step[]) =>
      scene.withSetup((setup) => runSteps(stepsOf(setup), setup.terminal, setup.options)),
    /** Runs another command about the deployment. */
    withSetup: async (
      command: (setup: Setup) => Promise<boolean>,
      given: Partial<RunOptions> = {},
    ) => {
      const deployment = await scene.deployment();
      return run((tools) => command(new Setup({ ...places(), ...given }, tools, deployment)));
    },
    script: (name: string): Script => {
      const script = state.scripts.get(name);
      if (script === undefined) {
        throw new Error(`there is no Worker ${name}`);
      }
      return script;
    },
    /** The values of a Worker's secrets. */
    secrets: (name: string): Readonly<Record<string, unknown>> =>
      Object.fromEntries(
        (scene.script(name).versions.at(-1)?.bindings ?? [])
          .filter(({ type }) => type === 'secret_text')
          .map((binding) => [binding.name, binding.text]),
      ),
    [Symbol.asyncDispose]: async () => {
      await rm(home, { recursive: true });
      await rm(renderedDirectory('production', scene.directory), { recursive: true, force: true });
      await cloudflare.stop();
    },
  };

  const places = () => ({
    name: 'production',
    account: undefined,
    recoveryFile: scene.recoveryFile,
    operatorsFile: scene.operatorsFile,
    directory: scene.directory,
    isYes: false,
    isDryRun: false,
    command: 'npm run setup -- --env production',
  });

  async function run(command: (tools: Tools) => Promise<boolean>) {
    for (const list of [said, wranglerRuns, checked, cloudflare.calls]) {
      list.length = 0;
    }
    const isDone = await command({
      cloudflare: client,
      runWrangler,
      commitOfCode: async () => scene.commit,
      checkGateway: async ({ deployment }, _operator, { isBefore = false }) => {
        const names = isBefore ? scene.wrong.before : scene.wrong.after;
        if (names.length > 0) {
          throw new WrongChecks(names, 'Look at it.');
        }
        if (!isBefore) {
          checked.push(deployment.addresses.backOffice);
        }
      },
      terminal: {
        isInteractive: scene.answers !== null,
        say: (text) => said.push(text),
        ask: async (question) => {
          said.push(question);
          return scene.answers?.shift() ?? '';
        },
      },
    });
    return { isDone, text: said.join('\n') };
  }

  async function runWrangler(args: readonly string[]): Promise<string> {
    const command = args.slice(0, args[0] === 'd1' ? 4 : 1).join(' ');
    const fault = scene.wranglerFault;
    const isFaulty = fault !== null && command.startsWith(fault.command);
    if (isFaulty) {
      scene.wranglerFault = null;
    }
    wranglerRuns.push(command);
    if (isFaulty && fault.at === 'start') {
      throw new WranglerError(`wrangler ${command} failed:\nfetch failed`);
    }
    await imitate(args);
    if (isFaulty) {
      throw new WranglerError(`wrangler ${command} failed:\nfetch failed`);
    }
    return '';
  }

  async function imitate(args: readonly string[]): Promise<void> {
    const option = (name: string) => args[args.indexOf(name) + 1] ?? '';
    const config: WorkerConfig = JSON.parse(await readFile(option('-c'), 'utf8'));
    if (args[0] === 'd1') {
      await applyMigrations(config);
      return;
    }
    if (args[0] === 'deploy') {
      const file = args.includes('--secrets-file') ? option('--secrets-file') : null;
      const secrets = file === null ? {} : JSON.parse(await readFile(file, 'utf8'));
      const annotations = {
        'workers/tag': option('--tag'),
        'workers/message': option('--message'),
      };
      upload(config, annotations, secrets);
    }
    pullTriggers(config);
  }

  async function applyMigrations({ d1_databases: [database] = [] }: WorkerConfig): Promise<void> {
    const { database_name: name, migrations_dir: folder } = database ?? {};
    const { uuid = '' } = state.databases.find((known) => known.name === name) ?? {};
    const sqlite = client.database(uuid);
    sqlite.exec('CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY, name TEXT UNIQUE)');
    for (const file of (await readdir(folder ?? '')).sort()) {
      sqlite.exec(await readFile(join(folder ?? '', file), 'utf8'));
      sqlite.prepare('INSERT INTO d1_migrations (name) VALUES (?)').run(file);
    }
  }

  /** A version of code that does nothing, with the secrets and the tag of the upload. */
  function upload(
    config: WorkerConfig,
    annotations: Record<string, string>,
    secrets: Record<string, string>,
  ): void {
    const script = state.scripts.get(config.name) ?? newScript(config.name);
    const kept = (script.versions.at(-1)?.bindings ?? []).filter(
      ({ type, name }) => type === 'secret_text' && !(name in secrets),
    );
    const added = Object.entries(secrets).map(([name, text]) => ({
      name,
      text,
      type: 'secret_text',
    }));
    const variables = Object.entries(config.vars ?? {}).map(([name, text]) => ({
      name,
      text,
      type: 'plain_text',
    }));
    const id = newUuid();
    script.versions.push({
      id,
      number: script.versions.length + 1,
      created_on: now(),
      annotations,
      bindings: [...kept, ...added, ...variables],
      mainModule: 'index.js',
      modules: [{ name: 'index.js', content: 'export default {}' }],
      compatibilityDate: '2026-11-01',
      compatibilityFlags: [],
      exports: {},
      assets: null,
    });
    script.deployments.unshift({
      id: newUuid(),
      created_on: now(),
      source: 'wrangler',
      author_email: state.email,
      annotations: {},
      strategy: 'percentage',
      versions: [{ version_id: id, percentage: 100 }],
    });
    state.scripts.set(config.name, script);
    cloudflare.runtime.changed();
  }

  function pullTriggers(config: WorkerConfig): void {
    const { name } = config;
    const script = scene.script(name);
    script.onWorkersDev = config.workers_dev !== false;
    script.schedules.splice(0, Number.POSITIVE_INFINITY, ...(config.triggers?.crons ?? []));
    for (const { queue, dead_letter_queue: dead } of config.queues?.consumers ?? []) {
      const found = state.queues.find(({ queue_name }) => queue_name === queue);
      found?.consumers.splice(0, 1, {
        consumer_id: newId(),
        script: name,
        dead_letter_queue: dead ?? null,
        settings: {},
      });
    }
    const zone = state.zones[0] ?? { id: '', name: '' };
    for (const { pattern, custom_domain: isDomain } of config.routes ?? []) {
      if (isDomain) {
        const domain = { hostname: pattern, service: name, environment: 'production' };
        state.domains.push({ id: newId(), ...domain, zone_id: zone.id, zone_name: zone.name });
      } else {
        state.routes.push({ id: newId(), pattern, script: name, zone_name: zone.name });
      }
    }
  }

  return scene;
}

const TEARDOWN_DEFAULTS = {
  accountName: undefined,
  deploymentName: undefined,
  isWithBackups: false,
};

const SETUP_DEFAULTS = {
  url: undefined,
  officeUrl: undefined,
  operator: 'Sara',
  jurisdiction: undefined,
  locationHint: undefined,
  isWithoutBackup: false,
};
