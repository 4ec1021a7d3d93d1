import { relative } from 'node:path';
import {
  commitMessage,
  type DeployedWorker,
  deployedWorker,
  hasSameCode,
  type WorkerVersion,
} from '../deployment/deployed-worker.ts';
import { deploymentFile, requireDeployment } from '../deployment/deployment-file.ts';
import { explained, SetupProblem } from '../deployment/explain.ts';
import type { Plane } from '../deployment/keys.ts';
import { olderCode } from '../deployment/newest-file.ts';
import { writeWorkerConfigs } from '../deployment/render.ts';
import { formatVersionTag, parseVersionTag, versionTagOf } from '../deployment/version-tag.ts';
import { quoted } from '../setup/terminal.ts';
import { checkAddresses } from '../setup/triggers.ts';
import { checkValues } from '../setup/values.ts';
import { changedClasses, checkSecrets, committed, pendingMigrations } from './checks.ts';
import { type DeployOptions, type DeployRun, type DeployTools, PLANES } from './context.ts';
import { goBack, OtherSecrets, StillLive } from './going-back.ts';
import { recordExpiry, recordReleased } from './records.ts';
import { type Release, releaseVersion, splitOf } from './release.ts';

type Deployed = Readonly<Record<Plane, DeployedWorker>>;

/** Deploys this commit, or goes back. Returns false after a failure, which it has explained. */
export async function runDeploy(
  options: DeployOptions,
  tools: DeployTools,
  directory?: string,
): Promise<boolean> {
  const { terminal } = tools;
  const changed = new Set<string>();
  try {
    const run = await prepared(options, tools, changed, directory);
    const deployed = await deployedWorkers(run);
    if (options.act === 'rollback') {
      return await rollBack(run, deployed);
    }
    return await change(run, deployed, await committed(run));
  } catch (error) {
    const { problem, remedy } = explained(error);
    terminal.say(`\nThe deployment stopped: ${problem}\n${remedy}`);
    if (error instanceof StillLive) {
      return false;
    }
    terminal.say(`What is deployed stays as it is. To continue: ${commandOf(options)}`);
    if (options.act === 'deploy' && changed.size > 0) {
      terminal.say(`To go back: ${options.command} --rollback`);
    }
    return false;
  }
}

/** The command with what it does. */
function commandOf({ act, command }: DeployOptions): string {
  return act === 'deploy' ? command : `${command} --${act}`;
}

async function prepared(
  options: DeployOptions,
  tools: DeployTools,
  changed: Set<string>,
  directory: string | undefined,
): Promise<DeployRun> {
  const deployment = await requireDeployment(options.name, directory);
  const workers = await writeWorkerConfigs(options.name, deployment, directory);
  const path = (below: string) => `/accounts/${deployment.account.id}/${below}`;
  return { ...tools, options, deployment, workers, directory, changed, path };
}

async function deployedWorkers(run: DeployRun): Promise<Deployed> {
  const found = await Promise.all(
    PLANES.map(async (plane) => {
      const { name } = run.workers[plane].config;
      const deployed = await deployedWorker(run, name, run.deployment.released[plane]);
      if (deployed === null) {
        throw new SetupProblem(
          `${name} is not deployed yet`,
          `Run \`npm run setup -- --env ${run.options.name}\` first.`,
        );
      }
      return [plane, deployed] as const;
    }),
  );
  return Object.fromEntries(found) as unknown as Deployed;
}

/** What a deployment of this commit changes: a release of each Worker that has other code. */
function releasesOf(run: DeployRun, deployed: Deployed, commit: string): readonly Release[] {
  return PLANES.flatMap((plane) => {
    const worker = deployed[plane];
    const wanted = versionTagOf(plane, run.workers[plane].config);
    const tag = formatVersionTag(wanted);
    const newest = worker.shares.at(-1)?.version;
    const isOneUnproved = worker.shares.length === 1 && !worker.isProved;
    const before = isOneUnproved ? worker.previous : worker.shares[0]?.version;
    const old = parseVersionTag(before?.tag ?? undefined);
    // After a rollback, Cloudflare changes no secret until the newest version is deployed again.
    const isNewest = worker.versions[0]?.id === newest?.id;
    const isWhole = worker.shares.length === 1 && worker.isProved && isNewest;
    const isDone = isWhole && newest?.tag === tag;
    // What was taken back may have left its schedules, consumers and routes.
    const hasOtherConfig = old?.config !== wanted.config || !isNewest;
    return isDone ? [] : [{ plane, deployed: worker, commit, tag, hasOtherConfig }];
  });
}

async function change(run: DeployRun, deployed: Deployed, commit: string): Promise<boolean> {
  const { options, terminal } = run;
  await checkValues(run.workers, null, deploymentFile(options.name, run.directory));
  const releases = releasesOf(run, deployed, commit);
  for (const { deployed: worker, tag } of releases) {
    const split = splitOf(worker);
    if (split !== null && split.current.tag !== tag) {
      const named = split.current.commit ?? 'an unknown commit';
      throw new SetupProblem(
        `a deployment of ${worker.name} to ${named} is under way, at ${split.percentage} %`,
        `Continue it from that commit, or go back: ${options.command} --rollback`,
      );
    }
  }
  for (const plane of PLANES) {
    checkSecrets(run, plane, deployed[plane]);
  }
  const migrations = await pendingMigrations(run);
  sayPlan(run, deployed, releases, commit);
  if (options.act === 'migrate') {
    return migrate(run, migrations);
  }
  if (migrations.length > 0) {
    throw new SetupProblem(
      `tables come first, because no rollback undoes them:\n${migrations.map(({ what }) => `  ${what}`).join('\n')}`,
      `Apply them alone: ${options.command} --migrate`,
    );
  }
  await checkClasses(run, deployed, releases);
  if (releases.length === 0) {
    terminal.say('Nothing to do: both Workers run this code.');
    return true;
  }
  return release(run, deployed, releases, commit);
}

/** Cloudflare mixes only versions with the same classes of objects, so wrangler deploys others at once. */
async function checkClasses(
  run: DeployRun,
  deployed: Deployed,
  releases: readonly Release[],
): Promise<void> {
  const { options, workers } = run;
  const changed = releases.flatMap(({ plane, tag, commit }) => {
    const what = changedClasses(run, plane, deployed[plane]);
    // With routes, wrangler would replace DNS records of something else unasked.
    const file = relative(process.cwd(), workers[plane].uploadFile);
    const message = quoted(commitMessage(commit));
    const command = `npx wrangler deploy -c ${file} --tag ${tag} --message ${message}`;
    return what === null ? [] : [{ what, command }];
  });
  if (changed.length > 0) {
    await recordExpiry(run);
    const lines = (of: 'what' | 'command') => changed.map((one) => `  ${one[of]}`).join('\n');
    throw new SetupProblem(
      `versions with other classes of objects cannot run together, and no rollback undoes them:\n${lines('what')}`,
      `Deploy a commit that changes nothing else, to all requests at once, and check it:\n${lines('command')}\n  npm run operator -- check --env ${options.name}`,
    );
  }
}

function sayPlan(run: DeployRun, deployed: Deployed, releases: readonly Release[], commit: string) {
  const { options, terminal } = run;
  terminal.say(`Plan for "${options.name}", commit ${commit}:`);
  for (const plane of PLANES) {
    const { name, shares } = deployed[plane];
    const now = shares.map(({ version, percentage }) => {
      return `${percentage} % ${version.id} (${version.commit === null ? 'unknown commit' : `commit ${version.commit}`})`;
    });
    const isReleased = releases.some((one) => one.plane === plane);
    terminal.say(`  ${name}: ${now.join(' and ')}${isReleased ? '' : '; nothing changes'}`);
  }
}

/** Before anything is looked up that takes time. */
function checkTerminal({ options, terminal }: DeployRun): void {
  if (!options.isYes && !terminal.isInteractive) {
    throw new SetupProblem(
      'there is no terminal to answer in',
      `Add --yes: ${commandOf(options)} --yes`,
    );
  }
}

async function isConfirmed(run: DeployRun, question: string): Promise<boolean> {
  const { options, terminal } = run;
  checkTerminal(run);
  if (options.isYes) {
    return true;
  }
  const isSo = /^y(es)?$/i.test(await terminal.ask(`${question} [y/N] `));
  if (!isSo) {
    terminal.say('Nothing was changed.');
  }
  return isSo;
}

async function release(
  run: DeployRun,
  deployed: Deployed,
  releases: readonly Release[],
  commit: string,
): Promise<boolean> {
  checkTerminal(run);
  for (const { plane } of releases.filter(({ hasOtherConfig }) => hasOtherConfig)) {
    await checkAddresses(run, { [plane]: run.workers[plane] });
  }
  if (!(await isConfirmed(run, 'Deploy?'))) {
    return false;
  }
  await recordExpiry(run);
  for (const one of releases) {
    if (!(await releaseVersion(run, one))) {
      run.terminal.say('Correct it and deploy again.');
      const others = PLANES.filter((plane) => plane !== one.plane).map((plane) => deployed[plane]);
      const released = others.find(({ name, shares }) => {
        // This run released it, or an interrupted one did.
        return run.changed.has(name) || shares.at(-1)?.version.commit === commit;
      });
      if (released !== undefined) {
        run.terminal.say(
          `${released.name} stays at this commit. Take it back, too: ${run.options.command} --rollback`,
        );
      }
      return false;
    }
  }
  const file = deploymentFile(run.options.name, run.directory);
  run.terminal.say(
    `Deployed. All requests go to this version. Commit ${file} or keep a copy: a rollback finds the versions before in it.`,
  );
  return true;
}

/** Applies migrations alone. The deployed code must work with the new tables. */
async function migrate(
  run: DeployRun,
  migrations: Awaited<ReturnType<typeof pendingMigrations>>,
): Promise<boolean> {
  const { terminal, options } = run;
  if (migrations.length === 0) {
    terminal.say('Nothing to do: the databases have all tables.');
    return true;
  }
  terminal.say(migrations.map(({ what }) => `  Will ${what}`).join('\n'));
  if (!(await isConfirmed(run, 'Apply? No rollback undoes it.'))) {
    return false;
  }
  for (const { make } of migrations) {
    await make();
  }
  terminal.say(`The tables are there. Now deploy the code: ${options.command}`);
  return true;
}

/** When a version's code was uploaded: a changed secret makes a newer version of the same code. */
function codeFrom({ versions }: DeployedWorker, version: WorkerVersion): string {
  const older = versions.slice(versions.findIndex(({ id }) => id === version.id));
  const other = older.findIndex((one) => !hasSameCode(one, version));
  return older[(other < 0 ? older.length : other) - 1]?.createdOn ?? version.createdOn;
}

/**
 * Takes the newest version back from each Worker that has any of it, whether its deployment is under
 * way or done. The back office goes first, because it calls the payments. Tables, secrets and stored
 * data stay.
 */
async function rollBack(run: DeployRun, deployed: Deployed): Promise<boolean> {
  const { terminal, options } = run;
  const currents = PLANES.flatMap((plane) => {
    const version = deployed[plane].shares.at(-1)?.version;
    return version === undefined
      ? []
      : [{ ...version, codeFrom: codeFrom(deployed[plane], version) }];
  });
  const [newest] = currents.toSorted((one, other) => other.codeFrom.localeCompare(one.codeFrom));
  const targets = PLANES.toReversed().flatMap((plane) => {
    const worker = deployed[plane];
    const current = worker.shares.at(-1)?.version;
    const isOfRelease =
      current?.id === newest?.id || (current?.commit != null && current.commit === newest?.commit);
    const target = isOfRelease ? (splitOf(worker)?.old ?? worker.olderCode) : null;
    return target === null || current === undefined
      ? []
      : [{ plane, name: worker.name, target, current }];
  });
  if (targets.length === 0) {
    throw new SetupProblem(
      "there is no version before this one in Cloudflare's list of ten deployments, or in the deployment file",
      `Take older code, commit it, and deploy it: ${olderCode('COMMIT')} && git commit -m "Go back" && ${options.command}`,
    );
  }
  for (const { name, target } of targets) {
    const named = target.commit === null ? 'an unknown commit' : `commit ${target.commit}`;
    terminal.say(`${name}: back to ${target.id} (${named}).`);
  }
  if (!(await isConfirmed(run, 'Roll back?'))) {
    return false;
  }
  for (const { plane, name, target, current } of targets) {
    try {
      await goBack(run, name, target, current);
    } catch (error) {
      if (!(error instanceof OtherSecrets) || target.commit === null) {
        throw error;
      }
      return takeOlderCode(run, error, target.commit);
    }
    await recordReleased(run, plane, [target.id], current.id);
  }
  terminal.say(
    `Rolled back. Tables and stored data are as they were.
Before you change a secret, deploy this older code again (docs/operations.md#older-code). Wrangler and the
dashboard advise to deploy the newest version first: that is the one which you have just taken back.`,
  );
  return true;
}

/**
 * Uploads the older code with today's secrets: Cloudflare keeps a version with those of its time, and
 * without the newest keys nothing that they sealed could be opened.
 */
async function takeOlderCode(
  { terminal, deployCommit }: DeployRun,
  refusal: OtherSecrets,
  commit: string,
): Promise<boolean> {
  terminal.say(`  ${refusal.problem}.
  Wrangler and the dashboard offer to go back all the same, with the old values: DO NOT. What the newer keys
  have signed and sealed could not be read any more.
  Deploying the code of commit ${commit} with today's secrets instead, which takes some minutes …`);
  if (await deployCommit(commit)) {
    return true;
  }
  throw refusal;
}
